"""The documentation site: builds without a warning, has all public names, and its tutorials run."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import instinct

ROOT = Path(__file__).parents[1]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))

needs_docs = pytest.mark.usefixtures("docs_extra")


@pytest.fixture
def docs_extra() -> None:
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")


def test_every_public_name_is_in_the_api_reference() -> None:
    listed = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "api.md").read_text("utf-8"), re.MULTILINE)
    for name in {*dir(instinct)} - {"__version__"}:
        assert [each for each in listed if each.split(".")[-1] == name], name


def test_every_page_is_in_the_navigation() -> None:
    config = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = [*(ROOT / "docs").glob("*.md"), *TUTORIALS]
    for page in pages:
        assert f": {page.relative_to(ROOT / 'docs').as_posix()}\n" in config, page


@needs_docs
def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    api = (tmp_path / "site" / "api" / "index.html").read_text("utf-8")
    assert 'id="instinct.audits.audit.audit"' in api
    assert (tmp_path / "site" / "tutorials" / "audit-logs" / "index.html").exists()


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorials_are_kept_with_their_output(path: Path) -> None:
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if "outputs" in cell]
    assert sum(bool(cell["outputs"]) for cell in cells) >= 2
    for number, cell in enumerate(cells, 1):
        assert cell["execution_count"] == number
        assert not [each for each in cell["outputs"] if each["output_type"] == "error"]


@needs_docs
@pytest.mark.slow
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorials_run(path: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(path, tmp_path))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "jupyter", "nbconvert", "--execute", "--to", "notebook"),
            *("--inplace", "--ExecutePreprocessor.timeout=1800", str(copy)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [*tmp_path.glob("audit-*/study.sqlite")]
