"""The version space M^α (equation 12) of models that fit a dataset, and worst cases over it.

M^α is the set of all M with rewards in [-R, R] whose loss Σ -log P_M(s′|s,a) + (r_M(s,a) - r)²
exceeds the minimum by at most α. In terms of counts this is

    Σ_{s,a} n(s,a)·[KL(P̂(·|s,a) ‖ P_M(·|s,a)) + (r_M(s,a) - r̂(s,a))²] ≤ α.

`VersionSpace` is a relaxation: every pair may use all of α, once for its transitions and once for
its reward. It contains M^α, so a minimum over it is a lower bound of the minimum over M^α. It is
rectangular, so dynamic programming finds its minima. Out of support a model is arbitrary: the worst
one has the reward -R and leads to the worst state. The end state is a state with value 0. With a
horizon, a model can only lead to the next layer or to the end state.
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
    """Return α = |S|²|A|·log(1/δ), the paper's choice with the constant c = 1."""
    return model.states**2 * model.actions * float(np.log(1 / delta))


def require_alpha(alpha: float) -> None:
    """Refuse a negative α, for which M^α is empty."""
    if not alpha >= 0:
        raise BadInput(f"is {alpha:g}; it must not be negative", field="alpha")


def small_alpha(model: Model, R: float) -> float:
    """Return an α that lowers the value of a pair seen once by at most 1, and others by less.

    A reward changes by at most √(α/n), and a difference of two by twice that. Probabilities change
    by at most √(α/2n), which changes values by at most 2·V_max·√(α/2n).
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
        """√(α/n), [S, A]: the largest distance of a reward from its mean."""
        return np.sqrt(self.alpha / np.maximum(self.model.counts, 1))

    @cached_property
    def low(self) -> Array:
        """The lowest reward of every pair, [S, A]."""
        lowest = np.maximum(self.model.rewards - self.slack, -self.R)
        return np.where(self.model.support, lowest, -self.R)

    @cached_property
    def high(self) -> Array:
        """The highest reward of every pair, [S, A]."""
        highest = np.minimum(self.model.rewards + self.slack, self.R)
        return np.where(self.model.support, highest, self.R)

    @cached_property
    def seen(self) -> SupportRows:
        """Rows of P̂ of the pairs in support."""
        return SupportRows.of(self.model)

    def worst(self, V: Array) -> tuple[Array, Matrix]:
        """Return a lower bound of min_P Σ_s′ P(s′)·V(s′), [S, A], and P close to the minimum.

        V has a value for every state and a last one for the end state. P is [S·A, S].
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
        """Return for every state the worst possible next state, and its value."""
        S, n = self.model.states, len(self.model.space)
        if self.model.horizon is None:
            worst = int(V.argmin())
            return np.full(S, worst), np.full(S, V[worst])
        layers = V[:-1].reshape(-1, n)
        place = np.append(layers[1:].argmin(axis=1) + np.arange(n, S, n), S)
        place = np.where(V[place] <= V[-1], place, S)
        return np.repeat(place, n), np.repeat(V[place], n)
