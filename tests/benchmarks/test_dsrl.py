"""DSRL's files by name: found in the data folder, refused without costs."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from instinct.benchmarks.registry import find_dataset, task_of
from instinct.benchmarks.safety.dsrl import present
from instinct.data import Array
from instinct.errors import BadInput

NAME = "SafetyPointGoal1Gymnasium-v0-100-2022.hdf5"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSTINCT_DATA", str(tmp_path))
    (tmp_path / "dsrl").mkdir()
    return tmp_path / "dsrl"


def arrays() -> dict[str, Array]:
    """Two episodes of three steps with all of DSRL's fields."""
    random = np.random.default_rng(0)
    walk = random.normal(size=(2, 4, 60)).astype(np.float32)
    return {
        "observations": walk[:, :-1].reshape(6, 60),
        "next_observations": walk[:, 1:].reshape(6, 60),
        "actions": random.uniform(-1, 1, (6, 2)).astype(np.float32),
        "rewards": random.normal(size=6).astype(np.float32),
        "costs": np.array([0, 1, 0, 0, 0, 1], np.float32),
        "terminals": np.zeros(6, np.float32),
        "timeouts": np.array([0, 0, 1, 0, 0, 1], np.float32),
    }


def write(path: Path, fields: dict[str, Array]) -> None:
    with h5py.File(path, "w") as file:
        for name, array in fields.items():
            file[name] = array


def test_a_file_is_read_unchanged(folder: Path) -> None:
    fields = arrays()
    write(folder / NAME, fields)
    dataset = find_dataset("dsrl:PointGoal1")
    for name in ("observations", "next_observations", "actions", "rewards", "costs"):
        np.testing.assert_array_equal(getattr(dataset, name), fields[name])
    assert dataset.lengths.tolist() == [3, 3]
    assert not dataset.terminals.any()
    assert dataset.costs is not None
    assert dataset.per_episode(dataset.costs).tolist() == [1, 1]
    assert dataset.repairs == ()


def test_names(folder: Path) -> None:
    assert task_of("dsrl:CarPush2") == "safety:CarPush2"
    assert task_of("dsrl:CarPush3") is None
    assert not present()
    write(folder / NAME, arrays())
    write(folder / "SafetyCarCircle2Gymnasium-v0.hdf5", arrays())
    write(folder / "SafetyAntRun-v0-150-1816.hdf5", arrays())
    assert [*present()] == ["dsrl:CarCircle2", "dsrl:PointGoal1"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dsrl:PointGoal3", "no task 'PointGoal3' here; there are PointButton1, "),
        ("dsrl:../PointGoal1", "no task"),
        ("dsrl:CarGoal1", r"has no SafetyCarGoal1Gymnasium-v0-….hdf5; download it from DSRL"),
    ],
)
def test_missing_files_are_clear_errors(name: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        find_dataset(name)


def test_costs_are_needed(folder: Path) -> None:
    fields = arrays()
    del fields["costs"]
    write(folder / NAME, fields)
    with pytest.raises(BadInput, match=rf"{NAME}: costs: is missing; a file of DSRL's has a cost"):
        find_dataset("dsrl:PointGoal1")


def test_costs_of_another_length_are_refused(folder: Path) -> None:
    fields = arrays()
    fields["costs"] = fields["costs"][:-1]
    write(folder / NAME, fields)
    with pytest.raises(BadInput, match="costs: has 5 rows, observations has 6 rows"):
        find_dataset("dsrl:PointGoal1")


def test_two_files_of_a_task_are_refused(folder: Path) -> None:
    write(folder / NAME, arrays())
    write(folder / NAME.replace("100", "200"), arrays())
    with pytest.raises(BadInput, match="several files of PointGoal1"):
        find_dataset("dsrl:PointGoal1")
