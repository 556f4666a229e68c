"""The regret of the admissibility definition, against enumeration of rewards and policies."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.admissibility import (
    admissibility_regret,
    admissible_degree,
    regret_against,
)
from instinct.theory.cmdp import CMDP, implicit_cmdp
from instinct.theory.mdp import MDP
from tests.theory.random_mdps import (
    all_deterministic,
    random_mdp,
    random_rewards,
    random_support,
    seeds,
    trials,
)


def corners(problem: CMDP, R: float) -> list[Array]:
    """Every r̄ that is -R or 1 at each pair out of support; a linear function is largest at one."""
    outside = np.argwhere(~problem.support)
    rewards = []
    for chosen in product([-R, 1.0], repeat=len(outside)):
        r = problem.rewards.copy()
        r[tuple(outside.T)] = chosen
        rewards.append(r)
    return rewards


def a_policy(mdp: MDP, seed: int) -> Array:
    shares = np.random.default_rng([seed, 8]).dirichlet(np.ones(mdp.actions), size=mdp.states)
    return np.asarray(shares)


def a_problem(seed: int) -> CMDP:
    mdp = random_mdp(seed, states=3)
    return implicit_cmdp(mdp, random_support(mdp, seed), random_rewards(mdp, seed))


@trials
@given(seeds, st.sampled_from([1.0, 3.0, 20.0]))
def test_one_comparator_by_enumeration(seed: int, R: float) -> None:
    problem = a_problem(seed)
    mdp, learned = problem.mdp, a_policy(problem.mdp, seed)
    for comparator in all_deterministic(mdp):
        most = max(mdp.value(comparator, r) - mdp.value(learned, r) for r in corners(problem, R))
        assert regret_against(problem, comparator, learned, R) == pytest.approx(most, abs=1e-8)


@trials
@given(seeds, st.sampled_from([1.0, 3.0, 20.0]))
def test_all_covered_comparators_by_enumeration(seed: int, R: float) -> None:
    """Deterministic policies are enough: for a fixed r̄ one of them is the best in the support."""
    problem = a_problem(seed)
    mdp, learned = problem.mdp, a_policy(problem.mdp, seed)
    covered = [
        policy for policy in all_deterministic(mdp) if mdp.value(policy, problem.costs) < 1e-12
    ]
    most = max(
        mdp.value(policy, r) - mdp.value(learned, r)
        for policy in covered
        for r in corners(problem, R)
    )
    assert admissibility_regret(problem, learned, R) == pytest.approx(most, abs=1e-8)


def two_actions() -> CMDP:
    """One state, γ = 0.5: the data have action 0 with r̃ = 0.5."""
    mdp = MDP.dense(np.ones((1, 2, 1)), np.array([[1.0, 0.0]]), np.ones(1), 0.5)
    return implicit_cmdp(mdp, np.array([[True, False]]), np.array([[0.5, 0.5]]))


def test_by_hand() -> None:
    """Half of the steps outside: V† = 1, V_r̄ = 2 (0.5 · 0.5 - 0.5 R) = 0.5 - R."""
    half = np.array([[0.5, 0.5]])
    assert admissibility_regret(two_actions(), half, 4.0) == pytest.approx(4.5)
    assert admissible_degree(two_actions(), half, 4.5) == pytest.approx(4.0)
    assert admissible_degree(two_actions(), half, 0.4) == 0


def test_a_policy_that_stays_is_admissible_for_every_degree() -> None:
    stays = np.array([[1.0, 0.0]])
    assert admissibility_regret(two_actions(), stays, 1000.0) == pytest.approx(0)
    assert admissible_degree(two_actions(), stays, 1e-9) == np.inf


def test_rewards_below_the_range_leave_no_reward_class() -> None:
    problem = implicit_cmdp(two_actions().mdp, two_actions().support, np.array([[-0.5, 0.0]]))
    with pytest.raises(BadInput, match="R must be larger"):
        admissibility_regret(problem, np.array([[1.0, 0.0]]), 0.2)
