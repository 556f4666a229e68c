"""The models that fit a dataset: M^α, and the worst that they can do.

M^α holds every M with rewards in [-R, R] whose loss Σ -log P_M(s′|s,a) + (r_M(s,a) - r)² exceeds
the least possible one by at most α. In counts that excess is

    Σ_{s,a} n(s,a)·[KL(P̂(·|s,a) ‖ P_M(·|s,a)) + (r_M(s,a) - r̂(s,a))²] ≤ α.

`VersionSpace` is a relaxation: every pair may spend the whole α by itself, once on its transitions
and once on its reward. It contains M^α, so that a minimum over it is a lower bound of that over
M^α; and it is rectangular, so that its minima obey a dynamic program. Out of support a model may
do anything, so the worst pays -R and leads to the worst state. The end of the world is a state like
any other, of value 0; with a horizon a model can only lead to the next layer or to the end.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from instinct.data import Array
from instinct.errors import BadInput
from instinct.tabular.kl_ball import SupportRows, worst_expectation
from instinct.tabular.model import Model
from instinct.tabular.pessimism import span, value_limit
from instinct.theory.linear import Matrix


def paper_alpha(model: Model, delta: float) -> float:
    """α = |S|²|A|·log(1/δ), the paper's choice with its constant c = 1."""
    return model.states**2 * model.actions * float(np.log(1 / delta))


def require_alpha(alpha: float) -> None:
    """Refuse an α that no model fits."""
    if not alpha >= 0:
        raise BadInput(f"is {alpha:g}; it must not be negative", field="alpha")


def small_alpha(model: Model, R: float) -> float:
    """An α at which a pair seen once may lower its value by at most 1, and others by less.

    The reward gives way by √(α/n) at most, a difference of two by twice that; probabilities by
    √(α/2n), which moves values by at most 2·V_max·√(α/2n).
    """
    return float((2 + np.sqrt(2) * R * span(model)) ** -2)


@dataclass(frozen=True, eq=False)
class VersionSpace:
    """The rectangular relaxation of M^α for one α and R."""

    model: Model
    alpha: float
    R: float

    def __post_init__(self) -> None:
        value_limit(self.model, self.R)
        require_alpha(self.alpha)

    @cached_property
    def slack(self) -> Array:
        """√(α/n): how far a reward may be from its mean, [S, A]."""
        return np.sqrt(self.alpha / np.maximum(self.model.counts, 1))

    @cached_property
    def low(self) -> Array:
        """The lowest reward of every pair, [S, A]."""
        lowest = np.maximum(self.model.rewards - self.slack, -self.R)
        return np.where(self.model.support, lowest, -self.R)

    @cached_property
    def high(self) -> Array:
        """The highest."""
        highest = np.minimum(self.model.rewards + self.slack, self.R)
        return np.where(self.model.support, highest, self.R)

    @cached_property
    def seen(self) -> "SupportRows":
        return SupportRows.of(self.model)

    def worst(self, V: Array) -> tuple[Array, Matrix]:
        """min_P Σ_s′ P(s′)·V(s′) from below, [S, A], and transitions [S·A, S] close to it.

        V has a value for every state and, last, one for the end of the world.
        """
        seen, size = self.seen, self.model.support.size
        where, value = self.worst_successors(V)
        floor = value[seen.pairs // self.model.actions]
        bound, weights, rest = worst_expectation(
            seen, V[seen.columns], floor, self.alpha / seen.counts
        )
        bounds = np.repeat(value, self.model.actions)
        bounds[seen.pairs] = bound
        missing = np.ones(size)
        missing[seen.pairs] = rest
        rows = np.concatenate([np.repeat(seen.pairs, seen.lengths), np.arange(size)])
        columns = np.concatenate([seen.columns, np.repeat(where, self.model.actions)])
        data = np.concatenate([weights, missing])
        shape = (size, self.model.states + 1)
        kernel = sparse.csr_array((data, (rows, columns)), shape=shape)
        return bounds.reshape(-1, self.model.actions), kernel[:, :-1]

    def worst_successors(self, V: Array) -> tuple[Array, Array]:
        """For every state the worst state that may follow, and its value."""
        S, n = self.model.states, len(self.model.space)
        if self.model.horizon is None:
            worst = int(V.argmin())
            return np.full(S, worst), np.full(S, V[worst])
        layers = V[:-1].reshape(-1, n)
        place = np.append(layers[1:].argmin(axis=1) + np.arange(n, S, n), S)
        place = np.where(V[place] <= V[-1], place, S)
        return np.repeat(place, n), np.repeat(V[place], n)
