"""The paper's bounds as functions: theorem 2, propositions 4 and 6 to 12."""

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
    """Return ι = δ + κ(δ) of the Main Result, without the o(1) term of finite data.

    It bounds V_cμ^π̂(d_0) and the probability of leaving the support.
    """
    return delta + kappa


def performance_bound(epsilon: float, slope: float, iota: float) -> float:
    """Return ε + O(ι), the bound of the Main Result on V_r^*(d_0) - V_r^π̂(d_0).

    The slope is the constant of O(ι), which depends on the data.
    """
    return epsilon + slope * iota


def printed_kappa_bound(horizon: int, delta: float) -> float:
    """Return min{2H, (2H + 1) δ}, the paper's bound on κ(δ) in the Finite-Horizon Version.

    It holds if leaving the support costs at least one, for example with deterministic transitions.
    `kappa_bound` holds in every case.
    """
    return min(2.0 * horizon, (2 * horizon + 1) * delta)


def leaving_cost(mdp: MDP, support: Array) -> float:
    """Return q, the lowest expected cost min_π V_cμ^π of a step that may leave the support.

    Only steps that follow a path inside the support count. q is infinite if there is no such step.
    With deterministic transitions and γ = 1 it is at least one.
    """
    stay = viable(mdp, support)
    there = reachable(mdp, stay) & stay.any(axis=1)
    leave = there[:, None] & ~stay
    least = -mdp.optimal(-costs(support)).Q
    return float(least[leave].min()) if leave.any() else math.inf


def kappa_bound(mdp: MDP, support: Array, delta: float) -> float:
    """Return min{2 span, (2 span / q) δ} ≥ κ(δ), for every r̃ in [-1, 1]; q is `leaving_cost`.

    Proof: follow any π, but stay in the support where π would first leave it. The value falls by
    at most 2 span times the (discounted) probability of leaving, and V_cμ^π is at least q times
    that probability. So λ† ≤ 2 span / q.
    """
    return min(2 * mdp.span, 2 * mdp.span / leaving_cost(mdp, support) * delta)


def vi_lcb_bound(
    mdp: MDP, *, v_max: float, concentrability: float, transitions: int, failure: float
) -> float:
    """Return the bound on V_r̄^π(d_0) - V_r̄^π̂(d_0) for VI-LCB, with all constants.

    See "Algorithm Specific Results", VI-LCB. The bound is
    γ^J 2 V_max + 64 V_max / (1-γ) · √(L |S||A| C (J+1) / N), with J = log N / (1-γ) rounds and
    L = 2000 log(2 (J+1) |S||A| / failure), at the comparator's concentrability C.
    """
    if mdp.horizon is not None:
        raise BadInput("the bound of VI-LCB needs a discounted MDP")
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
    """Return the term inside the O(·) of an algorithm's regret bound, without its constant.

    See "Algorithm Specific Results". V_max is R/(1-γ) for an R-admissible algorithm. The
    propositions on ATAC and PSPI, and on ARMOR and CPPO, have the coefficients of `transfer`, which
    are at most the concentrability of the corollaries.
    """
    if mdp.horizon is not None:
        raise BadInput("the regret rates need a discounted MDP")
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
