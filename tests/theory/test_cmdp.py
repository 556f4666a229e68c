import numpy as np
import pytest
from hypothesis import given

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.bounds import kappa_bound, leaving_cost, printed_kappa_bound
from instinct.theory.cmdp import CMDP, implicit_cmdp
from instinct.theory.lp import Constraint, maximize
from instinct.theory.mdp import MDP, layered
from instinct.theory.support import costs, feasible, viable

from .random_mdps import (
    best_mixture,
    random_mdp,
    random_rewards,
    random_support,
    seeds,
    trials,
    values,
)

DELTAS = (1e-4, 0.1, 2.0)


def brute_force(cmdp: CMDP) -> tuple[Array, float]:
    """Return (V_r̃, V_cμ) of all deterministic policies, and V_r̃ of the best without cost."""
    pairs = values(cmdp.mdp, cmdp.rewards, cmdp.costs)
    return pairs, float(pairs[pairs[:, 1] <= 1e-12, 0].max())


def random_cmdp(seed: int) -> CMDP:
    mdp = random_mdp(seed, 4, 3)
    return implicit_cmdp(mdp, random_support(mdp, seed), random_rewards(mdp, seed))


def random_finite(seed: int, *, deterministic: bool) -> CMDP:
    """Return a layered CMDP with horizon 3."""
    base = random_mdp(seed, 3, 2)
    if deterministic:
        rng = np.random.default_rng(seed)
        P = np.eye(3)[rng.integers(3, size=(3, 2))]
        base = MDP.dense(P, base.rewards, base.initial, 0.9)
    mdp = layered(base, 3)
    return implicit_cmdp(mdp, random_support(mdp, seed), random_rewards(mdp, seed))


@trials
@given(seeds)
def test_the_optimum_equals_brute_force(seed: int) -> None:
    cmdp = random_cmdp(seed)
    pairs, best = brute_force(cmdp)
    solution = cmdp.solve()
    assert solution.value == pytest.approx(best, abs=1e-9)
    assert cmdp.mdp.value(solution.policy, cmdp.rewards) == pytest.approx(best, abs=1e-9)
    assert cmdp.mdp.value(solution.policy, cmdp.costs) == pytest.approx(0, abs=1e-12)
    for delta in DELTAS:
        relaxed = cmdp.solve(delta)
        mixed = best_mixture(pairs[:, 0], pairs[:, 1:], np.array([delta]))
        assert relaxed.value == pytest.approx(mixed, abs=1e-7)
        assert cmdp.mdp.value(relaxed.policy, cmdp.rewards) == pytest.approx(mixed, abs=1e-7)
        assert cmdp.mdp.value(relaxed.policy, cmdp.costs) <= delta + 1e-8
        assert relaxed.cost <= delta + 1e-8
    assert cmdp.kappa(0.1) == pytest.approx(cmdp.solve(0.1).value - best, abs=1e-7)


@trials
@given(seeds)
def test_the_linear_program_agrees_with_dynamic_programming(seed: int) -> None:
    cmdp = random_cmdp(seed)
    within = maximize(cmdp.mdp, cmdp.rewards, allowed=cmdp.viable)
    limited = maximize(cmdp.mdp, cmdp.rewards, [Constraint(cmdp.costs, 0.0)])
    assert within.value == pytest.approx(cmdp.value, abs=1e-8)
    assert limited.value == pytest.approx(cmdp.value, abs=1e-6)
    free = maximize(cmdp.mdp, cmdp.rewards)
    assert free.value - cmdp.value == pytest.approx(cmdp.bound, abs=1e-8)


@trials
@given(seeds)
def test_the_multiplier_is_the_steepest_gain(seed: int) -> None:
    cmdp = random_cmdp(seed)
    pairs, best = brute_force(cmdp)
    costly = pairs[pairs[:, 1] > 1e-12]
    steepest = max([0.0, *((costly[:, 0] - best) / costly[:, 1])])
    assert cmdp.multiplier == pytest.approx(steepest, rel=1e-7, abs=1e-7)
    lagrange = cmdp.rewards - cmdp.multiplier * cmdp.costs
    assert cmdp.mdp.initial @ cmdp.mdp.optimal(lagrange).V == pytest.approx(best, abs=1e-7)
    for delta in DELTAS:
        kappa = cmdp.kappa(delta)
        assert kappa <= cmdp.multiplier * delta + 1e-7
        assert kappa <= cmdp.bound + 1e-7
        assert cmdp.solve(delta).multiplier <= kappa / delta + 1e-5
        assert kappa <= kappa_bound(cmdp.mdp, cmdp.support, delta) + 1e-7


