"""PQI: pessimistic Q iteration, which backs up only actions that the data hold (Liu et al., 2020).

(ζ∘f)(s, a) is f(s, a) where ζ(s, a) = 1[μ̂(s, a) ≥ b], and the least value of F elsewhere. With the
original F = [0, V_max] that least value is 0, which is how ζ∘f is usually written. With the paper's
F = [-V_max, V_max] it is -V_max: with 0 an action never seen would look better than any seen one of
negative value.
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

    The threshold b, if not given, is the one that minimises the paper's bound for the given
    concentrability C: b = (2·C·|S||A|)^(-1/2)·N^(-1/4). On small data that filters out most pairs;
    0 keeps every pair that the data hold.
    """

    R: float = 1.0
    b: float | None = None
    concentrability: float = 1.0
    tolerance: float = 1e-6
    """How close to their limits the iterations are to come, in units of value."""

    def __post_init__(self) -> None:
        require_positive(concentrability=self.concentrability, tolerance=self.tolerance)

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> "FilterConfig":  # noqa: ARG003
        """Every pair of the data is kept; leaving them costs R at every step."""
        return cls(R=R, b=0.0)


def filter_mask(model: Model, config: FilterConfig) -> Array:
    """ζ, [S, A]."""
    b = config.b
    if b is None:
        b = (2 * config.concentrability * model.support.size) ** -0.5 * len(model) ** -0.25
    return model.support & (model.distribution >= b)


def filtered_mdp(model: Model, config: FilterConfig) -> MDP:
    """The MDP whose backup of V gives ζ∘f for the f of least Bellman error: r̂ + γP̂V, or -V_max."""
    zeta = filter_mask(model, config)
    rewards = np.where(zeta, model.rewards, -value_limit(model, config.R)[:, None])
    return model.mdp(rewards, restrict(model.transitions, zeta))


def rounds(model: Model, R: float, tolerance: float) -> int:
    """After so many backups, values that may reach 2·V_max apart are within the tolerance."""
    if model.horizon is not None:
        return model.horizon
    if model.discount == 0:
        return 1
    return int(np.ceil(np.log(tolerance / (2 * R * span(model))) / np.log(model.discount)))


def pqi(model: Model, config: FilterConfig) -> Solution:
    """f ← argmin_f of the Bellman error with the target r + γ·max_a′ (ζ∘f)(s′, a′), from -V_max."""
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
        certifies="V is the value, in the empirical model, of the best policy when leaving the "
        "kept actions earns -R per step",
    )
