import math

import numpy as np
import pytest
from hypothesis import given

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.bias import Bias
from instinct.theory.cmdp import implicit_cmdp
from instinct.theory.mdp import MDP, layered, repeat_over_time
from instinct.theory.support import costs

from .random_mdps import (
    best_mixture,
    random_mdp,
    random_rewards,
    random_support,
    seeds,
    trials,
    values,
)

DELTAS = (1e-3, 0.05, 2.0)


def one_state() -> MDP:
    """Return an MDP with one state and three actions, with rewards 1, 0.8 and 0."""
    rewards = np.array([[1.0, 0.8, 0.0]])
    return MDP.dense(np.ones((1, 3, 1)), rewards, np.ones(1), 0.5)


def test_one_state_by_hand() -> None:
    """V* = 2. The worst policy in the support loses 2 · 0.2; each unit of cost loses 0.8 more."""
    covered = np.array([[True, True, False]])
    bias = Bias(one_state(), covered)
    assert bias.epsilon == pytest.approx(0.4)
    assert bias.degree == pytest.approx(2.5)
    assert bias.slope == pytest.approx(0.8)
    assert bias.curve([0, 0.5, 10]) == pytest.approx(np.array([[0, 0.4], [0.5, 0.8], [10, 2]]))


def test_one_state_with_a_reward_class_by_hand() -> None:
    """A reward that prefers the best action allows other actions only up to δ."""
    covered = np.array([[True, True, False]])
    right = np.array([[0.5, 0.0, -1.0]])
    bias = Bias(one_state(), covered, (right,))
    assert bias.degree == math.inf
    # One step of action 1 loses 0.2 for δ = 0.5, one of action 2 loses 1 for δ = max(1.5, 1).
    assert bias.slope == pytest.approx(1 / 1.5)
    assert bias.regret(0.3) == pytest.approx(0.3 / 1.5)
    tie = np.array([[0.5, 0.5, -1.0]])
    assert Bias(one_state(), covered, (right, tie)).epsilon == pytest.approx(0.4)


@trials
@given(seeds)
def test_the_bias_for_a_reward_class_equals_brute_force(seed: int) -> None:
    mdp = random_mdp(seed, 4, 2)
    covered = random_support(mdp, seed)
    rewards = (random_rewards(mdp, seed), random_rewards(mdp, seed + 1))
    bias = Bias(mdp, covered, rewards)
    known = [values(mdp, mdp.rewards, f, costs(covered)) for f in rewards]
    stay = [v[v[:, 2] <= 1e-12] for v in known]
    best = [v[:, 1].max() for v in stay]
    best_true = max(v[:, 0].max() for v in known)
    worst = [v[v[:, 1] >= b - 1e-9, 0].min() for v, b in zip(stay, best, strict=True)]
    assert bias.epsilon == pytest.approx(best_true - min(worst), abs=1e-8)
    for delta in DELTAS:
        losses = [
            best_mixture(-v[:, 0], v[:, 1:] * [-1, 1], np.array([delta - b, delta]))
            for v, b in zip(known, best, strict=True)
        ]
        assert bias.regret(delta) == pytest.approx(best_true + max(losses), abs=1e-6)
        assert bias.regret(delta) <= bias.epsilon + bias.slope * delta + 1e-7


@trials
@given(seeds)
def test_the_bias_for_all_rewards_equals_brute_force(seed: int) -> None:
    mdp = random_mdp(seed, 4, 3)
    covered = random_support(mdp, seed)
    bias = Bias(mdp, covered)
    known = values(mdp, mdp.rewards, costs(covered))
    worst = known[known[:, 1] <= 1e-12, 0].min()
    assert bias.epsilon == pytest.approx(known[:, 0].max() - worst, abs=1e-8)
    for delta in DELTAS:
        lost = known[:, 0].max() + best_mixture(-known[:, 0], known[:, 1:], np.array([delta]))
        assert bias.regret(delta) == pytest.approx(lost, abs=1e-6)
        assert lost <= bias.epsilon + bias.slope * delta + 1e-7


@trials
@given(seeds)
def test_zero_rewards_are_the_worst_of_all_rewards(seed: int) -> None:
    mdp = random_mdp(seed, 5, 3)
    covered = random_support(mdp, seed)
    every, nothing = Bias(mdp, covered), Bias(mdp, covered, (np.zeros(mdp.rewards.shape),))
    some = Bias(mdp, covered, (random_rewards(mdp, seed), -mdp.rewards))
    assert nothing.epsilon == pytest.approx(every.epsilon, abs=1e-8)
    assert nothing.slope == pytest.approx(every.slope, abs=1e-6)
    assert some.epsilon <= every.epsilon + 1e-8
    assert some.regret(0.3) <= every.regret(0.3) + 1e-7


def test_the_true_reward_has_infinite_degree_if_an_optimal_policy_is_covered() -> None:
    mdp = random_mdp(7, 6, 3)
    covered = random_support(mdp, 7) | (mdp.optimal().policy > 0)
    assert Bias(mdp, covered, (mdp.rewards,)).degree == math.inf
    assert implicit_cmdp(mdp, covered).kappa(0.1) == 0


def test_layered_mdp_by_hand() -> None:
    """Three steps of the one-state MDP; the bad action is covered in the last step only."""
    mdp = layered(one_state(), 3)
    covered = repeat_over_time(np.array([[True, True, False]]), 3).astype(np.bool_)
    covered[2] = covered[-1] = True
    bias = Bias(mdp, covered)
    assert bias.epsilon == pytest.approx(0.2 + 0.2 + 1)
    assert bias.slope == pytest.approx(0.8)
    one: Array = repeat_over_time(np.array([[0.1, 0.2, 0.0]]), 3)
    assert Bias(mdp, covered, (one,)).epsilon == pytest.approx(0.6)


def test_an_empty_reward_class_is_refused() -> None:
    with pytest.raises(BadInput, match="class is empty"):
        Bias(one_state(), np.ones((1, 3), np.bool_), ())
