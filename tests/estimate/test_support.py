"""Distances of policies from the data, in units of the behavior's spread."""

import numpy as np
import pytest

from instinct.estimate import make_judge
from instinct.estimate.support import volume
from tests.estimate.chain import SMALL, always, always_box, bandit, chain


def test_distance_is_in_deviations_of_the_behavior() -> None:
    judge = make_judge(bandit(deviation=0.2), settings=SMALL)
    policies = [always_box(0.0), always_box(0.4), always_box(0.9)]
    near, far, outside = (judged.support for judged in judge.judge(policies, []))
    assert near is not None
    assert far is not None
    assert outside is not None
    assert near.distance < 0.5
    assert far.distance == pytest.approx(0.4 / 0.2, rel=0.2)
    assert (near.outside, outside.outside) == (0.0, 1.0)
    assert far.problem == ""
    assert "100%" in outside.problem


def test_discrete_actions_are_as_far_as_they_are_rare() -> None:
    judge = make_judge(chain(forward=0.9), horizon=5, settings=SMALL)
    often, seldom = (judged.support for judged in judge.judge([always(1), always(0)], []))
    assert often is not None
    assert seldom is not None
    assert often.distance == pytest.approx(0.0, abs=0.1)
    assert seldom.distance == pytest.approx(np.sqrt(2 * np.log(9)), rel=0.1)


def test_coverage_says_how_episodes_end_and_how_random_actions_are() -> None:
    data = chain(forward=0.5, longest=12)
    found = make_judge(data, horizon=5, settings=SMALL).coverage
    assert found.terminals == pytest.approx(data.terminals.sum() / data.episodes)
    assert found.spread == pytest.approx(0.5, abs=0.1)
    assert not found.is_deterministic
    assert make_judge(bandit(deviation=0.001), settings=SMALL).coverage.is_deterministic


def test_volume_counts_filled_cells() -> None:
    diagonal = np.linspace(0, 1, 100)[:, None].repeat(2, axis=1)
    assert volume(diagonal) == pytest.approx(0.1)
    assert volume(np.array([[0.0], [1.0]])) == pytest.approx(0.2)
