"""The regret of definition 5 ("Admissibility"), measured exactly for a learned policy.

An algorithm is R-admissible if for every r̃ its policy π̂ has, for any policy π,
max_{r̄ ∈ R_R(r̃)} V_r̄^π(d_0) - V_r̄^π̂(d_0) ≤ E(π, μ). The rewards r̄ in R_R(r̃) equal r̃ in the
support of μ and are anything in [-R, 1] outside. E(π, μ) must vanish with more data for every π
that stays in the support, and may be anything for the others.
"""

import numpy as np

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.cmdp import CMDP


def harshest_reward(problem: CMDP, R: float) -> Array:
    """Return the r̄ in R_R(r̃) that is -R everywhere out of support, [S, A]."""
    least = float(problem.rewards[problem.support].min())
    if R < 0 or least < -R:
        raise BadInput(
            f"no reward in [-{R:g}, 1] equals the data rewards, which are as low as {least:g}; "
            "R must be larger"
        )
    return np.where(problem.support, problem.rewards, -R)


def regret_against(problem: CMDP, comparator: Array, policy: Array, R: float) -> float:
    """Return max_{r̄ ∈ R_R(r̃)} V_r̄^π(d_0) - V_r̄^π̂(d_0) for one comparator π.

    Exact: the difference is linear in r̄, so that every pair out of support has r̄ = 1 if π visits it
    more often than π̂ does, and r̄ = -R if not.
    """
    mdp = problem.mdp
    harsh = harshest_reward(problem, R)
    more = mdp.occupancy(comparator) > mdp.occupancy(policy)
    worst = np.where(~problem.support & more, 1.0, harsh)
    return mdp.value(comparator, worst) - mdp.value(policy, worst)


def admissibility_regret(problem: CMDP, policy: Array, R: float) -> float:
    """Return the largest such regret over all comparators that stay in the support.

    Exact: such a π visits nothing out of support, so that r̄ = -R there is the worst for every one
    of them, and the best of them is π† of C_μ(r̃). The regret is V_r̃^π†(d_0) - V_r̄^π̂(d_0). It is
    what E(π, μ) has to bound, and what vanishes with more data if the algorithm is R-admissible.
    """
    return problem.value - problem.mdp.value(policy, harshest_reward(problem, R))


def admissible_degree(problem: CMDP, policy: Array, regret: float) -> float:
    """Return the largest R at which the policy's admissibility regret is at most `regret`.

    Exact: the regret grows by V_cμ^π̂(d_0) with every unit of R. The degree is infinite if π̂ stays
    in the support with no more than this regret, and 0 if even R = 0 has more.
    """
    at_zero = problem.value - problem.mdp.value(
        policy, np.where(problem.support, problem.rewards, 0)
    )
    if at_zero > regret:
        return 0.0
    leaving = problem.mdp.value(policy, problem.costs)
    return float("inf") if leaving <= 0 else (regret - at_zero) / leaving
