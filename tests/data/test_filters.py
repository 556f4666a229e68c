"""Filters by name, on a small dataset and as properties."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instinct.data import (
    FILTERS,
    KAPPA,
    Dataset,
    apply_filters,
    canonical_name,
    costly,
    filters,
    find_filter,
    measure_removal,
    register_filter,
    remove,
)
from instinct.errors import BadInput
from tests.data.datasets import datasets, small

COSTS = np.array([0, 0, 0, 0, 2, 40.0])
"""The costs of three episodes with rows 0–1, 2–4 and 5."""


def removed(name: str, dataset: Dataset | None = None) -> list[int]:
    dataset = small(costs=COSTS) if dataset is None else dataset
    return np.flatnonzero(find_filter(name)(dataset)).tolist()


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("cost-free", [4, 5]),
        ("cost-free:0", [4, 5]),
        ("cost-free:1", [3, 4, 5]),
        ("cost-free:9", [2, 3, 4, 5]),
        ("safe-episodes", [5]),
        ("safe-episodes:1.5", [2, 3, 4, 5]),
        ("safe-episodes:2", [5]),
        ("safe-episodes:40", []),
        ("no-terminals", [1, 5]),
        ("no-terminals:1", [0, 1, 5]),
        ("good-episodes", [2, 3, 4]),
        ("good-episodes:2.5", []),
        ("good-episodes:3", [2, 3, 4]),
        ("good-episodes:3.5", [0, 1, 2, 3, 4]),
        ("good-episodes:-9", []),
        ("long-episodes", [5]),
        ("long-episodes:3", [0, 1, 5]),
        ("costs>0", [4, 5]),
        ("rewards<=-1", [3]),
        ("observations[0]>=11", [3, 4, 5]),
        ("actions[0]==0.25", [5]),
        ("next_observations[0]!=1e0", [1, 2, 3, 4, 5]),
    ],
)
def test_removed_rows(name: str, rows: list[int]) -> None:
    assert removed(name) == rows


def test_kappa_is_the_papers() -> None:
    """The mean of C/20, C/40 and C/80 is C/κ."""
    assert round(KAPPA, 2) == 34.29
    assert np.mean([1 / 20, 1 / 40, 1 / 80]) == pytest.approx(1 / KAPPA)


def test_safe_episodes_do_not_change() -> None:
    left = apply_filters(small(costs=COSTS), ["safe-episodes:1"])
    assert left.lengths.tolist() == [2]
    assert left.terminals.tolist() == [False, True]


@given(datasets(), st.integers(0, 5))
def test_the_steps_before_a_cost_are_removed(dataset: Dataset, before: int) -> None:
    if dataset.costs is None:
        return
    found = costly(dataset, before)
    for start, stop in zip(dataset.starts, dataset.stops, strict=True):
        for row in range(start, stop):
            ahead = dataset.costs[row : min(row + before + 1, stop)]
            assert found[row] == (ahead != 0).any()


@given(datasets(), st.floats(0, 100))
def test_safe_episodes_keeps_or_removes_whole_episodes(dataset: Dataset, limit: float) -> None:
    if dataset.costs is None:
        return
    gone = find_filter(f"safe-episodes:{limit:f}")(dataset)
    for start, stop in zip(dataset.starts, dataset.stops, strict=True):
        above = dataset.costs[start:stop].astype(float).sum() > float(f"{limit:f}")
        assert (gone[start:stop] == above).all()


def test_a_mask_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mask.npy"
    np.save(path, np.array([0, 1, 0, 0, 1, 0], bool))
    assert removed(str(path)) == [1, 4]
    name = canonical_name(str(path))
    assert name.startswith(f"{path}@")
    assert canonical_name(name) == name
    assert removed(name) == [1, 4]
    np.save(path, np.array([0, 1, 0, 0, 1, 1], bool))
    assert canonical_name(str(path)) != name
    with pytest.raises(BadInput, match="has changed since the filter was chosen"):
        removed(name)


@pytest.mark.parametrize("rows", [np.zeros(5, bool), np.zeros(6), np.zeros((6, 1), bool)])
def test_masks_that_do_not_fit(tmp_path: Path, rows: np.ndarray) -> None:
    np.save(tmp_path / "mask.npy", rows)
    with pytest.raises(BadInput, match="one true or false for each of the 6 transitions"):
        removed(str(tmp_path / "mask.npy"))


def test_a_mask_cannot_run_code(tmp_path: Path) -> None:
    path = tmp_path / "mask.npy"
    np.save(path, np.array([print] * 6, object), allow_pickle=True)
    with pytest.raises(BadInput, match="is not a NumPy file of true and false"):
        removed(str(path))
    with pytest.raises(BadInput, match=r"nowhere\.npy: cannot be read"):
        canonical_name(str(tmp_path / "nowhere.npy"))


def test_spaces_in_a_comparison_are_ignored() -> None:
    assert canonical_name("costs > 0") == canonical_name("costs>0") == "costs>0"
    assert canonical_name("cost-free:5") == "cost-free:5"


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("safe", "no filter is called 'safe'; there are cost-free, cost-free:STEPS"),
        ("no-terminals:x", "no-terminals needs a whole number of steps of at least 0"),
        ("good-episodes:many", "good-episodes needs a return after the colon, not 'many'"),
        ("good-episodes:nan", "good-episodes needs a return"),
        ("good-episodes:-inf", "good-episodes needs a return"),
        ("long-episodes:2.5", "long-episodes needs a whole number of steps"),
        (
            "cost-free:",
            "cost-free needs a whole number of steps of at least 0 after the colon, not ''",
        ),
        ("cost-free:2.5", "needs a whole number of steps"),
        ("cost-free:-1", "needs a whole number of steps"),
        ("safe-episodes:nan", "safe-episodes needs a cost of at least 0"),
        ("safe-episodes:inf", "safe-episodes needs a cost of at least 0"),
        ("speed>1", "compares 'speed'; there are observations, actions"),
        ("costs>much", "compares with 'much', which is no number"),
        ("costs[0]>1", "costs need no column"),
        ("observations>1", r"observations need a column, such as observations\[0\]"),
        ("observations[1]>1", "observations have 1 columns, from 0"),
        ("__class__>1", "compares '__class__'"),
    ],
)
def test_error_messages(name: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        removed(name)


@pytest.mark.parametrize("name", ["cost-free", "cost-free:3", "safe-episodes", "costs>0"])
def test_missing_costs_are_an_error(name: str) -> None:
    with pytest.raises(BadInput, match="costs: the dataset has no costs"):
        removed(name, small())


def test_removal_of_the_small_dataset() -> None:
    """One episode is cut, one is gone. Rewards sum to 12.5 in 6 rows, and to 5 in the 4 left."""
    dataset = small(costs=COSTS)
    rows = find_filter("cost-free")(dataset)
    found = measure_removal(dataset, rows, remove(dataset, rows))
    assert (found.transitions, found.removed) == (6, 2)
    assert (found.episodes, found.cut, found.gone, found.episodes_after) == (3, 1, 1, 2)
    assert (found.reward, found.reward_after) == pytest.approx((12500 / 6, 5000 / 4))
    assert (found.cost, found.cost_after) == pytest.approx((7000, 0))


@given(datasets(), st.data())
def test_the_counts_add_up(dataset: Dataset, data: st.DataObject) -> None:
    rows = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(dataset), max_size=len(dataset)))
    )
    if rows.all():
        return
    after = remove(dataset, rows)
    found = measure_removal(dataset, rows, after)
    assert found.transitions - found.removed == len(after)
    assert found.cut + found.gone <= found.episodes
    assert found.episodes_after >= found.episodes - found.gone
    assert found.coverage is None or 0 <= found.coverage <= 1


def walks(states: np.ndarray) -> Dataset:
    """Make a dataset of episodes [episodes, steps, 1] that end with timeouts."""
    episodes, steps = states.shape[0], states.shape[1] - 1
    n = episodes * steps
    return small(
        observations=states[:, :-1].reshape(n, 1),
        next_observations=states[:, 1:].reshape(n, 1),
        actions=np.zeros((n, 1)),
        rewards=np.zeros(n),
        terminals=np.zeros(n, bool),
        timeouts=np.arange(n) % steps == steps - 1,
    )


def test_coverage_is_low_only_where_a_region_is_removed() -> None:
    """Forty walks over the same ten states: removing a state leaves a gap, removing a walk none."""
    dataset = walks(np.tile(np.arange(11.0), (40, 1))[..., None])
    place = dataset.observations[:, 0]
    walk = np.arange(len(dataset)) // 10

    def coverage(rows: np.ndarray) -> float | None:
        return measure_removal(dataset, rows, remove(dataset, rows)).coverage

    assert coverage(walk == 3) == 1
    assert coverage(place >= 7) == 0
    assert coverage(walk < 10) == pytest.approx(30 / 39), "nine of the other walks went with it"
    assert coverage((place == 5) | (walk == 0)) == pytest.approx(9 / 49)
    assert coverage(walk < 0) is None


def test_coverage_of_one_episode_is_unknown() -> None:
    dataset = walks(np.arange(11.0)[None, :, None])
    rows = dataset.observations[:, 0] == 5
    assert measure_removal(dataset, rows, remove(dataset, rows)).coverage is None


def test_coverage_of_a_random_filter_is_the_share_that_is_left() -> None:
    random = np.random.default_rng(0)
    dataset = walks(random.normal(size=(300, 11, 1)))
    rows = random.uniform(size=len(dataset)) < 0.3
    found = measure_removal(dataset, rows, remove(dataset, rows)).coverage
    assert found == pytest.approx(0.7, abs=0.03)


@pytest.fixture
def own_filter() -> Iterator[str]:
    register_filter("late", lambda dataset: dataset.steps >= 1)
    yield "late"
    filters._registered.clear()


def test_a_registered_filter_is_found_by_name(own_filter: str) -> None:
    left = apply_filters(small(), [own_filter])
    assert left.lengths.tolist() == [1, 1, 1]
    assert canonical_name(own_filter) == own_filter
    assert own_filter not in FILTERS
    with pytest.raises(BadInput, match="no filter is called 'nothing'; there are late, cost-free"):
        find_filter("nothing")
    register_filter(own_filter, lambda dataset: dataset.steps >= 2)
    assert apply_filters(small(), [own_filter]).lengths.tolist() == [2, 2, 1]


@pytest.mark.parametrize("name", ["", "all", "cost-free", "costs>0", "a b", "a/b", "cost-free:5"])
def test_names_that_cannot_be_registered(name: str) -> None:
    with pytest.raises(BadInput) as fault:
        register_filter(name, lambda dataset: dataset.terminals)
    assert (fault.value.field, fault.value.exit_code) == ("filter", 2)
