import numpy as np
import pytest

from instinct.data import Box, Discrete
from instinct.data.discretize import discretize
from instinct.errors import BadInput
from tests.data.datasets import small


def test_cells_of_the_small_dataset() -> None:
    """Observations 0, 1, 10, 11, 12, 20 cut at their median 10.5; actions cut at 0."""
    coarse = discretize(small(), bins=2)
    assert coarse.observations[:, 0].tolist() == [0, 0, 0, 1, 1, 1]
    assert coarse.next_observations[:, 0].tolist() == [0, 0, 1, 1, 1, 1]
    assert coarse.actions.tolist() == [1, 0, 1, 0, 1, 1]
    assert coarse.action_space == Discrete(2)
    assert coarse.lengths.tolist() == small().lengths.tolist()
    assert coarse.repairs == ()


def test_actions_of_several_dimensions_get_one_number() -> None:
    corners = np.array([[-1, -1], [1, 1], [-1, 1], [1, -1], [0.1, -0.1], [0, 0]])
    coarse = discretize(small(actions=corners, action_space=Box.of(2)), bins=5, action_bins=2)
    assert coarse.actions.tolist() == [0, 3, 1, 2, 2, 3]
    assert coarse.action_space == Discrete(4)


def test_whole_numbers_do_not_change() -> None:
    whole = small(
        observations=small().observations.astype(np.int64),
        next_observations=small().next_observations.astype(np.int64),
        actions=np.array([0, 1, 0, 1, 0, 1]),
        action_space=Discrete(2),
    )
    assert discretize(whole, bins=2).hash == whole.hash


def test_one_bin_is_an_error() -> None:
    with pytest.raises(BadInput, match="at least 2 bins"):
        discretize(small(), bins=1)
