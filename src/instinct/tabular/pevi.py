"""PEVI: pessimistic value iteration with a finite horizon (Jin et al., 2021, arXiv:2012.15085).

Algorithm 4 of the paper; the value bounds per step are those of its appendix "Grid World".
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from instinct.data import Array
from instinct.errors import BadInput
from instinct.tabular.model import Model
from instinct.tabular.solution import Solution
from instinct.theory.mdp import deterministic

Bound = float | Sequence[float] | Array
"""One number for all steps, or one per step."""


@dataclass(frozen=True, eq=False)
class PEVIConfig:
    """β, and the bounds V_min,h and V_max,h as numbers or as arrays [H] for h = 1..H.

    The default bounds are those of `value_bounds` for rewards in [-1, 1].
    """

    beta: float = 1.0
    v_min: Bound | None = None
    v_max: Bound | None = None

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> "PEVIConfig":
        """Set V_min,h = -R·(H-h+1): every step out of support costs R. No penalty in support."""
        if model.horizon is None:
            raise BadInput("PEVI needs a model with a horizon")
        left = steps_remaining(model.horizon)
        return cls(beta=0.0, v_min=-R * left, v_max=left)


def steps_remaining(horizon: int) -> Array:
    """Return the number of remaining steps, H-h+1 for h = 1..H."""
    return np.arange(horizon, 0, -1.0)


def value_bounds(horizon: int, beta: float, least: Bound, most: Bound) -> tuple[Array, Array]:
    """Return the paper's V_min,h = Ṽ_min,h - β(H-h+1) - 1 and V_max,h = Ṽ_max,h.

    `least` and `most` are Ṽ_min,h and Ṽ_max,h, the smallest and largest possible returns from
    step h on. For rewards in [low, high] they are low·(H-h+1) and high·(H-h+1).
    """
    left = steps_remaining(horizon)
    v_min = np.broadcast_to(least, horizon) - beta * left - 1
    return v_min, np.broadcast_to(most, horizon).astype(np.float64)


def pevi(model: Model, config: PEVIConfig) -> Solution:
    """Run backward induction, h = H..1, with the penalty β/√n_h(s, a).

    Pairs without data have the value V_min,h. For the others
    Q̂_h(s, a) = clip(r̂_h(s, a) + E[V_{h+1}(s′)] - β/√n_h(s, a), V_min,h, V_max,h).
    """
    if model.horizon is None:
        raise BadInput("PEVI needs a model with a horizon")
    H, n, A = model.horizon, len(model.space), model.actions
    v_min, v_max = value_bounds(H, config.beta, -steps_remaining(H), steps_remaining(H))
    if config.v_min is not None:
        v_min = per_step(config.v_min, H, "v_min")
    if config.v_max is not None:
        v_max = per_step(config.v_max, H, "v_max")
    target = model.rewards - config.beta / np.sqrt(np.maximum(model.counts, 1))
    Q, V = np.empty((H * n, A)), np.zeros(H * n)
    for h in reversed(range(H)):
        now = slice(h * n, (h + 1) * n)
        later = np.asarray(model.transitions[now.start * A : now.stop * A] @ V)
        backed = np.clip(target[now] + later.reshape(n, A), v_min[h], v_max[h])
        Q[now] = np.where(model.support[now], backed, v_min[h])
        V[now] = Q[now].max(axis=1)
    return Solution(
        policy=deterministic(Q.argmax(axis=1), A),
        Q=Q,
        V=V,
        objective=float(model.initial @ V),
        gap=0.0,
        certifies="V is a lower bound of the policy's value if β covers the error of every backup",
    )


def per_step(bound: Bound, horizon: int, field: str) -> Array:
    try:
        return np.broadcast_to(np.asarray(bound, np.float64), horizon)
    except ValueError as fault:
        raise BadInput(
            f"needs one value, or {horizon} values, one per step", field=field
        ) from fault
