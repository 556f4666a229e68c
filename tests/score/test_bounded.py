"""Policies with π ≤ C μ in models that are small enough to solve by hand."""

import numpy as np
import pytest

from instinct.data import Array
from instinct.score.bounded import best_within, plan_within, play
from instinct.tabular.model import Model, States


def two_actions() -> Model:
    """One state: action 0 stays and earns 1, action 1 ends the world and earns 3."""
    return Model(
        space=States(np.zeros((1, 1))),
        actions=2,
        discount=0.5,
        horizon=None,
        pairs=np.repeat([0, 1], [3, 1]),
        observed=np.repeat([1.0, 3.0], [3, 1]),
        successors=np.repeat([0, 1], [3, 1]),
        starts=np.array([0]),
    )


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(1, [0.25, 0.25, 0.5]), (1.5, [0.25, 0, 0.75]), (np.inf, [0, 0, 1])],
)
def test_the_best_actions_are_taken_up_to_the_ratio(ratio: float, expected: list[float]) -> None:
    Q, behavior = np.array([[2.0, 1.0, 3.0]]), np.array([[0.25, 0.25, 0.5]])
    assert best_within(Q, behavior, ratio)[0] == pytest.approx(expected)


def test_an_action_without_data_is_never_taken() -> None:
    assert best_within(np.array([[9.0, 1.0]]), np.array([[0.0, 1.0]]), np.inf).tolist() == [[0, 1]]


def test_where_nothing_is_better_the_behavior_stays() -> None:
    behavior = np.array([[0.3, 0.7]])
    assert best_within(np.zeros((1, 2)), behavior, 1.25).tolist() == behavior.tolist()


def leaving(model: Model) -> Array:
    return np.array([[0.0, 1.0]]) * model.support


def test_zero_rewards_make_the_agent_survive() -> None:
    model = two_actions()
    policy = plan_within(model, np.zeros((1, 2)), leaving(model), ratio=1.2)
    assert policy[0] == pytest.approx([0.9, 0.1])
    greedy = plan_within(model, model.rewards, np.zeros((1, 2)), ratio=1.2)
    assert greedy[0] == pytest.approx([0.7, 0.3])


def test_returns_and_lengths_are_sums_over_the_steps() -> None:
    """Staying with 3/4: E[length of 2 steps] = 1 + 3/4, return = 3/2 · (1 + 3/4)."""
    model = two_actions()
    quantities = np.stack([model.rewards, np.ones((1, 2)), leaving(model)])
    value, length, ended = play(model, model.behavior, quantities, 2)
    assert (value, length, ended) == pytest.approx((2.625, 1.75, 1 - 0.75**2))
