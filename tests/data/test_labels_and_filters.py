import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instinct.data import (
    PAPER_LABELS,
    Dataset,
    Label,
    costly,
    find_label,
    relabel,
    remove,
    remove_terminals,
    remove_where,
)
from instinct.errors import BadInput
from tests.data.datasets import datasets, small


def test_the_four_labels() -> None:
    dataset = small()
    shown = {name: relabel(dataset, name, seed=3).rewards for name in PAPER_LABELS}
    assert shown["original"].tolist() == [1, 2, 3, -1, 0.5, 7]
    assert shown["zero"].tolist() == [0] * 6
    assert shown["negative"].tolist() == [-1, -2, -3, 1, -0.5, -7]
    assert ((shown["random"] >= 0) & (shown["random"] <= 1)).all()
    assert len(set(shown["random"].tolist())) == 6


def test_random_rewards_depend_on_the_seed_alone() -> None:
    first, again, other = (relabel(small(), "random", seed).hash for seed in (1, 1, 2))
    assert first == again != other


def test_a_label_changes_nothing_but_the_rewards() -> None:
    dataset = small()
    shown = relabel(dataset, "zero")
    for (name, before), (_, after) in zip(dataset.fields(), shown.fields(), strict=True):
        assert name == "rewards" or (before == after).all()


def test_a_label_of_the_users_own() -> None:
    mine = Label("speed", lambda dataset, _: np.abs(dataset.actions[:, 0]))
    assert relabel(small(), mine).rewards.tolist() == [0.5, 0.5, 1, 1, 0, 0.25]


def test_faulty_labels_are_named() -> None:
    with pytest.raises(BadInput, match="no label is called 'positive'; there are original, zero"):
        find_label("positive")
    with pytest.raises(BadInput, match=r"'short' gives rewards of shape \[2\], not \[6\]"):
        relabel(small(), Label("short", lambda *_: np.zeros(2)))
    with pytest.raises(BadInput, match="rewards, row 0: not a finite"):
        relabel(small(), Label("nan", lambda dataset, _: np.full(len(dataset), np.nan)))


def test_removing_terminals_removes_the_transitions() -> None:
    """The episode of one step disappears; the one of two steps now times out after its first."""
    left = remove_terminals(small())
    assert left.observations[:, 0].tolist() == [0, 10, 11, 12]
    assert left.terminals.tolist() == [False] * 4
    assert left.timeouts.tolist() == [True, False, False, True]
    assert left.lengths.tolist() == [1, 3]


def test_removing_from_the_middle_cuts_the_episode_in_two() -> None:
    dataset = small(costs=np.array([0, 0, 0, 2, 0, 0.0]))
    left = remove_where(dataset, costly)
    assert left.observations[:, 0].tolist() == [0, 1, 10, 12, 20]
    assert left.timeouts.tolist() == [False, False, True, True, False]
    assert left.terminals.tolist() == [False, True, False, False, True]


@given(datasets(), st.data())
def test_a_filter_keeps_the_other_transitions_as_they_are(
    dataset: Dataset, data: st.DataObject
) -> None:
    rows = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(dataset), max_size=len(dataset)))
    )
    if rows.all():
        with pytest.raises(BadInput, match="removes every transition"):
            remove(dataset, rows)
        return
    left = remove(dataset, rows)
    assert len(left) == (~rows).sum()
    assert (left.observations == dataset.observations[~rows]).all()
    assert (left.next_observations == dataset.next_observations[~rows]).all()
    assert (left.terminals == dataset.terminals[~rows]).all()
    assert (left.timeouts | ~dataset.timeouts[~rows]).all()


def test_faulty_filters_are_named() -> None:
    with pytest.raises(BadInput, match="one true or false per row"):
        remove(small(), np.zeros(6))
    with pytest.raises(BadInput, match="costs: the dataset has no costs"):
        remove_where(small(), costly)
