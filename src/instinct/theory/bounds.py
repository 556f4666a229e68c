"""The paper's bounds as functions, to be drawn beside what is measured."""

import math
from typing import Literal

import numpy as np

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.mdp import MDP
from instinct.theory.support import costs, reachable, viable

RateName = Literal["ATAC", "PSPI", "ARMOR", "CPPO", "VI-LCB", "PPI", "PQI", "MOReL"]


def required_admissibility(K: float, delta: float = 1.0) -> float:
    """Return R = K/δ + 2, which is enough for the guarantees of the Main Result at this δ.

    K bounds the sensitivity function κ, so that K/δ bounds the dual variable λ†_δ of the relaxed
    CMDP. With a horizon H the dual variable is 2H + 1 for any data (Finite-Horizon Version), so
    `required_admissibility(2 * H + 1)` is enough.
    """
    return K / delta + 2


def iota(delta: float, kappa: float) -> float:
    """ι = δ + κ(δ): the bound on V_cμ^π̂(d_0), and on leaving the support, with unlimited data."""
    return delta + kappa


def performance_bound(epsilon: float, slope: float, iota: float) -> float:
    """ε + O(ι) with the constant of the data: the bound on V_r^*(d_0) - V_r^π̂(d_0)."""
    return epsilon + slope * iota


def printed_kappa_bound(horizon: int, delta: float) -> float:
    """min{2H, (2H + 1) δ}, the printed bound on κ(δ) for a horizon H.

    It holds when leaving the support costs at least one, as with deterministic transitions; see
    `kappa_bound` for what holds always.
    """
    return min(2.0 * horizon, (2 * horizon + 1) * delta)


def leaving_cost(mdp: MDP, support: Array) -> float:
    """q, the least expected cost min_π V_cμ^π of a step after which the support may be left.

    The step is one that a policy that stayed in the support so far can take. Infinite if there
    is none. With deterministic transitions and γ = 1 it is at least one.
    """
    stay = viable(mdp, support)
    there = reachable(mdp, stay) & stay.any(axis=1)
    leave = there[:, None] & ~stay
    least = -mdp.optimal(-costs(support)).Q
    return float(least[leave].min()) if leave.any() else math.inf


def kappa_bound(mdp: MDP, support: Array, delta: float) -> float:
    """κ(δ) ≤ min{2 span, (2 span / q) δ} for every r̃ in [-1, 1], with q the least leaving cost.

    Follow any π, but stay in the support where π would first leave it: the value falls by at most
    2 span per chance of leaving (discounted to then), and V_cμ^π is at least q times that chance.
    So λ† ≤ 2 span / q.
    """
    return min(2 * mdp.span, 2 * mdp.span / leaving_cost(mdp, support) * delta)


def vi_lcb_bound(
    mdp: MDP, *, v_max: float, concentrability: float, transitions: int, failure: float
) -> float:
    """The bound on V_r̄^π(d_0) - V_r̄^π̂(d_0) for VI-LCB, with all its constants.

    γ^J 2 V_max + 64 V_max / (1-γ) · √(L |S||A| C (J+1) / N), with J = log N / (1-γ) rounds and
    L = 2000 log(2 (J+1) |S||A| / failure), at the comparator's concentrability C.
    """
    if mdp.horizon is not None:
        raise BadInput("the bound of VI-LCB is for discounted problems")
    pairs, gap = mdp.states * mdp.actions, 1 - mdp.discount
    J = math.floor(math.log(transitions) / gap)
    L = 2000 * math.log(2 * (J + 1) * pairs / failure)
    spread = math.sqrt(L * pairs * concentrability * (J + 1) / transitions)
    return mdp.discount**J * 2 * v_max + 64 * v_max / gap * spread


def regret_rate(
    algorithm: RateName,
    mdp: MDP,
    *,
    v_max: float,
    concentrability: float,
    transitions: Array | float,
    failure: float,
) -> Array:
    """What stands inside the O(·) of an algorithm's regret bound: its shape in N, not its size.

    V_max is R/(1-γ), R the range of the rewards it is admissible for.
    """
    if mdp.horizon is not None:
        raise BadInput("the rates of the algorithms are for discounted problems")
    S, A, C, gap = mdp.states, mdp.actions, concentrability, 1 - mdp.discount
    log, N = math.log(1 / failure), np.asarray(transitions, np.float64)
    match algorithm:
        case "ATAC" | "PSPI":
            return np.asarray(v_max / gap * (C * S * A * log / N) ** (1 / 3))
        case "ARMOR" | "CPPO":
            return np.asarray(np.sqrt(C) * v_max / gap * np.sqrt(S**2 * A * log / N))
        case "VI-LCB":
            return np.asarray(v_max * np.sqrt(S * A * C * log / (N * gap**3)))
        case "PPI" | "PQI":
            spread = np.sqrt(S * A * log / N) + np.sqrt(C * S * A) / N**0.25
            return np.asarray(v_max / gap**3 * spread)
        case "MOReL":
            return np.asarray(v_max / gap * (S**2 * A * log / N) ** 0.25)
