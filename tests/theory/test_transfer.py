"""The coefficients in the regret bounds of ATAC, PSPI, ARMOR and CPPO."""

import numpy as np
import pytest
from hypothesis import given

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.mdp import MDP
from instinct.theory.support import concentrability
from instinct.theory.transfer import (
    bellman_transfer,
    linear_bellman_transfer,
    model_concentrability,
    uncovered_error,
)
from tests.theory.random_mdps import random_mdp, random_policy, random_rewards, seeds, trials


def random_distribution(mdp: MDP, seed: int) -> Array:
    chances = np.random.default_rng([seed, 9]).dirichlet(np.ones(mdp.rewards.size))
    return np.asarray(chances.reshape(mdp.rewards.shape))


def one_state() -> tuple[MDP, Array]:
    """One state, two actions, γ = 0.5; the policy takes action 0."""
    mdp = MDP.dense(np.ones((1, 2, 1)), np.array([[1.0, 0.0]]), np.ones(1), 0.5)
    return mdp, np.array([[1.0, 0.0]])


def test_one_critic_by_hand() -> None:
    """f = (4, 1): errors are 4 - 1 - 2 = 1 and 1 - 0 - 2 = -1; f = (2, 4): 0 and 3."""
    mdp, policy = one_state()
    nu, mu = np.array([[1.0, 0.0]]), np.array([[0.25, 0.75]])
    critics = [np.array([[4.0, 1.0]]), np.array([[2.0, 4.0]])]
    assert bellman_transfer(mdp, critics, policy, nu, mu, mdp.rewards) == pytest.approx(1.0)
    assert bellman_transfer(mdp, critics[1:], policy, nu, mu, mdp.rewards) == 0.0


def test_errors_that_the_data_do_not_show_have_no_bound() -> None:
    """The critic (4, 2) is wrong by 1 at action 0, which the data do not have."""
    mdp, policy = one_state()
    critics = [np.array([[4.0, 2.0]])]
    nu, mu = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    assert bellman_transfer(mdp, critics, policy, nu, mu, mdp.rewards) == np.inf


@trials
@given(seeds)
def test_the_density_ratio_is_the_coefficient_of_all_tabular_critics(seed: int) -> None:
    """Lemma 6 with equality: an error can be at one pair alone."""
    mdp = random_mdp(seed)
    policy, mu, rewards = (
        random_policy(mdp, seed),
        random_distribution(mdp, seed),
        random_rewards(mdp, seed),
    )
    every = np.eye(mdp.rewards.size).reshape(-1, *mdp.rewards.shape)
    found = linear_bellman_transfer(mdp, every, policy, mdp.occupancy(policy), mu, rewards)
    assert found == pytest.approx(concentrability(mdp, policy, mu), rel=1e-6)


@trials
@given(seeds)
def test_a_smaller_class_has_a_smaller_coefficient(seed: int) -> None:
    """Lemma 6; the linear class contains the critics, so that its coefficient is in between."""
    mdp = random_mdp(seed)
    policy, mu, rewards = (
        random_policy(mdp, seed),
        random_distribution(mdp, seed),
        random_rewards(mdp, seed),
    )
    rng = np.random.default_rng([seed, 11])
    features = rng.normal(size=(3, *mdp.rewards.shape))
    critics = [np.tensordot(theta, features, 1) for theta in rng.normal(size=(20, 3))]
    nu = mdp.occupancy(policy)
    few = bellman_transfer(mdp, critics, policy, nu, mu, rewards)
    linear = linear_bellman_transfer(mdp, features, policy, nu, mu, rewards)
    assert few <= linear * (1 + 1e-8)
    assert linear <= concentrability(mdp, policy, mu) * (1 + 1e-8)


def test_the_second_term_is_the_part_of_the_regret_that_nu_does_not_cover() -> None:
    """With ν = 0 it is V_r^π(d_0) - f(d_0, π), by the performance difference lemma."""
    mdp = random_mdp(3)
    policy, f = random_policy(mdp, 3), np.random.default_rng(3).normal(size=mdp.rewards.shape)
    start = float(mdp.initial @ (policy * f).sum(axis=1))
    nothing = np.zeros(mdp.rewards.shape)
    gap = uncovered_error(mdp, f, policy, nothing)
    assert gap == pytest.approx(mdp.value(policy) - start)
    assert uncovered_error(mdp, f, policy, mdp.occupancy(policy)) == 0.0


def test_models_by_hand() -> None:
    """Wrong by 0.5 in the reward of action 0: 0.25 · 1 / (0.25 · 0.25) = 4; of both: 1."""
    mdp, policy = one_state()
    mu = np.array([[0.25, 0.75]])
    here = mdp.with_rewards(np.array([[0.5, 0.0]]))
    both = mdp.with_rewards(np.array([[0.5, 0.5]]))
    assert model_concentrability(mdp, [both], policy, mu) == pytest.approx(1)
    assert model_concentrability(mdp, [both, here], policy, mu) == pytest.approx(4)
    assert concentrability(mdp, policy, mu) == pytest.approx(4)


def test_models_with_other_transitions() -> None:
    """Two states that action 1 swaps; the model moves with 0.6 there, D_TV = 0.4."""
    P = np.zeros((2, 2, 2))
    P[:, 0] = np.eye(2)
    P[:, 1] = np.eye(2)[::-1]
    mdp = MDP.dense(P, np.zeros((2, 2)), np.array([1.0, 0.0]), 0.5)
    moved = P.copy()
    moved[0, 1] = [0.4, 0.6]
    model = MDP.dense(moved, np.array([[0.2, 0.0], [0.0, 0.0]]), mdp.initial, 0.5)
    half = np.full((2, 2), 0.5)
    mu = np.array([[0.5, 0.1], [0.2, 0.2]])
    visits = 0.5 * 0.75 * (0.04 + 0.16)
    expected = visits / (0.5 * 0.04 + 0.1 * 0.16)
    assert model_concentrability(mdp, [model], half, mu) == pytest.approx(expected)


def test_a_model_of_another_world() -> None:
    mdp, policy = one_state()
    with pytest.raises(BadInput, match="other states"):
        model_concentrability(mdp, [random_mdp(0)], policy, np.array([[0.5, 0.5]]))
