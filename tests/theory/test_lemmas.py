"""The lemmas of the paper's appendix hold on random MDPs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.cmdp import implicit_cmdp
from instinct.theory.counterexamples import no_way_back
from instinct.theory.mdp import MDP
from instinct.theory.support import concentrability, costs, support, viable
from instinct.theory.value_gaps import (
    cost_gaps,
    near_actions,
    return_gap,
    supported_gap_bound,
    value_gap_bound,
)
from tests.theory.random_mdps import (
    random_mdp,
    random_policy,
    random_rewards,
    random_support,
    seeds,
    trials,
)


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


def lowest_costs(mdp: MDP, c: Array) -> tuple[Array, Array]:
    """Q* and V* of minimizing the cost, by value iteration."""
    P = np.asarray(mdp.transitions.toarray()).reshape(mdp.states, mdp.actions, -1)
    V = np.zeros(mdp.states)
    for _ in range(400):
        Q = c + mdp.discount * P @ V
        V = Q.min(axis=1)
    return Q, V


@trials
@given(seeds, st.sampled_from([0.2, 0.5, 1.0]))
def test_value_gaps(seed: int, alpha: float) -> None:
    """Lemma 4: few steps with a large cost advantage bound the loss of return."""
    mdp = random_mdp(seed)
    covered = random_support(mdp, seed)
    Q, V = lowest_costs(mdp, costs(covered))
    near = near_actions(mdp, covered, alpha)
    gaps = Q - V[:, None]
    assert np.all(near | (gaps > alpha - 1e-9))
    assert np.all(~near | (gaps < alpha + 1e-9))
    comparator = random_policy(mdp, seed + 1)
    beta = return_gap(mdp, comparator, near)
    inside = return_gap(mdp, comparator, near & covered)
    for other in range(5):
        policy = random_policy(mdp, seed + other)
        delta = mdp.value(policy, costs(covered))
        loss = mdp.value(comparator) - mdp.value(policy)
        assert loss <= value_gap_bound(mdp, beta, delta, alpha) + 1e-9
        assert loss <= supported_gap_bound(mdp, inside, delta, alpha) + 1e-9


@trials
@given(seeds)
def test_near_actions_are_in_the_support_where_it_need_not_be_left(seed: int) -> None:
    """The paper's α = 1 is the condition on the support at these states, and only there."""
    mdp = random_mdp(seed)
    covered = random_support(mdp, seed)
    stays: Array = np.any(viable(mdp, covered), axis=1, keepdims=True)
    near = near_actions(mdp, covered, 1.0)
    assert covered[near & stays].all()


def test_near_actions_can_be_out_of_support() -> None:
    """`no_way_back`, by hand: V_cμ* is 0 in state 0, 1 in state 1 and 10 in state 2."""
    mdp, mu, _, _ = no_way_back()
    covered = support(mdp, mu)
    gaps = cost_gaps(mdp, covered)
    assert gaps == pytest.approx(np.array([[0.0, 0.9], [8.0, 0.0], [0.0, 0.0]]))
    best = mdp.optimal().policy
    assert return_gap(mdp, best, covered) == pytest.approx(0)
    assert return_gap(mdp, best, near_actions(mdp, covered, 1.0)) == pytest.approx(1)
    leaving = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    delta = mdp.value(leaving, costs(covered))
    loss = mdp.value(best) - mdp.value(leaving)
    assert (delta, loss) == pytest.approx((0.9 / 0.19, 0.9 / 0.19))
    assert loss <= supported_gap_bound(mdp, 0.0, delta) < value_gap_bound(mdp, 1.0, delta, 1.0)
    assert no_way_back().bias.degree == np.inf


def test_alpha_is_positive() -> None:
    mdp = random_mdp(0)
    with pytest.raises(BadInput, match="α"):
        near_actions(mdp, random_support(mdp, 0), 0.0)


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
