import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instinct.data import Dataset, costly, remove, remove_terminals, remove_where
from instinct.errors import BadInput
from tests.data.datasets import datasets, small


def test_removing_terminals_removes_the_transitions() -> None:
    """The episode of one step is gone; that of two steps ends with a timeout after its first."""
    left = remove_terminals(small())
    assert left.observations[:, 0].tolist() == [0, 10, 11, 12]
    assert left.terminals.tolist() == [False] * 4
    assert left.timeouts.tolist() == [True, False, False, True]
    assert left.lengths.tolist() == [1, 3]


def test_removing_from_the_middle_splits_the_episode() -> None:
    dataset = small(costs=np.array([0, 0, 0, 2, 0, 0.0]))
    left = remove_where(dataset, costly)
    assert left.observations[:, 0].tolist() == [0, 1, 10, 12, 20]
    assert left.timeouts.tolist() == [False, False, True, True, False]
    assert left.terminals.tolist() == [False, True, False, False, True]


@given(datasets(), st.data())
def test_a_filter_does_not_change_the_other_transitions(
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


def test_filters_that_do_not_fit() -> None:
    with pytest.raises(BadInput, match="one true or false per row"):
        remove(small(), np.zeros(6))
    with pytest.raises(BadInput, match="costs: the dataset has no costs"):
        remove_where(small(), costly)
