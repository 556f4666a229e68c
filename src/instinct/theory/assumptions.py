"""Which assumptions of the paper hold for an MDP, a data distribution and a reward class."""

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
"""Where κ is shown."""


class AssumptionCheck(NamedTuple):
    """Whether an assumption holds, by which numbers, in a sentence."""

    name: str
    holds: bool
    numbers: dict[str, float]
    sentence: str


def check_assumptions(
    mdp: MDP, mu: Array, rewards: Sequence[Array] | None = None
) -> list[AssumptionCheck]:
    """The assumptions on the data, for a finite reward class or all rewards in [-1, 1].

    Single-policy concentrability, then the four points of the data assumption (for a layered MDP
    the three points of its finite-horizon version, and the two others for completeness).
    """
    mu = np.asarray(mu, np.float64)
    covered = support(mdp, mu)
    bias = Bias(mdp, covered, None if rewards is None else tuple(rewards))
    results = [covers_optimal(mdp, mu), bounded_rewards(rewards), stays(mdp, covered)]
    if not results[-1].holds:
        why = "Not defined, as no policy stays in the support."
        names = [
            "positive bias",
            "bounded sensitivity",
            "vanishing sensitivity",
            "covered solution",
        ]
        return [*results, *(AssumptionCheck(name, False, {}, why) for name in names)]
    results.append(positive_bias(bias))
    if rewards is None:
        return results + regular_for_all(mdp, mu, covered)
    return results + regular(mdp, mu, bias.problems)


def covers_optimal(mdp: MDP, mu: Array) -> AssumptionCheck:
    """Single-policy concentrability, for some optimal policy."""
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


def bounded_rewards(rewards: Sequence[Array] | None) -> AssumptionCheck:
    """r̃(s, a) ∈ [-1, 1]."""
    low = -1.0 if rewards is None else min(float(r.min()) for r in rewards)
    high = 1.0 if rewards is None else max(float(r.max()) for r in rewards)
    sentence = f"The data rewards are between {low:.4g} and {high:.4g}."
    return AssumptionCheck(
        "bounded rewards", -1 <= low <= high <= 1, {"low": low, "high": high}, sentence
    )


def stays(mdp: MDP, covered: Array) -> AssumptionCheck:
    """There is a policy with V_cμ^π(d_0) ≤ 0."""
    holds = feasible(mdp, covered)
    cost = 0.0 if holds else -float(mdp.initial @ mdp.optimal(-costs(covered)).V)
    which = "Some policy" if holds else "No policy"
    sentence = f"{which} stays in the support: the least V_cμ is {cost:.4g}."
    return AssumptionCheck("feasible constraint", holds, {"least_cost": cost}, sentence)


def positive_bias(bias: Bias) -> AssumptionCheck:
    """μ is 1/ε-positively biased; any bounded reward has some ε, so the number is what counts."""
    most = bias.best + float(bias.mdp.initial @ bias.mdp.optimal(-bias.mdp.rewards).V)
    numbers = {"degree": bias.degree, "epsilon": bias.epsilon, "slope": bias.slope, "worst": most}
    sentence = (
        f"Optimal policies of the constrained problem lose at most {bias.epsilon:.4g} of the true "
        f"return, of {most:.4g} that can be lost."
    )
    return AssumptionCheck("positive bias", math.isfinite(bias.slope), numbers, sentence)


def regular(mdp: MDP, mu: Array, problems: Sequence[CMDP]) -> list[AssumptionCheck]:
    """κ(δ) ≤ K, κ(δ) → 0 and a covered π†, by the worst r̃ of a finite class."""
    K = max(problem.bound for problem in problems)
    multiplier = max(problem.multiplier for problem in problems)
    kappas = {d: max(problem.kappa(d) for problem in problems) for d in DELTAS}
    C = max(concentrability(mdp, problem.optimal.policy, mu) for problem in problems)
    return sensitivity(mdp, K, multiplier, kappas, C)


def regular_for_all(mdp: MDP, mu: Array, covered: Array) -> list[AssumptionCheck]:
    """The same for all rewards in [-1, 1], by bounds that hold for each of them."""
    multiplier = 2 * mdp.span / leaving_cost(mdp, covered)
    K = 2 * mdp.span if multiplier > 0 else 0.0
    kappas = {d: min(K, multiplier * d) for d in DELTAS}
    stay = viable(mdp, covered)
    visited = (mu > 0) & stay & reachable(mdp, stay)[:, None]
    return sensitivity(mdp, K, multiplier, kappas, float(mu.sum() / mu[visited].min()))


def sensitivity(
    mdp: MDP, K: float, multiplier: float, kappas: dict[float, float], C: float
) -> list[AssumptionCheck]:
    """The checks on κ and π†, from numbers that no r̃ of the class exceeds."""
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
        checks.append(horizon_bound(mdp.horizon, multiplier))
    return checks


def horizon_bound(horizon: int, multiplier: float) -> AssumptionCheck:
    """The printed κ(δ) ≤ min{2H, (2H + 1) δ}, which random transitions may break."""
    most = 2.0 * horizon + 1
    sentence = f"λ† is at most {multiplier:.4g}; the printed bound for the horizon is {most:g}."
    return AssumptionCheck(
        "finite-horizon sensitivity", multiplier <= most, {"bound": most}, sentence
    )
