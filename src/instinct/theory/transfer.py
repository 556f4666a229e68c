"""How errors on the data transfer to the visits of a policy (definitions 6 and 7, lemma 6).

The regret bounds of ATAC and PSPI have the Bellman error transfer coefficient C(ν; μ, F, π, r̄),
and those of ARMOR and CPPO have C_model(π; M_model, r̄). The corollaries replace both by the density
ratio sup d^π/μ, which is never smaller. `bounds.regret_rate` takes any of them.
"""

from collections.abc import Iterable

import numpy as np
from scipy.linalg import eigh

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.mdp import MDP

RANK = 1e-10
"""Errors this small on the data, relative to the largest, count as none."""


def bellman_error(mdp: MDP, f: Array, policy: Array, rewards: Array | None = None) -> Array:
    """Return f - r̄ - P^π f, [S, A], where (P^π f)(s, a) = γ E[f(s′, π)]."""
    following = (mdp.check_policy(policy) * f).sum(axis=1)
    return np.asarray(f - mdp.backup(following, rewards))


def transfer(errors: Iterable[Array], nu: Array, mu: Array) -> float:
    """Return the largest ‖e‖²_ν / ‖e‖²_μ of the errors, with 0/0 = 0.

    It is infinite if an error is zero on the data but not under ν.
    """
    return max((_ratio(np.square(error), nu, mu) for error in errors), default=0.0)


def bellman_transfer(
    mdp: MDP, critics: Iterable[Array], policy: Array, nu: Array, mu: Array, rewards: Array
) -> float:
    """Return C(ν; μ, F, π, r̄) for a finite class F of critics, exactly (definition 6)."""
    return transfer((bellman_error(mdp, f, policy, rewards) for f in critics), nu, mu)


def linear_bellman_transfer(
    mdp: MDP, features: Array, policy: Array, nu: Array, mu: Array, rewards: Array
) -> float:
    """Return C(ν; μ, F, π, r̄) for all critics f = Σ_i θ_i φ_i; features are φ, [d, S, A].

    The Bellman error is linear in (θ, 1), so that the supremum is the largest generalized
    eigenvalue of its second moments under ν and μ. It is exact for critics without a limit on
    their values, and an upper bound for those within [-V_max, V_max]. Features for every pair give
    the tabular class: then C is the density ratio, and lemma 6 is an equality.
    """
    zero = np.zeros(mdp.rewards.shape)
    rows = [bellman_error(mdp, f, policy, zero) for f in features] + [rewards]
    return _largest_ratio(np.array(rows).reshape(len(rows), -1), np.ravel(nu), np.ravel(mu))


def uncovered_error(
    mdp: MDP, f: Array, policy: Array, nu: Array, rewards: Array | None = None
) -> float:
    """Return ⟨d^π ∖ ν, r̄ + P^π f - f⟩ / (1-γ), the second term of the bounds of ATAC and PSPI.

    d^π ∖ ν is max(d^π - ν, 0). The term is zero for ν = d^π, which the corollaries choose.
    """
    outside = np.maximum(mdp.occupancy(policy) - nu, 0)
    return -float((outside * bellman_error(mdp, f, policy, rewards)).sum()) * mdp.span


def model_error(mdp: MDP, model: MDP, rewards: Array | None = None) -> Array:
    """Return E(M; r̄) = D_TV(P_M, P)² + (r_M - r̄)², [S, A]."""
    if model.transitions.shape != mdp.transitions.shape:
        raise BadInput("the model has other states or actions than the MDP")
    apart = abs(model.transitions - mdp.transitions).sum(axis=1) / 2
    told = mdp.rewards if rewards is None else rewards
    return np.asarray(apart.reshape(told.shape) ** 2 + (model.rewards - told) ** 2)


def model_concentrability(
    mdp: MDP, models: Iterable[MDP], policy: Array, mu: Array, rewards: Array | None = None
) -> float:
    """Return C_model(π; M_model, r̄) for a finite class of models, exactly (definition 7).

    For the class of all tabular models it is the density ratio, because a model can be wrong at one
    pair alone.
    """
    visits = mdp.occupancy(policy)
    return max((_ratio(model_error(mdp, one, rewards), visits, mu) for one in models), default=0.0)


def _ratio(error: Array, nu: Array, mu: Array) -> float:
    above, below = float((nu * error).sum()), float((mu * error).sum())
    if above == 0:
        return 0.0
    return above / below if below > 0 else float("inf")


def _largest_ratio(rows: Array, nu: Array, mu: Array) -> float:
    """Return sup_w ‖w @ rows‖²_ν / ‖w @ rows‖²_μ."""
    here, there = (rows * mu) @ rows.T, (rows * nu) @ rows.T
    sizes, directions = eigh(here)
    seen = sizes > RANK * max(float(sizes.max()), 1e-300)
    hidden = directions[:, ~seen]
    if hidden.size and np.abs(hidden.T @ there @ hidden).max() > RANK * max(
        np.trace(there), 1e-300
    ):
        return float("inf")
    if not seen.any():
        return 0.0
    white = directions[:, seen] / np.sqrt(sizes[seen])
    return float(eigh(white.T @ there @ white, eigvals_only=True).max())
