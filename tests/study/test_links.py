"""A study never writes to where a link points."""

import os
from pathlib import Path

import pytest

from instinct.benchmarks.dataset_store import get_or_make, path_of
from instinct.benchmarks.gridworld.world import GridWorld
from instinct.engine.run_plan import run_plan
from instinct.errors import InstinctError
from instinct.study.lock import lock_holder
from instinct.study.store import open_store
from tests.study.problems import FakeExecutor, deep_plan, grid_plan, ignore_progress

PLAN = grid_plan(seeds=1)


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A file that a link in the study's folder points to."""
    path = tmp_path / "precious"
    path.write_text("precious")
    return path


@pytest.mark.parametrize("name", ["study.lock", "study.sqlite", "study.sqlite-wal"])
def test_the_files_of_a_study_are_no_links(tmp_path: Path, precious: Path, name: str) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / name).symlink_to(precious)
    with (
        pytest.raises(InstinctError, match=f"{name}: is a link"),
        open_store(tmp_path / "study", PLAN, {}),
    ):
        pass
    assert precious.read_text() == "precious"


def test_who_runs_a_study_is_written_beside_a_link(tmp_path: Path, precious: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.running").symlink_to(precious)
    with open_store(tmp_path / "study", PLAN, {}):
        assert lock_holder(tmp_path / "study").startswith(f"process {os.getpid()} on")
    assert lock_holder(tmp_path / "study") == ""
    assert precious.read_text() == "precious"


@pytest.mark.parametrize("name", ["runs", "runs/a", "warm-starts"])
def test_the_folders_of_runs_are_no_links(tmp_path: Path, name: str) -> None:
    """What was half written is removed from them, so they must be the study's own."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "b" / ".hidden").mkdir(parents=True)
    (elsewhere / ".hidden").mkdir()
    link = tmp_path / "study" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    plan = deep_plan("file", "BC", seeds=1)
    with pytest.raises(InstinctError, match=f"{name}: is a link"):
        run_plan(plan, tmp_path / "study", ignore_progress, lambda *_: FakeExecutor(1))
    assert (elsewhere / ".hidden").exists()
    assert (elsewhere / "b" / ".hidden").exists()


@pytest.mark.usefixtures("own_data")
def test_the_lock_of_a_made_dataset_is_no_link(precious: Path) -> None:
    lock = path_of("a").with_suffix(".lock")
    lock.parent.mkdir(parents=True)
    lock.symlink_to(precious)
    with pytest.raises(InstinctError, match="is a link"):
        get_or_make("a", GridWorld().dataset, {})
    assert precious.read_text() == "precious"


def test_a_lock_that_is_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "study.lock")
    with open_store(tmp_path, PLAN, {}):
        assert lock_holder(tmp_path).startswith("process")
