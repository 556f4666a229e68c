"""The lemmas of the paper's appendix hold on random MDPs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instinct.data import Array
from instinct.theory.cmdp import implicit_cmdp
from instinct.theory.mdp import MDP
from instinct.theory.support import concentrability, costs
from tests.theory.random_mdps import random_mdp, random_rewards, random_support, seeds, trials


def random_policy(mdp: MDP, seed: int) -> Array:
    shares = np.random.default_rng([seed, 5]).dirichlet(np.ones(mdp.actions), size=mdp.states)
    return np.asarray(shares)


def visits(mdp: MDP, policy: Array) -> Array:
    """d^π, by adding up Σ_t γ^t d_t until nothing is left to add."""
    P = np.asarray(mdp.transitions.toarray()).reshape(mdp.states, mdp.actions, -1)
    states, total = np.asarray(mdp.initial), np.zeros((mdp.states, mdp.actions))
    for t in range(400):
        pairs = states[:, None] * policy
        total += (1 - mdp.discount) * mdp.discount**t * pairs
        states = np.einsum("sa,sap->p", pairs, P)
    return total


@trials
@given(seeds)
def test_duality(seed: int) -> None:
    """Lemma 1: no policy gains against λ†, and no multiplier gains against π†."""
    mdp = random_mdp(seed)
    cmdp = implicit_cmdp(mdp, random_support(mdp, seed), random_rewards(mdp, seed))
    best = cmdp.solve()

    def lagrangian(policy: Array, multiplier: float) -> float:
        return mdp.value(policy, cmdp.rewards) - multiplier * mdp.value(policy, cmdp.costs)

    saddle = lagrangian(best.policy, best.multiplier)
    for other in range(5):
        assert lagrangian(random_policy(mdp, seed + other), best.multiplier) <= saddle + 1e-7
        assert lagrangian(best.policy, float(other * best.multiplier)) >= saddle - 1e-7


@trials
@given(seeds)
def test_performance_difference(seed: int) -> None:
    """Lemma 3: V^π(d_0) - h(d_0) = E_{d^π}[r(s, a) + γ E[h(s')] - h(s)] / (1 - γ) for any h."""
    mdp, policy = random_mdp(seed), random_policy(random_mdp(seed), seed)
    h = np.random.default_rng([seed, 7]).normal(size=mdp.states)
    gap = (visits(mdp, policy) * (mdp.backup(h) - h[:, None])).sum() / (1 - mdp.discount)
    assert mdp.value(policy) - mdp.initial @ h == pytest.approx(gap, abs=1e-9)


@trials
@given(seeds, st.sampled_from([0.2, 0.5, 1.0]))
def test_value_gaps(seed: int, alpha: float) -> None:
    """Lemma 4: few steps with a large cost advantage bound the loss of return."""
    mdp = random_mdp(seed)
    c = costs(random_support(mdp, seed))
    leaving = mdp.optimal(-c)
    near = leaving.V[:, None] - leaving.Q < alpha
    comparator = random_policy(mdp, seed + 1)
    gaps = mdp.v(comparator)[:, None] - mdp.q(comparator)
    beta = max(0.0, float(gaps[near].max(initial=0.0)))
    for other in range(5):
        policy = random_policy(mdp, seed + other)
        delta = mdp.value(policy, c)
        bound = (beta + delta / alpha) / (1 - mdp.discount)
        assert mdp.value(comparator) - mdp.value(policy) <= bound + 1e-9


@trials
@given(seeds)
def test_bellman_errors_transfer(seed: int) -> None:
    """Lemma 6: no squared Bellman error grows by more than the concentrability."""
    mdp = random_mdp(seed)
    policy = random_policy(mdp, seed)
    mu = np.random.default_rng([seed, 9]).dirichlet(np.ones(mdp.rewards.size))
    mu = mu.reshape(mdp.rewards.shape)
    largest = concentrability(mdp, policy, mu)
    for number in range(5):
        f = np.random.default_rng([seed, number]).normal(size=mdp.rewards.shape)
        error = np.square(f - mdp.backup((policy * f).sum(axis=1)))
        assert (visits(mdp, policy) * error).sum() <= largest * (mu * error).sum() + 1e-9
