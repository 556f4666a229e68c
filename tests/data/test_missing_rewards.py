"""Data without rewards, and data in which some are missing."""

from pathlib import Path

import numpy as np
import pytest

from instinct.data import Dataset, Label, read, relabel, remove_terminals, remove_where, write
from instinct.data.discretize import discretize
from instinct.data.filters import find_filter
from instinct.data.removal import measure_removal
from instinct.data.summary import summarize
from instinct.errors import BadInput
from tests.data.datasets import small


def without_rewards() -> Dataset:
    return small(rewards=np.zeros(6), has_rewards=False)


def archive(folder: Path, **rewards: object) -> Path:
    fields = {name: array for name, array in small().fields() if name != "rewards"}
    np.savez(folder / "data.npz", allow_pickle=False, **fields, **rewards)  # type: ignore[arg-type]
    return folder / "data.npz"


@pytest.mark.parametrize("rewards", [{}, {"rewards": np.full(6, np.nan)}])
def test_a_file_without_rewards_is_read(rewards: dict[str, object], tmp_path: Path) -> None:
    dataset = read(archive(tmp_path, **rewards))
    assert not dataset.has_rewards
    assert dataset.rewards.tolist() == [0] * 6
    assert dataset.hash == without_rewards().hash
    assert dataset.repairs == ("rewards: missing",)


def test_single_missing_rewards_are_zero(tmp_path: Path) -> None:
    dataset = read(archive(tmp_path, rewards=np.array([1, np.nan, 3, -1, np.nan, 7])))
    assert dataset.has_rewards
    assert dataset.rewards.tolist() == [1, 0, 3, -1, 0, 7]
    assert dataset.repairs == ("rewards: 2 of 6 are missing (NaN), set to 0",)


def test_infinite_rewards_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="rewards, row 2: not a finite"):
        read(archive(tmp_path, rewards=np.array([1, np.nan, np.inf, 0, 0, 0])))


def test_no_rewards_and_rewards_of_zero_are_different_data() -> None:
    assert without_rewards().hash != small(rewards=np.zeros(6)).hash
    with pytest.raises(BadInput, match="zeros"):
        small(has_rewards=False)


@pytest.mark.parametrize("name", ["data.hdf5", "data.npz", "folder"])
def test_every_format_keeps_that_there_are_none(name: str, tmp_path: Path) -> None:
    write(without_rewards(), tmp_path / name)
    back = read(tmp_path / name)
    assert (back.hash, back.has_rewards) == (without_rewards().hash, False)
    write(back, tmp_path / f"again-{name}")
    assert read(tmp_path / f"again-{name}").repairs == ("rewards: missing",)


@pytest.mark.parametrize("label", ["original", "negative", "no-terminal", "scale:2", "noise:1"])
def test_labels_that_change_the_rewards_need_some(label: str) -> None:
    with pytest.raises(BadInput, match=f"the label '{label}' needs them"):
        relabel(without_rewards(), label)


@pytest.mark.parametrize(("label", "reward"), [("zero", 0), ("constant:2", 2)])
def test_other_labels_give_rewards(label: str, reward: float) -> None:
    labeled = relabel(without_rewards(), label)
    assert labeled.has_rewards
    assert labeled.rewards.tolist() == [reward] * 6


def test_own_and_random_labels_give_rewards() -> None:
    own = Label("position", lambda dataset, _: dataset.observations[:, 0])
    assert relabel(without_rewards(), own).rewards.tolist() == [0, 1, 10, 11, 12, 20]
    random = relabel(without_rewards(), "random", seed=3).rewards
    assert random.tolist() == relabel(small(), "random", seed=3).rewards.tolist()


def test_filters_keep_that_there_are_none() -> None:
    dataset = without_rewards()
    kept = remove_terminals(dataset)
    assert (len(kept), kept.has_rewards, len(kept.rewards)) == (4, False, 4)
    removal = measure_removal(dataset, dataset.terminals, kept)
    assert (removal.reward, removal.reward_after) == (None, None)
    with pytest.raises(BadInput, match="has no rewards"):
        remove_where(dataset, find_filter("rewards<0"))
    assert not discretize(dataset, 2).has_rewards


def test_the_summary_has_no_returns() -> None:
    summary = summarize(without_rewards())
    assert (summary.mean_return, summary.max_return) == (None, None)
    assert summary.length_return_correlation is None
    assert summary.mean_length == 2
