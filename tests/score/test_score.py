"""Scores of datasets whose answer is known."""

from dataclasses import replace

import numpy as np
import pytest

import instinct
from instinct.data import Box, Dataset, remove
from instinct.errors import BadInput
from instinct.score import score_dataset
from instinct.score.cells import cut_into_cells, nearest
from instinct.score.measures import distinct_pairs, survival_values, to_go
from tests.data.datasets import small


def walks(falls: float, seed: int = 0, episodes: int = 60) -> Dataset:
    """Record up to 20 steps of reward 1; action -1 falls with the given probability, 1 never."""
    random = np.random.default_rng(seed)
    actions, terminals, timeouts = [], [], []
    for _ in range(episodes):
        for step in range(20):
            action = random.choice([-1.0, 1.0])
            fallen = action < 0 and random.random() < falls
            actions.append(action)
            terminals.append(fallen)
            timeouts.append(step == 19 and not fallen)
            if fallen:
                break
    rows = len(actions)
    ends = np.array(terminals) | np.array(timeouts)
    points = np.concatenate([[0.0], random.normal(size=rows)])
    return Dataset(
        observations=points[:-1, None],
        actions=np.array(actions)[:, None],
        rewards=np.ones(rows),
        next_observations=np.where(ends, 0.0, points[1:])[:, None],
        terminals=np.array(terminals),
        timeouts=np.array(timeouts),
        action_space=Box.of(1),
    )


def test_the_grid_world_is_exact() -> None:
    """Every policy in the support reaches the goal, as the theory says: the bias is infinite."""
    found = score_dataset(instinct.load("gridworld"), "gridworld")
    assert found.score == pytest.approx(1)
    assert found.positive_bias == np.inf
    assert (found.low, found.high) == pytest.approx((1, 1))


def test_agents_that_can_tell_what_falls_reach_more_than_the_behavior() -> None:
    found = score_dataset(walks(falls=0.4))
    assert found.end == "fall"
    assert found.score > float(found.measures["TQ"] or 0) + 0.03
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.score < found.high
    assert f"{found.score:.0%}" in found.sentence


def test_the_score_depends_on_nothing_but_data_and_seed() -> None:
    one, other = (replace(score_dataset(walks(0.2)), seconds=0.0) for _ in range(2))
    assert one == other


def test_a_cut_counts_as_leaving_the_data() -> None:
    """Falls that a filter removed are not forgotten; without the mark nothing ever ends."""
    data = walks(falls=0.4)
    cut = remove(data, data.terminals)
    cells = cut_into_cells(cut)
    assert cut.cuts is not None
    assert cut.cuts.any()
    assert (cells.following[cut.cuts] == cells.states).all()
    assert not cut.terminals.any()
    assert score_dataset(cut).score < 0.5
    assert score_dataset(replace(cut, cuts=None)).score == pytest.approx(1)


def test_few_episodes_have_no_interval() -> None:
    found = score_dataset(small())
    assert found.low is None
    assert "interval" not in found.sentence


def test_data_without_rewards_or_without_differences_are_refused() -> None:
    data = walks(0.2)
    without = data.change(rewards=np.zeros(len(data)))
    with pytest.raises(BadInput, match="every episode has the return 0"):
        score_dataset(without)
    with pytest.raises(BadInput, match="a score needs the true rewards"):
        score_dataset(replace(without, has_rewards=False))


def test_models_of_resampled_episodes_have_their_rows() -> None:
    cells = cut_into_cells(small())
    assert cells.rows(np.array([2, 0, 0])).tolist() == [5, 0, 1, 0, 1]
    assert cells.model(np.array([2, 0, 0])).observed.tolist() == [7, 1, 2, 1, 2]


def test_the_nearest_center() -> None:
    rows, centers = np.array([[0.1], [4.9], [5.2], [9.0]]), np.array([[0.0], [5.0], [10.0]])
    assert nearest(rows, centers).tolist() == [0, 1, 1, 2]


def test_measures_by_hand() -> None:
    data = small()
    assert to_go(data, data.rewards, 0.5).tolist() == [2, 2, 2.625, -0.75, 0.5, 7]
    lived = survival_values(data, falls=True)
    assert lived[[0, 1, 5]].tolist() == pytest.approx([1.99, 1, 1])
    assert lived[2:5] == pytest.approx([100, 100, 100])
    assert distinct_pairs(data) == 1
