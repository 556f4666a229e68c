"""Mixtures of two kinds of episodes."""

import numpy as np
import pytest

from instinct.data import Box, Dataset, apply_filters
from instinct.errors import BadInput


def episodes(returns: list[float], early: list[bool]) -> Dataset:
    """Record episodes of two steps that earn their return at the second."""
    number = len(returns)
    states = np.arange(3 * number, dtype=np.float32).reshape(number, 3)
    last = np.tile([False, True], number)
    ended = np.repeat(early, 2)
    return Dataset(
        observations=states[:, :2].reshape(-1, 1),
        actions=np.zeros((2 * number, 1)),
        rewards=np.stack([np.zeros(number), returns], axis=1).ravel(),
        next_observations=states[:, 1:].reshape(-1, 1),
        terminals=last & ended,
        timeouts=last & ~ended,
        action_space=Box.of(1),
    )


DATA = episodes([1, 2, 3, 4, 5, 6, 7, 8], [True] * 3 + [False] * 5)


@pytest.mark.parametrize(("share", "bad"), [(0, 0), (0.25, 1), (0.5, 2), (1, 4)])
def test_a_share_of_the_episodes_is_bad(share: float, bad: int) -> None:
    kept = apply_filters(DATA, [f"bad-episodes:{share}"])
    assert kept.episodes == 4
    assert (kept.returns < 4.5).sum() == bad


@pytest.mark.parametrize(("share", "early"), [(0, 0), (0.4, 1), (1, 3)])
def test_a_share_of_the_episodes_ends_early(share: float, early: int) -> None:
    kept = apply_filters(DATA, [f"early-episodes:{share}"])
    assert (kept.episodes, kept.terminals.sum()) == (3, early)
    assert kept.cuts is None or not kept.cuts.any()


def test_bad_episodes_may_all_have_the_same_return() -> None:
    data = episodes([0, 0, 0, 0, 9], [False] * 5)
    assert apply_filters(data, ["bad-episodes:0"]).returns.tolist() == [9]
    assert apply_filters(data, ["bad-episodes:1"]).returns.tolist() == [0]


def test_a_larger_share_only_exchanges_episodes() -> None:
    one, two = ({*apply_filters(DATA, [f"bad-episodes:{x}"]).returns} for x in (0.25, 0.5))
    assert len(one & two) == 3


def test_one_kind_alone_cannot_be_mixed() -> None:
    with pytest.raises(BadInput, match="nothing to mix"):
        apply_filters(episodes([1, 2], [False, False]), ["early-episodes:0.5"])


@pytest.mark.parametrize("name", ["bad-episodes:1.5", "early-episodes:x", "bad-episodes:-1"])
def test_a_share_is_from_0_to_1(name: str) -> None:
    with pytest.raises(BadInput, match="a share from 0 to 1"):
        apply_filters(DATA, [name])
