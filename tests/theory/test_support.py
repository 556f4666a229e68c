import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from instinct.data import Dataset, Discrete
from instinct.errors import BadInput
from instinct.theory.mdp import MDP, deterministic, layered, uniform
from instinct.theory.support import (
    concentrability,
    costs,
    empirical_distribution,
    feasible,
    out_of_support,
    support,
)

from .random_mdps import random_mdp, random_support, seeds, trials


def cliff(discount: float) -> MDP:
    """In state 0, action 1 leads to the absorbing state 1 with probability 1/4."""
    P = np.zeros((2, 2, 2))
    P[0, 0, 0] = P[1, :, 1] = 1
    P[0, 1] = [0.75, 0.25]
    return MDP.dense(P, np.zeros((2, 2)), np.array([1.0, 0.0]), discount)


def recording(lengths: list[int], states: list[int], actions: list[int]) -> Dataset:
    ends = np.zeros(len(states), np.bool_)
    ends[np.cumsum(lengths) - 1] = True
    following = np.array([*states[1:], 0])
    return Dataset(
        observations=np.array(states)[:, None],
        actions=np.array(actions),
        rewards=np.zeros(len(states)),
        next_observations=following[:, None],
        terminals=np.zeros(len(states), np.bool_),
        timeouts=ends,
        action_space=Discrete(2),
    )


def test_leaving_by_hand() -> None:
    """State 1 is out of support; it is entered at time t ≥ 1 with probability 0.25 · 0.75^(t-1)."""
    mdp = cliff(0.8)
    covered = np.array([[True, True], [False, False]])
    go = deterministic(np.array([1, 0]), 2)
    assert out_of_support(mdp, go, covered, steps=1) == 0
    assert out_of_support(mdp, go, covered, steps=2) == pytest.approx(0.25)
    assert out_of_support(mdp, go, covered, steps=4) == pytest.approx(1 - 0.75**3)
    expected = sum(0.8**t * 0.25 * 0.75 ** (t - 1) for t in range(1, 500))
    assert out_of_support(mdp, go, covered) == pytest.approx(expected)
    assert out_of_support(mdp, deterministic(np.array([0, 0]), 2), covered) == 0


@trials
@given(seeds)
def test_the_probability_of_leaving_is_at_most_the_cost(seed: int) -> None:
    """It equals (1-γ) Σ_t γ^t Prob(left by t), and is at most V_cμ as in the safety guarantee."""
    mdp = random_mdp(seed, 5, 2, 0.4)
    covered = random_support(mdp, seed)
    policy = np.random.default_rng(seed).dirichlet(np.ones(2), 5)
    leaving = out_of_support(mdp, policy, covered)
    by_then = [out_of_support(mdp, policy, covered, steps=t + 1) for t in range(25)]
    assert leaving == pytest.approx(0.6 * sum(0.4**t * p for t, p in enumerate(by_then)), abs=1e-9)
    assert leaving <= mdp.value(policy, costs(covered)) + 1e-12


@trials
@given(seeds)
def test_leaving_within_a_horizon_agrees_with_layers(seed: int) -> None:
    base = random_mdp(seed, 4, 2)
    mdp = layered(base, 4)
    covered = random_support(base, seed)
    over = support(mdp, np.vstack([np.tile(covered, (4, 1)), np.zeros((1, 2))]).astype(float))
    policy = np.random.default_rng(seed).dirichlet(np.ones(2), 4)
    layers = np.vstack([np.tile(policy, (4, 1)), [[0.5, 0.5]]])
    left = out_of_support(mdp, layers, over)
    assert left == pytest.approx(out_of_support(base, policy, covered, steps=4))
    assert left <= mdp.value(layers, costs(over)) + 1e-12


def test_concentrability_by_hand() -> None:
    mdp = cliff(0.5)
    stay = deterministic(np.array([0, 0]), 2)
    assert concentrability(mdp, stay, np.array([[0.2, 0.8], [0, 0]])) == pytest.approx(5)
    assert concentrability(mdp, stay, np.array([[2.0, 8.0], [0, 0]])) == pytest.approx(5)
    assert concentrability(mdp, uniform(mdp), np.array([[0.2, 0.8], [0, 0]])) == math.inf
    finite = layered(mdp, 2)
    mu = np.zeros(finite.rewards.shape)
    mu[[0, 2], 0] = [0.25, 0.75]
    layers = np.vstack([stay, stay, [[1, 0]]])
    assert concentrability(finite, layers, mu) == pytest.approx(2)


def test_the_end_state_is_always_in_the_support() -> None:
    P = np.zeros((2, 1, 2))
    P[:, :, 1] = 1
    mu = np.array([[1.0], [0.0]])
    rewards, initial = np.array([[1.0], [0.0]]), np.array([1.0, 0.0])
    stop, world = np.ones((2, 1)), MDP.dense(P, rewards, initial, 0.5)
    assert not feasible(world, support(world, mu))
    ending = replace(world, ends=True)
    assert feasible(ending, support(ending, mu))
    assert concentrability(ending, stop, mu) == pytest.approx(0.5)
    assert ending.value(stop) == 1
    back = MDP.dense(P[:, :, ::-1], rewards, initial, 0.5)
    with pytest.raises(BadInput, match="lead to itself"):
        replace(back, ends=True)


def test_the_distribution_of_a_dataset() -> None:
    mdp = cliff(0.5)
    dataset = recording([3, 1], [0, 0, 1, 0], [0, 1, 0, 0])
    assert empirical_distribution(mdp, dataset).tolist() == [[0.5, 0.25], [0.25, 0]]
    layers = empirical_distribution(layered(mdp, 3), dataset)
    assert layers.tolist() == [[0.5, 0], [0, 0], [0, 0.25], [0, 0], [0, 0], [0.25, 0], [0, 0]]
    assert support(layered(mdp, 3), layers)[-1].all()


def test_invalid_data_are_refused() -> None:
    mdp, one = cliff(0.5), recording([1], [0], [0])
    with pytest.raises(BadInput, match="shape"):
        support(mdp, np.ones(4))
    with pytest.raises(BadInput, match="not all zero"):
        support(mdp, np.zeros((2, 2)))
    with pytest.raises(BadInput, match="longer than the horizon of 2"):
        empirical_distribution(layered(mdp, 2), recording([3], [0, 0, 0], [0, 0, 0]))
    with pytest.raises(BadInput, match="below 2"):
        empirical_distribution(mdp, recording([1], [2], [0]))
    with pytest.raises(BadInput, match="2 discrete actions"):
        empirical_distribution(mdp, replace(one, action_space=Discrete(3)))
    real = one.observations.astype(np.float32)
    with pytest.raises(BadInput, match="must be state numbers"):
        empirical_distribution(mdp, replace(one, observations=real, next_observations=real))
