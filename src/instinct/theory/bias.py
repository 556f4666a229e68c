"""The exact degree of positive data bias (definition 2, "Positive Data Bias")."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.cmdp import CMDP, check_delta, implicit_cmdp
from instinct.theory.lp import Constraint, maximize
from instinct.theory.mdp import MDP, Optimal

TOLERANCE = 1e-9
"""Values that differ by less than this, relative to the span, count as equal.

An action this close to the best one counts as optimal. An ε this small counts as zero.
"""


@dataclass(frozen=True, eq=False)
class Bias:
    """The regret of policies in Π†(δ) under the true rewards, which are those of the MDP.

    μ is 1/ε-positively biased for the reward class R̃ if for all δ ≥ 0
    max_{r̃ ∈ R̃} max_{π ∈ Π†_r̃(δ)} V_r^*(d_0) - V_r^π(d_0) ≤ ε + O(δ).
    The left side is concave in δ for every r̃ and continuous at 0. So the smallest ε is its value
    at δ = 0, where Π†_r̃(0) are the policies that take only optimal actions of C_μ(r̃).

    Without `rewards` the class is all rewards in [-1, 1]. Then the union of Π†_r̃(δ) over r̃ is
    {π: V_cμ^π(d_0) ≤ δ}: no Π†_r̃(δ) is larger, and r̃ = 0 makes every such policy optimal. The
    worst of them solves C_μ(-r), relaxed by δ. So the largest regret is ε + κ(δ) of C_μ(-r), and
    its slope at 0 is λ† of C_μ(-r).
    """

    mdp: MDP
    support: Array
    rewards: tuple[Array, ...] | None = None

    def __post_init__(self) -> None:
        if self.rewards is not None and not self.rewards:
            raise BadInput("the reward class is empty")

    @cached_property
    def best(self) -> float:
        """V_r^*(d_0)."""
        return float(self.mdp.initial @ self.mdp.optimal().V)

    @cached_property
    def problems(self) -> tuple[CMDP, ...]:
        """C_μ(r̃) for every r̃ of the class; for all rewards, C_μ(-r)."""
        rewards = (-self.mdp.rewards,) if self.rewards is None else self.rewards
        return tuple(implicit_cmdp(self.mdp, self.support, r) for r in rewards)

    @cached_property
    def worst(self) -> tuple[Optimal, ...]:
        """For every r̃ the policy in Π†_r̃(0) with the lowest true value; it maximizes -r."""
        return tuple(
            self.mdp.optimal(-self.mdp.rewards, optimal_pairs(problem)) for problem in self.problems
        )

    @cached_property
    def epsilon(self) -> float:
        """ε, the largest regret of an optimal policy of C_μ(r̃) for any r̃."""
        return max(max(self.best + float(self.mdp.initial @ worst.V) for worst in self.worst), 0.0)

    @property
    def degree(self) -> float:
        """1/ε; infinite if ε is at most the tolerance."""
        return float("inf") if self.epsilon <= self.tolerance else 1 / self.epsilon

    @property
    def tolerance(self) -> float:
        return TOLERANCE * max(1.0, self.mdp.span)

    def regret(self, delta: float) -> float:
        """Return the largest regret in Π†_r̃(δ) over all r̃."""
        check_delta(delta)
        if delta == 0:
            return self.epsilon
        if self.rewards is None:
            return self.epsilon + self.problems[0].kappa(delta)
        programs = [
            maximize(self.mdp, -self.mdp.rewards, constraints(problem, delta))
            for problem in self.problems
        ]
        return max(self.epsilon, max(self.best + program.value for program in programs))

    def curve(self, deltas: Iterable[float]) -> Array:
        """Return rows of δ and the largest regret."""
        return np.array([(delta, self.regret(delta)) for delta in deltas])

    @cached_property
    def slope(self) -> float:
        """The constant of O(δ): the smallest k with regret(δ) ≤ ε + k δ for all δ ≥ 0."""
        if self.rewards is None:
            return self.problems[0].multiplier
        return max(self._slope(problem) for problem in self.problems)

    def _slope(self, problem: CMDP) -> float:
        """Return sup_π (regret - ε) / δ, by Dinkelbach's method.

        δ is the smallest number with π in Π†_r̃(δ).
        """
        slope = 0.0
        while True:
            program = maximize(self.mdp, -self.mdp.rewards, constraints(problem, 0.0), price=slope)
            delta = max(float((program.visits * f).sum()) - b for f, b in constraints(problem, 0.0))
            gain = self.best + program.value - self.epsilon
            if gain - slope * delta <= self.tolerance or gain / delta <= slope:
                return slope
            slope = gain / delta


def optimal_pairs(problem: CMDP) -> Array:
    """Return the pairs that policies in Π†(0) may take, [S, A]."""
    Q, V, _ = problem.optimal
    tolerance = TOLERANCE * max(1.0, problem.mdp.span)
    return np.asarray(problem.viable & (V[:, None] - Q <= tolerance))


def constraints(problem: CMDP, delta: float) -> list[Constraint]:
    """Return the constraints of Π†(δ): V_r̃^π†(d_0) - V_r̃^π(d_0) ≤ δ and V_cμ^π(d_0) ≤ δ."""
    return [Constraint(-problem.rewards, delta - problem.value), Constraint(problem.costs, delta)]
