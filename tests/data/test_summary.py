import numpy as np
import pytest

from instinct.data.summary import summarize
from tests.data.datasets import small


def test_summary_of_the_small_dataset() -> None:
    summary = summarize(small(costs=np.array([0, 1, 0, 0, 2, 3.0])))
    assert (summary.transitions, summary.episodes) == (6, 3)
    assert (summary.terminals, summary.timeouts) == (2, 1)
    assert summary.mean_return == pytest.approx((3 + 2.5 + 7) / 3)
    assert (summary.min_return, summary.max_return) == (2.5, 7)
    assert summary.mean_length == 2
    assert summary.mean_cost == 2
    expected = np.corrcoef([2, 3, 1], [3, 2.5, 7])[0, 1]
    assert summary.length_return_correlation == pytest.approx(expected)


def test_the_correlation_of_constants_is_none() -> None:
    summary = summarize(small(rewards=np.array([1.0, 2, 1, 1, 1, 3])))
    assert summary.std_return == 0
    assert summary.length_return_correlation is None
