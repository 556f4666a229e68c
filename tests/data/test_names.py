"""Fields are found under the names of D4RL, Gymnasium and RLDS."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from instinct.data import Array, read
from instinct.errors import BadInput
from tests.data.datasets import small

FIELDS = dict(small().fields())
GYMNASIUM = {
    "observations": "obs",
    "actions": "action",
    "rewards": "reward",
    "next_observations": "next_obs",
    "terminals": "terminated",
    "timeouts": "truncated",
}
RLDS = GYMNASIUM | {"observations": "observation", "terminals": "is_terminal"}
ENDS = FIELDS["terminals"] | FIELDS["timeouts"]


def renamed(names: dict[str, str], **others: Array) -> dict[str, Array]:
    return {names.get(name, name): array for name, array in FIELDS.items()} | others


def write_file(path: Path, arrays: dict[str, Array]) -> Path:
    if path.suffix == ".npz":
        np.savez(path, allow_pickle=False, **arrays)
    else:
        with h5py.File(path, "w") as file:
            for name, array in arrays.items():
                file[name] = array
    return path


@pytest.mark.parametrize("names", [GYMNASIUM, RLDS])
@pytest.mark.parametrize("file", ["data.npz", "data.hdf5"])
def test_other_names_are_read_and_reported(
    file: str, names: dict[str, str], tmp_path: Path
) -> None:
    dataset = read(write_file(tmp_path / file, renamed(names)))
    assert dataset.hash == small().hash
    assert {*dataset.repairs} == {f"{ours}: read from {theirs}" for ours, theirs in names.items()}


def test_costs_are_read_from_cost(tmp_path: Path) -> None:
    costs = np.arange(6.0)
    dataset = read(write_file(tmp_path / "data.npz", renamed({}, cost=costs)))
    assert dataset.costs is not None
    assert dataset.costs.tolist() == costs.tolist()
    assert dataset.repairs == ("costs: read from cost",)


@pytest.mark.parametrize("name", ["done", "dones"])
def test_done_alone_marks_terminals(name: str, tmp_path: Path) -> None:
    arrays = renamed({"terminals": name}) | {name: ENDS}
    del arrays["timeouts"]
    dataset = read(write_file(tmp_path / "data.npz", arrays))
    assert dataset.terminals.tolist() == ENDS.tolist()
    assert not dataset.timeouts.any()
    assert [repair.split(":")[0] for repair in dataset.repairs] == ["terminals"]


def test_done_with_timeouts_marks_the_other_ends(tmp_path: Path) -> None:
    arrays = renamed({"terminals": "dones", "timeouts": "truncated"}, dones=ENDS)
    assert read(write_file(tmp_path / "data.npz", arrays)).hash == small().hash


@pytest.mark.parametrize("name", ["done", "is_last"])
def test_ends_beside_terminals_mark_timeouts(name: str, tmp_path: Path) -> None:
    arrays = renamed({"timeouts": name, "terminals": "terminated"}) | {name: ENDS}
    assert read(write_file(tmp_path / "data.npz", arrays)).hash == small().hash


def test_the_full_name_is_used_if_there_are_several(tmp_path: Path) -> None:
    dataset = read(write_file(tmp_path / "data.npz", renamed({}, obs=np.zeros((6, 9)))))
    assert dataset.hash == small().hash
    assert dataset.repairs == ("observations: observations was used, not obs",)


@pytest.mark.parametrize("file", ["data.npz", "data.hdf5"])
def test_a_missing_field_is_named_with_the_names_that_were_found(file: str, tmp_path: Path) -> None:
    arrays = {"obs2": np.zeros((6, 1)), "act": np.zeros((6, 1)), "reward": np.zeros(6)}
    with pytest.raises(BadInput) as caught:
        read(write_file(tmp_path / file, arrays))
    assert caught.value.field == "observations"
    assert str(caught.value).endswith("the file has act, obs2, reward")


def test_an_error_lists_a_few_names_only(tmp_path: Path) -> None:
    arrays = {f"x{number:02d}": np.zeros(1) for number in range(20)}
    with pytest.raises(BadInput, match=r"x10, x11 and 8 more$"):
        read(write_file(tmp_path / "data.npz", arrays))