@trials
@given(seeds)
def test_the_papers_horizon_bound_holds_with_deterministic_transitions(seed: int) -> None:
    cmdp = random_finite(seed, deterministic=True)
    assert leaving_cost(cmdp.mdp, cmdp.support) >= 1
    assert cmdp.multiplier <= 2 * 3 + 1e-9
    for delta in DELTAS:
        assert cmdp.kappa(delta) <= printed_kappa_bound(3, delta) + 1e-7


@trials
@given(seeds)
def test_the_horizon_bound_by_leaving_cost_holds_with_random_transitions(seed: int) -> None:
    cmdp = random_finite(seed, deterministic=False)
    bound = 2 * 3 / leaving_cost(cmdp.mdp, cmdp.support)
    assert cmdp.multiplier <= bound + 1e-7
    for delta in DELTAS:
        assert cmdp.kappa(delta) <= min(6.0, bound * delta) + 1e-7


def test_the_optimum_of_a_layered_mdp_equals_brute_force() -> None:
    base = random_mdp(11, 2, 2)
    mdp = layered(base, 3)
    support = np.ones(mdp.rewards.shape, np.bool_)
    support[2, 0] = support[4, 1] = support[1, 0] = False
    cmdp = implicit_cmdp(mdp, support, random_rewards(mdp, 5))
    pairs, best = brute_force(cmdp)
    assert cmdp.value == pytest.approx(best)
    for delta in DELTAS:
        mixed = best_mixture(pairs[:, 0], pairs[:, 1:], np.array([delta]))
        assert cmdp.solve(delta).value == pytest.approx(mixed, abs=1e-7)


def gamble(staying: float) -> CMDP:
    """Staying has the reward `staying` forever; leaving has reward 1 and cost 1 forever."""
    P = np.zeros((2, 2, 2))
    P[0, 0, 0] = P[0, 1, 1] = P[1, :, 1] = 1
    rewards = np.array([[staying, 1.0], [1.0, 1.0]])
    mdp = MDP.dense(P, rewards, np.array([1.0, 0.0]), 0.5)
    return implicit_cmdp(mdp, np.array([[True, False], [False, False]]))


def test_the_sensitivity_may_reach_twice_the_span() -> None:
    assert gamble(-1.0).bound == gamble(-1.0).kappa(2.0) == pytest.approx(2 / (1 - 0.5))


def test_a_gamble_by_hand() -> None:
    cmdp = gamble(0.0)
    assert cmdp.value == 0
    assert cmdp.multiplier == pytest.approx(1)
    assert cmdp.kappa(0.5) == pytest.approx(0.5)
    assert cmdp.kappa(10) == cmdp.bound == pytest.approx(2)
    assert cmdp.solve(0.5).multiplier == pytest.approx(1)
    assert cmdp.solve(0.5).cost == pytest.approx(0.5)


def test_problems_without_a_solution_are_refused() -> None:
    mdp = random_mdp(0)
    with pytest.raises(BadInput, match="no policy stays in the support"):
        implicit_cmdp(mdp, np.zeros(mdp.rewards.shape, np.bool_))
    cmdp = implicit_cmdp(mdp, np.ones(mdp.rewards.shape, np.bool_))
    for delta in (-0.1, np.inf, np.nan):
        with pytest.raises(BadInput, match="at least 0"):
            cmdp.solve(delta)
        with pytest.raises(BadInput, match="at least 0"):
            cmdp.kappa(delta)
    with pytest.raises(BadInput, match="support has shape"):
        implicit_cmdp(mdp, np.ones((2, 2), np.bool_))
    with pytest.raises(BadInput, match="no policy satisfies"):
        maximize(mdp, mdp.rewards, [Constraint(-mdp.rewards, -1e3)])


def test_pairs_that_may_lead_to_a_dead_end_are_not_viable() -> None:
    P = np.zeros((3, 2, 3))
    P[0, 0, 0] = P[1, :, 2] = P[2, :, 2] = 1
    P[0, 1] = [0.9, 0.1, 0]
    mdp = MDP.dense(P, np.zeros((3, 2)), np.array([1.0, 0, 0]), 0.9)
    support = np.array([[True, True], [True, True], [False, False]])
    assert viable(mdp, support).tolist() == [[True, False], [False, False], [False, False]]
    assert not feasible(mdp, support & np.array([[False, True]]))
    assert costs(support).tolist() == [[0, 0], [0, 0], [1, 1]]
