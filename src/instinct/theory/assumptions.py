"""Check the paper's assumptions 1 to 3 for an MDP, a data distribution and a reward class."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from instinct.data import Array
from instinct.theory.bias import Bias, optimal_pairs
from instinct.theory.bounds import leaving_cost
from instinct.theory.cmdp import CMDP, implicit_cmdp
from instinct.theory.mdp import MDP
from instinct.theory.support import concentrability, costs, feasible, reachable, support, viable

DELTAS = (0.001, 0.01, 0.1, 1.0)
"""The δ at which κ(δ) is reported."""


class AssumptionCheck(NamedTuple):
    """The result for one assumption: whether it holds, its numbers, and a sentence."""

    name: str
    holds: bool
    numbers: dict[str, float]
    sentence: str


def check_assumptions(
    mdp: MDP, mu: Array, rewards: Sequence[Array] | None = None
) -> list[AssumptionCheck]:
    """Check the assumptions on the data, for a finite reward class or all rewards in [-1, 1].

    First Single-policy Concentrability, then the four points of the Data Assumption. For a layered
    MDP these include the three points of the Data Assumption (Finite Horizon).
    """
    mu = np.asarray(mu, np.float64)
    covered = support(mdp, mu)
    bias = Bias(mdp, covered, None if rewards is None else tuple(rewards))
    results = [
        check_concentrability(mdp, mu),
        check_bounded_rewards(rewards),
        check_feasibility(mdp, covered),
    ]
    if not results[-1].holds:
        why = "Not defined, because no policy stays in the support."
        names = [
            "positive bias",
            "bounded sensitivity",
            "vanishing sensitivity",
            "covered solution",
        ]
        return [*results, *(AssumptionCheck(name, False, {}, why) for name in names)]
    results.append(check_positive_bias(bias))
    if rewards is None:
        return results + check_regularity_for_all(mdp, mu, covered)
    return results + check_regularity(mdp, mu, bias.problems)


def check_concentrability(mdp: MDP, mu: Array) -> AssumptionCheck:
    """Check Single-policy Concentrability for some optimal policy."""
    pairs = optimal_pairs(implicit_cmdp(mdp, np.ones(mdp.rewards.shape, np.bool_)))
    covered = pairs & support(mdp, mu)
    policy = mdp.optimal(mdp.rewards, viable(mdp, covered)).policy
    if feasible(mdp, covered):
        C = concentrability(mdp, policy, mu)
        sentence = f"An optimal policy visits no pair more than {C:.4g} times as often as the data."
    else:
        C, sentence = math.inf, "Every optimal policy visits pairs that the data do not cover."
    return AssumptionCheck(
        "single-policy concentrability", math.isfinite(C), {"coefficient": C}, sentence
    )


def check_bounded_rewards(rewards: Sequence[Array] | None) -> AssumptionCheck:
    """Check r̃(s, a) ∈ [-1, 1] (Data Assumption, point 1)."""
    low = -1.0 if rewards is None else min(float(r.min()) for r in rewards)
    high = 1.0 if rewards is None else max(float(r.max()) for r in rewards)
    sentence = f"The data rewards are between {low:.4g} and {high:.4g}."
    return AssumptionCheck(
        "bounded rewards", -1 <= low <= high <= 1, {"low": low, "high": high}, sentence
    )


def check_feasibility(mdp: MDP, covered: Array) -> AssumptionCheck:
    """Check that a policy has V_cμ^π(d_0) ≤ 0 (Data Assumption, point 3)."""
    holds = feasible(mdp, covered)
    cost = 0.0 if holds else -float(mdp.initial @ mdp.optimal(-costs(covered)).V)
    which = "Some policy" if holds else "No policy"
    sentence = f"{which} stays in the support: the least V_cμ is {cost:.4g}."
    return AssumptionCheck("feasible constraint", holds, {"least_cost": cost}, sentence)


def check_positive_bias(bias: Bias) -> AssumptionCheck:
    """Compute the degree of positive bias (Data Assumption, point 2).

    Every bounded reward has some ε, so the number matters more than whether the check holds.
    """
    most = bias.best + float(bias.mdp.initial @ bias.mdp.optimal(-bias.mdp.rewards).V)
    numbers = {"degree": bias.degree, "epsilon": bias.epsilon, "slope": bias.slope, "worst": most}
    sentence = (
        f"Optimal policies of the constrained problem lose at most {bias.epsilon:.4g} of the true "
        f"return, of {most:.4g} that can be lost."
    )
    return AssumptionCheck("positive bias", math.isfinite(bias.slope), numbers, sentence)


def check_regularity(mdp: MDP, mu: Array, problems: Sequence[CMDP]) -> list[AssumptionCheck]:
    """Check κ(δ) ≤ K, κ(δ) → 0 and a covered π† (Data Assumption, point 4) for a finite class."""
    K = max(problem.bound for problem in problems)
    multiplier = max(problem.multiplier for problem in problems)
    kappas = {d: max(problem.kappa(d) for problem in problems) for d in DELTAS}
    C = max(concentrability(mdp, problem.optimal.policy, mu) for problem in problems)
    return sensitivity_checks(mdp, K, multiplier, kappas, C)


def check_regularity_for_all(mdp: MDP, mu: Array, covered: Array) -> list[AssumptionCheck]:
    """Check point 4 for all rewards in [-1, 1], with bounds that hold for each of them."""
    multiplier = 2 * mdp.span / leaving_cost(mdp, covered)
    K = 2 * mdp.span if multiplier > 0 else 0.0
    kappas = {d: min(K, multiplier * d) for d in DELTAS}
    stay = viable(mdp, covered)
    visited = (mu > 0) & stay & reachable(mdp, stay)[:, None]
    return sensitivity_checks(mdp, K, multiplier, kappas, float(mu.sum() / mu[visited].min()))


def sensitivity_checks(
    mdp: MDP, K: float, multiplier: float, kappas: dict[float, float], C: float
) -> list[AssumptionCheck]:
    """Return the checks on κ and π†, from upper bounds for all r̃ of the class."""
    named = {f"kappa({delta:g})": kappa for delta, kappa in kappas.items()}
    checks = [
        AssumptionCheck(
            "bounded sensitivity", math.isfinite(K), {"K": K}, f"κ(δ) is at most {K:.4g} for all δ."
        ),
        AssumptionCheck(
            "vanishing sensitivity",
            math.isfinite(multiplier),
            {"lambda": multiplier, **named},
            f"κ(δ) is at most {multiplier:.4g} · δ, which goes to zero with δ.",
        ),
        AssumptionCheck(
            "covered solution",
            math.isfinite(C),
            {"coefficient": C},
            f"π† visits no pair more than {C:.4g} times as often as the data.",
        ),
    ]
    if mdp.horizon is not None:
        checks.append(check_horizon_bound(mdp.horizon, multiplier))
    return checks


def check_horizon_bound(horizon: int, multiplier: float) -> AssumptionCheck:
    """Check the paper's κ(δ) ≤ min{2H, (2H + 1) δ}, which random transitions may violate."""
    most = 2.0 * horizon + 1
    sentence = f"λ† is at most {multiplier:.4g}; the paper's bound for the horizon is {most:g}."
    return AssumptionCheck(
        "finite-horizon sensitivity", multiplier <= most, {"bound": most}, sentence
    )
