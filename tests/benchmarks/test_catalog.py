"""Datasets by name."""

from pathlib import Path

import pytest

from instinct.behaviors.shipped import behaviors, shipped
from instinct.benchmarks.catalog import find, recipe, task_of
from instinct.benchmarks.gridworld.world import GridWorld
from instinct.benchmarks.locomotion.d4rl import file_name, present
from instinct.benchmarks.locomotion.datasets import QUALITIES, RECIPES
from instinct.data import write
from instinct.errors import BadInput


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSTINCT_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_the_fifteen_have_d4rls_sizes() -> None:
    assert len(RECIPES) == 15
    assert RECIPES["hopper-medium"].transitions == 1_000_000
    assert RECIPES["walker2d-medium-expert"].transitions == 2_000_000
    replay = [RECIPES[f"{task}-medium-replay"].transitions for task in ("hopper", "walker2d")]
    assert replay == [402_000, 302_000]


@pytest.mark.parametrize("quality", QUALITIES)
def test_every_quality_is_made_once_and_kept(quality: str, own_folder: Path) -> None:
    name = f"hopper-{quality}@300"
    assert recipe(name).note() is None
    dataset = find(name)
    assert len(dataset) == 300
    note = recipe(name).note()
    assert note is not None
    assert note["hash"] == dataset.hash
    assert note["snapshots"] == list(shipped("hopper").names(quality))
    (made,) = (own_folder / "datasets").glob("*.npz")
    before = made.stat().st_mtime_ns
    assert find(name).hash == dataset.hash
    assert made.stat().st_mtime_ns == before


@pytest.mark.parametrize("task", ["hopper", "walker2d", "halfcheetah"])
def test_the_shipped_table_describes_the_shipped_weights(task: str) -> None:
    one = shipped(task)
    assert one.task == task
    assert {snapshot.name for snapshot in one.snapshots} == {*behaviors(task)}
    steps = [snapshot.step for snapshot in one.snapshots]
    assert steps == sorted(steps)
    assert steps[0] == 0
    by_name = {snapshot.name: snapshot.mean_return for snapshot in one.snapshots}
    assert by_name["random"] < by_name["medium"] < by_name["expert"]


@pytest.mark.parametrize("name", ["hopper-medium@0", "hopper-medium@x"])
def test_a_size_must_be_a_number(name: str) -> None:
    with pytest.raises(BadInput, match="number of transitions"):
        find(name)


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(BadInput, match="hopper-medium"):
        find("hoper-medium")
    with pytest.raises(BadInput, match="no dataset is called"):
        recipe("gridworld")


def test_fewer_transitions_than_snapshots_are_refused() -> None:
    with pytest.raises(BadInput, match="at least 2 transitions"):
        find("hopper-medium-expert@1")


def test_d4rls_files_are_found_in_the_data_folder(own_folder: Path) -> None:
    with pytest.raises(BadInput, match=r"gym_mujoco_v2/hopper_medium_replay-v2\.hdf5"):
        find("d4rl:hopper-medium-replay-v2")
    dataset = GridWorld().dataset()
    write(dataset, own_folder / "d4rl" / "hopper_medium_replay-v2.hdf5")
    assert find("d4rl:hopper-medium-replay-v2").hash == dataset.hash
    assert present() == ["d4rl:hopper-medium-replay-v2"]


@pytest.mark.parametrize("name", ["d4rl:../secret-v2", "d4rl:", "d4rl:hopper"])
def test_a_name_that_is_none_of_d4rls_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="not one of D4RL's names"):
        file_name(name)


def test_the_task_of_a_name() -> None:
    assert task_of("hopper-medium@500") == "hopper"
    assert task_of("d4rl:walker2d-expert-v2") == "walker2d"
    assert task_of("gridworld") is None
    assert task_of("hopper-file.npz") is None


def test_an_id_of_minaris_is_what_minari_has_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = GridWorld().dataset()
    write(dataset, tmp_path / "mine" / "grid-v0")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    assert find("mine/grid-v0").hash == dataset.hash
    with pytest.raises(BadInput, match="neither a file nor the name"):
        find("mine/grid-v1")
