"""What is said about the package in several places is the same in all of them."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

import instinct

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def pins(name: str) -> set[str]:
    return {*re.findall(r"^([\w.-]+==[\w.]+)", text(name), re.MULTILINE)}


def test_the_version_is_the_same_everywhere() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", instinct.__version__)
    assert f"\nversion: {instinct.__version__}\n" in text("CITATION.cff")
    assert f"\n## {instinct.__version__}\n" in text("CHANGELOG.md")


def test_an_audit_is_locked_to_the_versions_that_are_tested() -> None:
    lean, all_of_them = pins("requirements-audit.txt"), pins("requirements.txt")
    assert lean < all_of_them
    names = {each.partition("==")[0] for each in lean}
    for needed in PROJECT["dependencies"]:
        assert re.split(r"[\[>=]", needed)[0] in names, needed
    assert not names & {"ray", "metaworld", "playwright", "pytest", "mypy", "mkdocs"}


def test_every_extra_that_is_named_exists() -> None:
    extras = PROJECT["optional-dependencies"]
    named = set()
    for page in (
        ROOT / "README.md",
        *(ROOT / "docs").glob("*.md"),
        ROOT / "src/instinct/errors.py",
    ):
        for name, listed in re.findall(r"pip install '([\w.-]+)\[([\w,]+)\]'", page.read_text()):
            assert name in {PROJECT["name"], "."}, page
            named |= {*listed.split(",")}
    assert {"metaworld", "safety", "ray", "slurm", "tables", "all"} <= named <= {*extras}
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    for extra in re.findall(r'missing_extra\("[^"]+", "(\w+)"\)', source):
        assert extra in extras


def test_workflows_test_the_versions_that_are_promised() -> None:
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    matrix = ", ".join(f'"{version}"' for version in versions)
    assert f"python: [{matrix}]" in text(".github/workflows/test.yml")
    assert PROJECT["requires-python"] == f">={versions[0]}"


@pytest.mark.slow
def test_a_wheel_works_without_the_repository(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run([*pip, *build], check=True, stdin=subprocess.DEVNULL)
    (wheel,) = tmp_path.glob("survival_instinct-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (points,) = [name for name in archive.namelist() if name.endswith("/entry_points.txt")]
        assert "instinct = instinct.cli:main" in archive.read(points).decode()
    target, work = tmp_path / "installed", tmp_path / "work"
    work.mkdir()
    subprocess.run([*pip, "install", "--no-deps", "--target", target, wheel], check=True)

    def call(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", *words],
            cwd=work,
            env={**os.environ, "PYTHONPATH": str(target)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert str(target) in call("-c", "import instinct; print(instinct.__file__)")
    assert "Audit your data:" in call("-m", "instinct", "--help")
    assert "0.92" in call("-m", "instinct", "audit", "gridworld", "--seeds", "1")
    assert (work / "results" / "audit-gridworld" / "index.html").exists()
