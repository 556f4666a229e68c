"""Linear programs over the visits x(s, a) = E[Σ_t γ^t 1(s_t = s, a_t = a)] of policies.

The visits of all policies form the polytope of x ≥ 0 with
Σ_a x(s′, a) = d_0(s′) + γ Σ_{s,a} P(s′|s, a) x(s, a), and V_f^π(d_0) = ⟨x, f⟩ for every f. Nothing
follows the end state, so this also holds for layered MDPs with γ = 1.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from instinct.data import Array
from instinct.errors import BadInput, InstinctError
from instinct.theory.linear import Matrix
from instinct.theory.mdp import MDP
from instinct.theory.support import reachable

FEASIBILITY = 1e-10
"""Tolerance of HiGHS for primal and dual constraints; the smallest that it accepts."""


class Constraint(NamedTuple):
    """The constraint V_f^π(d_0) ≤ bound."""

    f: Array
    bound: float


class SolvedProgram(NamedTuple):
    """The optimum of a linear program."""

    value: float
    """V_f^π(d_0)."""
    visits: Array
    """x, [S, A]."""
    multipliers: Array
    """Dual variables of the constraints."""


def maximize(
    mdp: MDP,
    f: Array,
    constraints: Sequence[Constraint] = (),
    *,
    allowed: Array | None = None,
    price: float | None = None,
) -> SolvedProgram:
    """Solve max_π V_f^π(d_0) under the constraints, with allowed actions only.

    With a price, all constraints may be violated by a common amount t ≥ 0, and the objective is
    V_f^π(d_0) - price · t.
    """
    pairs = np.ones(f.shape, np.bool_) if allowed is None else allowed
    there = reachable(mdp, pairs)
    chosen = np.flatnonzero(pairs & there[:, None])
    extra = 0 if price is None else 1
    gains = np.concatenate([-np.ravel(f)[chosen], [price] * extra])
    rows = [np.concatenate([np.ravel(one.f)[chosen], [-1.0] * extra]) for one in constraints]
    balance = flow_balance(mdp)[there][:, chosen]
    flow: Any = sparse.hstack([balance, sparse.csc_array((balance.shape[0], extra))])
    limited: Any = sparse.csr_array(np.array(rows)) if rows else None
    solved = linprog(
        gains,
        A_ub=limited,
        b_ub=[one.bound for one in constraints] if rows else None,
        A_eq=flow,
        b_eq=mdp.initial[there],
        method="highs-ipm",
        options={
            "primal_feasibility_tolerance": FEASIBILITY,
            "dual_feasibility_tolerance": FEASIBILITY,
        },
    )
    if solved.status == 2:
        raise BadInput("no policy satisfies the constraints of the linear program; relax them")
    if solved.status != 0 or solved.x is None:
        raise InstinctError(f"the linear program could not be solved: {solved.message}")
    visits = np.zeros(f.size)
    visits[chosen] = np.maximum(solved.x[: len(chosen)], 0)
    multipliers = np.maximum(-solved.ineqlin.marginals, 0) if rows else np.zeros(0)
    return SolvedProgram(float(visits @ np.ravel(f)), visits.reshape(f.shape), multipliers)


def flow_balance(mdp: MDP) -> Matrix:
    """Return the matrix [S, S·A] of outflow minus inflow per state; it maps visits to d_0."""
    pairs = np.arange(mdp.rewards.size)
    leaving = sparse.csr_array((np.ones(len(pairs)), (pairs // mdp.actions, pairs)))
    return sparse.csr_array(leaving - mdp.continuation.T)


def policy_from_visits(visits: Array, otherwise: Array, least: float = 0.0) -> Array:
    """Return π(a|s) = x(s, a) / Σ_a x(s, a), and the other policy in states that are not visited.

    A state counts as visited if its visits are above `least`.
    """
    total = visits.sum(axis=1, keepdims=True)
    seen = total > least
    return np.where(seen, visits / np.where(seen, total, 1), otherwise)
