"""The implicit CMDP C_μ(r̃) of the section "Survival Instinct" (equation 1, definitions 1 and 3).

C_μ(r̃) is the problem max_π V_r̃^π(d_0) such that V_cμ^π(d_0) ≤ 0.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.lp import FEASIBILITY, Constraint, maximize, policy_from_visits
from instinct.theory.mdp import MDP, Optimal
from instinct.theory.support import costs, feasible, viable

TOLERANCE = 1e-11
"""Gains below this, relative to the span, count as zero."""


class CMDPSolution(NamedTuple):
    """An optimal policy of max_π V_r̃^π(d_0) such that V_cμ^π(d_0) ≤ δ."""

    value: float
    """V_r̃^π(d_0), not normalized."""
    cost: float
    """V_cμ^π(d_0)."""
    policy: Array
    multiplier: float
    """An optimal Lagrange multiplier of the constraint; for δ = 0 the smallest, λ†."""


@dataclass(frozen=True, eq=False)
class CMDP:
    """C_μ(r̃), from an MDP, a support [S, A] and data rewards r̃ [S, A].

    The MDP is discounted or layered. All results are exact: at δ = 0 by dynamic programming over
    the pairs from which the support need not be left, at δ > 0 by a linear program over visits.
    """

    mdp: MDP
    support: Array
    rewards: Array

    def __post_init__(self) -> None:
        if self.support.shape != self.mdp.rewards.shape:
            need = list(self.mdp.rewards.shape)
            raise BadInput(f"the support has shape {list(self.support.shape)}, not {need}")
        if not feasible(self.mdp, self.support):
            raise BadInput(
                "no policy stays in the support of the data from every initial state, so the "
                "constrained problem has no solution; the data must cover all steps of some policy"
            )

    @cached_property
    def costs(self) -> Array:
        """c_μ."""
        return costs(self.support)

    @cached_property
    def viable(self) -> Array:
        """Pairs that a policy with V_cμ = 0 may take."""
        return viable(self.mdp, self.support)

    @cached_property
    def optimal(self) -> Optimal:
        """Q†, V† and π† among the policies that stay in the support."""
        return self.mdp.optimal(self.rewards, self.viable)

    @property
    def value(self) -> float:
        """V_r̃^π†(d_0)."""
        return float(self.mdp.initial @ self.optimal.V)

    def solve(self, delta: float = 0.0) -> CMDPSolution:
        """Solve the relaxed CMDP, whose constraint is V_cμ^π(d_0) ≤ δ."""
        check_delta(delta)
        if delta == 0:
            return CMDPSolution(self.value, 0.0, self.optimal.policy, self.multiplier)
        program = maximize(self.mdp, self.rewards, [Constraint(self.costs, delta)])
        policy = policy_from_visits(program.visits, self.optimal.policy, FEASIBILITY)
        cost = float((program.visits * self.costs).sum())
        return CMDPSolution(program.value, cost, policy, float(program.multipliers[0]))

    def kappa(self, delta: float) -> float:
        """Return the sensitivity function κ(δ) = max_{π ∈ Π†(δ)} V_r̃^π(d_0) - V_r̃^π†(d_0).

        It is at most λ† δ.
        """
        check_delta(delta)
        if self.multiplier == 0:
            return 0.0
        return max(self.solve(delta).value - self.value, 0.0)

    @cached_property
    def bound(self) -> float:
        """The smallest K with κ(δ) ≤ K for all δ: the gain of r̃ outside of the support."""
        return max(float(self.mdp.initial @ self.mdp.optimal(self.rewards).V) - self.value, 0.0)

    @cached_property
    def multiplier(self) -> float:
        """λ†, the smallest λ ≥ 0 with max_π V_r̃^π(d_0) - λ V_cμ^π(d_0) = V_r̃^π†(d_0).

        Slater's condition does not hold, but the problem is a linear program, so multipliers
        exist. They are [λ†, ∞), and λ† = sup_π (V_r̃^π - V_r̃^π†) / V_cμ^π = κ′(0+). Newton's method
        on the convex, piecewise linear function max_π V_r̃^π - λ V_cμ^π finds the supremum.
        """
        multiplier = 0.0
        while True:
            lagrange = self.mdp.optimal(self.rewards - multiplier * self.costs)
            tolerance = TOLERANCE * max(1.0, self.mdp.span) * max(1.0, multiplier)
            if float(self.mdp.initial @ lagrange.V) <= self.value + tolerance:
                return multiplier
            gain = self.mdp.value(lagrange.policy, self.rewards) - self.value
            better = gain / self.mdp.value(lagrange.policy, self.costs)
            if better <= multiplier:
                return multiplier
            multiplier = better


def check_delta(delta: float) -> None:
    if not 0 <= delta < np.inf:
        raise BadInput(f"δ is {delta}; it must be at least 0 and finite")


def implicit_cmdp(mdp: MDP, support: Array, rewards: Array | None = None) -> CMDP:
    """Return C_μ(r̃), with the MDP's own rewards if none are given."""
    return CMDP(mdp, np.asarray(support, np.bool_), mdp.rewards if rewards is None else rewards)
