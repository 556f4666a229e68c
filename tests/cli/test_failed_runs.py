"""A study with failed runs says so and exits with 1; `--retry-failed` runs them again."""

from pathlib import Path

import pytest

from instinct.study.store import read_store
from tests.cli.conftest import Run
from tests.study.problems import SMALL, rows, write_dataset

PLAN = """
name = "tiny"
datasets = ["{data}"]
algorithms = ["BC"]
labels = ["original"]
seeds = 2
episodes = 2
task = "gym:tests.engine.deadly:Broken-v0"
[settings.BC]
{settings}
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The plan of a study whose simulator is broken."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    settings = "\n".join(f"{name} = {value}" for name, value in SMALL.items())
    data = write_dataset(tmp_path / "data.npz")
    (tmp_path / "plan.toml").write_text(PLAN.format(data=data, settings=settings))
    return tmp_path / "plan.toml"


def test_failed_runs_are_said_and_tried_again(
    run: Run, plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("study", "run", plan, "--out", "study", "--workers", 1, "--allow-imports")
    broken = run(*command)
    assert broken.code == 1
    assert "Missing: " in broken.out
    assert broken.err.splitlines()[-1] == (
        "instinct: 2 of 2 runs failed, for the reasons above; the same command with --retry-failed "
        "runs them again"
    )
    assert run(*command, "--json").json["ended"] == 2
    monkeypatch.setenv("INSTINCT_TEST_REPAIRED", "1")
    assert run(*command).code == 1, "failed runs are not tried again unasked"
    repaired = run(*command, "--retry-failed")
    assert repaired.code == 0
    assert "failed" not in repaired.err
    assert [row["failure"] for row in rows(tmp_path / "study").values()] == ["", ""]
    with read_store(tmp_path / "study") as store:
        assert store.warnings() == ["2 of the runs had failed and were tried again"]
        assert store.deaths() == {}
    assert "had failed and were tried again" in (tmp_path / "study" / "index.html").read_text()
    again = run(*command, "--retry-failed")
    assert again.code == 0, "nothing is left to try"
