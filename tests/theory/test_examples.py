import math
from collections.abc import Callable

import numpy as np
import pytest

from instinct.theory.bounds import kappa_bound, printed_kappa_bound
from instinct.theory.counterexamples import advantage_as_printed, any_policy, leak, stitched
from instinct.theory.examples import (
    Example,
    expert,
    goal,
    length_bias_by_advantage,
    length_bias_by_reward,
    near_expert,
    shaping,
    stochastic_expert,
)
from instinct.theory.garnet import garnet
from instinct.theory.mdp import deterministic
from instinct.theory.support import concentrability, feasible, support, viable

SEEDS = range(6)
DELTAS = (1e-3, 0.1, 3.0)


def assert_claim(example: Example, slope: float) -> None:
    """Check that the exact degree is at least the stated one, and regret ≤ ε + slope · δ."""
    bias = example.bias
    assert bias.degree >= example.degree * (1 - 1e-9)
    for delta in DELTAS:
        assert bias.regret(delta) <= 1 / example.degree + slope * delta + 1e-7


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_shaped_rewards(seed: int, epsilon: float) -> None:
    example = shaping(seed, epsilon, size=2)
    mdp, rewards = example.mdp, example.rewards
    assert rewards is not None
    assert max(np.abs(r).max() for r in rewards) <= 1
    assert concentrability(mdp, mdp.optimal().policy, example.mu) < math.inf
    # Outside the support, shaped rewards are in [-1/4, 3/4] and r̃ in [-1, 1].
    assert_claim(example, slope=1 + 1.75)


def test_shaped_rewards_without_noise_have_infinite_degree() -> None:
    assert shaping(0).degree == shaping(0).bias.degree == math.inf
    assert shaping(0, 0.05).degree == pytest.approx(0.1 / (2 * 0.05))


@pytest.mark.parametrize("seed", SEEDS)
def test_expert_data_have_infinite_degree(seed: int) -> None:
    example = expert(seed)
    assert example.bias.degree == math.inf
    assert_claim(example, slope=example.mdp.span)


@pytest.mark.parametrize("seed", SEEDS)
def test_near_expert_data(seed: int) -> None:
    example = near_expert(seed)
    assert example.bias.degree == pytest.approx(example.degree)
    assert_claim(example, slope=example.mdp.span)
    assert feasible(example.mdp, support(example.mdp, example.mu))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("make", "slope"), [(length_bias_by_reward, 1), (length_bias_by_advantage, 10)]
)
def test_length_bias(seed: int, make: Callable[[int], Example], slope: float) -> None:
    """The slopes are those of the two proofs, with R_max = 1 and 1/(1-γ) = 10."""
    example = make(seed)
    mdp = example.mdp
    assert concentrability(mdp, mdp.optimal().policy, example.mu) < math.inf
    assert_claim(example, slope)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_length_bias_conditions_hold(seed: int) -> None:
    by_reward = length_bias_by_reward(seed, 0.02)
    assert (1 - by_reward.mdp.rewards[by_reward.mu > 0]).max() <= 0.02
    assert by_reward.mdp.rewards.max() <= 1
    by_advantage = length_bias_by_advantage(seed, 0.05)
    Q, V, _ = by_advantage.mdp.optimal()
    assert (V[:, None] - Q)[by_advantage.mu > 0].max() <= 0.05


def test_length_bias_data_have_truncated_trajectories() -> None:
    stopped = 0
    for seed in SEEDS:
        example = length_bias_by_reward(seed)
        covered = support(example.mdp, example.mu)
        stopped += int((covered & ~viable(example.mdp, covered)).sum())
    assert stopped > 0


def test_a_small_leak_violates_the_papers_horizon_bound() -> None:
    cmdp = leak(0.01)
    assert cmdp.kappa(0.01) == pytest.approx(4)
    assert printed_kappa_bound(2, 0.01) == pytest.approx(0.05)
    assert cmdp.multiplier == pytest.approx(400)
    assert kappa_bound(cmdp.mdp, cmdp.support, 0.01) == pytest.approx(4)
    assert kappa_bound(cmdp.mdp, cmdp.support, 0.001) == pytest.approx(0.4)
    assert leak(1.0).kappa(0.1) <= printed_kappa_bound(2, 0.1)


def test_full_length_trajectories_can_be_stitched_to_worse_ones() -> None:
    example = stitched()
    assert example.degree == math.inf
    assert example.bias.epsilon == pytest.approx(1)


def test_data_of_a_bad_policy_have_a_finite_degree() -> None:
    example = any_policy()
    assert example.degree == math.inf
    assert example.bias.degree == pytest.approx(0.1)


def test_the_papers_advantage_condition_holds_for_all_data() -> None:
    example = advantage_as_printed(garnet(20, 3, 2, 0))
    Q, V, _ = example.mdp.optimal()
    assert (Q - V[:, None]).max() <= 1e-12
    assert example.bias.epsilon > 1


@pytest.mark.parametrize("horizon", [2, 5])
def test_goals_with_a_horizon_need_a_remedy(horizon: int) -> None:
    """Wandering for all H steps stays in the data and loses the goal's reward of 1."""
    wandering = goal("none", horizon)
    assert wandering.mdp.horizon == horizon
    assert wandering.bias.epsilon == pytest.approx(1)
    for example, steps in (
        (goal("extend", horizon), horizon + 1),
        (goal("cut", horizon), horizon),
    ):
        assert example.mdp.horizon == steps
        assert example.bias.best == pytest.approx(1)
        assert example.bias.degree == math.inf
        last = example.mu.reshape(-1)[: 4 * steps].reshape(steps, 2, 2)[-1]
        assert not last[0].any()
        assert last[1].all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stochastic_expert_can_be_imitated_but_has_no_bias(seed: int) -> None:
    example = stochastic_expert(seed)
    mdp, mu = example.mdp, example.mu
    best = float(mdp.initial @ mdp.optimal().V)
    imitated = deterministic(mu.argmax(axis=1), mdp.actions)
    assert mdp.value(imitated) == pytest.approx(best)
    worst = -float(mdp.initial @ mdp.optimal(-mdp.rewards).V)
    assert example.bias.epsilon == pytest.approx(best - worst)
