"""PQI: pessimistic Q iteration, which backs up only actions with enough data.

Liu et al., 2020, arXiv:2007.08202; see the paper's "Algorithm Specific Results", PPI and PQI:
algorithm 3, proposition 11.

(ζ∘f)(s, a) is f(s, a) if ζ(s, a) = 1[μ̂(s, a) ≥ b] is 1, and otherwise the smallest value of F. For
the original F = [0, V_max] that value is 0, and ζ∘f is usually written with 0. For the paper's
F = [-V_max, V_max] it is -V_max. With 0, an unseen action would look better than any seen action
with a negative value.
"""

from dataclasses import dataclass

import numpy as np

from instinct.data import Array
from instinct.tabular.model import Model, restrict
from instinct.tabular.pessimism import require_positive, span, value_limit
from instinct.tabular.solution import Solution
from instinct.theory.mdp import MDP, deterministic


@dataclass(frozen=True)
class FilterConfig:
    """The settings of PQI and PPI.

    The default threshold b minimizes the paper's bound for the given concentrability C:
    b = (2·C·|S||A|)^(-1/2)·N^(-1/4). On small data it removes most pairs. b = 0 keeps every pair
    of the data.
    """

    R: float = 1.0
    b: float | None = None
    concentrability: float = 1.0
    tolerance: float = 1e-6
    """Largest distance of the iterates from their limits, in units of value."""

    def __post_init__(self) -> None:
        require_positive(concentrability=self.concentrability, tolerance=self.tolerance)

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> "FilterConfig":  # noqa: ARG003
        """Keep every pair of the data; every step outside costs R."""
        return cls(R=R, b=0.0)


def filter_mask(model: Model, config: FilterConfig) -> Array:
    """Return ζ, [S, A]."""
    b = config.b
    if b is None:
        b = (2 * config.concentrability * model.support.size) ** -0.5 * len(model) ** -0.25
    return model.support & (model.distribution >= b)


def filtered_mdp(model: Model, config: FilterConfig) -> MDP:
    """Return the MDP whose backup is ζ∘f for the f with the smallest Bellman error.

    The backup of V is r̂ + γP̂V where ζ = 1, and -V_max elsewhere.
    """
    zeta = filter_mask(model, config)
    rewards = np.where(zeta, model.rewards, -value_limit(model, config.R)[:, None])
    return model.mdp(rewards, restrict(model.transitions, zeta))


def rounds(model: Model, R: float, tolerance: float) -> int:
    """Return the number of backups that bring values from 2·V_max apart to within the tolerance."""
    if model.horizon is not None:
        return model.horizon
    if model.discount == 0:
        return 1
    return int(np.ceil(np.log(tolerance / (2 * R * span(model))) / np.log(model.discount)))


def pqi(model: Model, config: FilterConfig) -> Solution:
    """Iterate f ← argmin_f of the Bellman error with the target r + γ·max_a′ (ζ∘f)(s′, a′).

    The first f is -V_max.
    """
    mdp = filtered_mdp(model, config)
    V = np.append(-value_limit(model, config.R), 0)
    for _ in range(rounds(model, config.R, config.tolerance)):
        Q = mdp.backup(V)
        V = Q.max(axis=1)
    return Solution(
        policy=deterministic(Q[:-1].argmax(axis=1), model.actions),
        Q=Q[:-1],
        V=V[:-1],
        objective=float(mdp.initial @ V),
        gap=0.0 if model.horizon else config.tolerance,
        certifies="V is the value of the best policy in the empirical model if actions that do "
        "not pass the filter give -R per step",
    )
