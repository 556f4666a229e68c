"""The worst expectation over a KL ball around the empirical distribution, for many rows at once.

For a row with frequencies p̂ and values v, and an m that is at most every value,

    min { p·v : KL(p̂ ‖ p) ≤ x } = max_{ν ≤ m} ν + e^{-x}·exp(Σ p̂_i log(v_i - ν)),

where p may also have weight on an outcome with value m. The right side is concave in ν, and each ν
gives a lower bound. So the bound holds for any ν at which the search stops.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from instinct.data import Array
from instinct.tabular.model import Model

ACCURACY = 1e-10
"""Accuracy of a worst case, relative to the range of the row's values above m."""
LEAST = 1e-13
"""Smallest x; a smaller one is replaced by it, because of rounding errors."""
ROUNDING = 1e-15
"""Relative rounding error of sums, which limits the accuracy where u is large."""
STEPS = 100
"""Largest number of steps of Newton's method; a few are usual."""


@dataclass(frozen=True, eq=False)
class SupportRows:
    """The rows of P̂ of the pairs in support, with a last column for the end state."""

    pairs: Array
    counts: Array
    columns: Array
    chances: Array
    starts: Array
    lengths: Array

    @classmethod
    def of(cls, model: Model) -> "SupportRows":
        shape = (model.support.size, model.states + 1)
        table = sparse.csr_array(
            (np.ones(len(model)), (model.pairs, model.successors)), shape=shape
        )
        pairs = np.flatnonzero(model.support)
        lengths = np.diff(table.indptr)[pairs]
        counts = model.counts.ravel()[pairs]
        chances = table.data / np.repeat(counts, lengths)
        return cls(pairs, counts, table.indices, chances, table.indptr[pairs], lengths)

    def mean(self, values: Array) -> Array:
        """Return the mean under P̂ per row, from one value per entry."""
        return np.add.reduceat(self.chances * values, self.starts)

    def repeat(self, values: Array) -> Array:
        """Repeat one value per row for each of its entries."""
        return np.repeat(values, self.lengths)

    def select(self, rows: Array) -> "SupportRows":
        """Select rows by a mask."""
        entries = self.repeat(rows)
        lengths = self.lengths[rows]
        starts = np.cumsum(lengths) - lengths
        return SupportRows(
            self.pairs[rows],
            self.counts[rows],
            self.columns[entries],
            self.chances[entries],
            starts,
            lengths,
        )


def worst_expectation(
    rows: SupportRows, v: Array, m: Array, x: Array
) -> tuple[Array, Array, Array]:
    """Return a lower bound of the worst expectation of each row, and a distribution close to it.

    `v` has one value per entry, `m` and `x` have one per row. The distribution is returned as its
    weights on the entries, and its remaining weight on the outcome with value m.

    With u = m - ν and y = (v - m)/u the bound is m + u·(e^h - 1), h = Σ p̂ log(1 + y) - x, and the
    weights are p̂·e^h/(1 + y).
    """
    x = np.maximum(x, LEAST)
    above = np.maximum(v - rows.repeat(m), 0)
    u = best_offset(rows, above, x)
    y = above / rows.repeat(u)
    height = rows.mean(np.log1p(y)) - x
    weights = rows.chances * rows.repeat(np.exp(height)) / (1 + y)
    total = np.add.reduceat(weights, rows.starts)
    return (
        m + u * np.expm1(height),
        weights / rows.repeat(np.maximum(total, 1)),
        np.maximum(1 - total, 0),
    )


def best_offset(rows: SupportRows, above: Array, x: Array) -> Array:
    """Return the best u of each row: where the weights sum to one, or else close to 0.

    The weights sum to e^{c(u) - x} with c(u) = Σ p̂ log(1+y) + log Σ p̂/(1+y). log c is almost linear
    in log u, so Newton's method is used there, inside a bracket that every step makes smaller.
    """
    top = np.maximum.reduceat(above, rows.starts)
    bottom = np.minimum.reduceat(above, rows.starts)
    least = ACCURACY * np.where(top > 0, top, 1)
    most = np.maximum((top - bottom) / np.expm1(np.minimum(x, 700)) - bottom, least)
    u, rising = least.copy(), curve(rows, above, least)[0] > x
    if not rising.any():
        return u
    rows, above = rows.select(rising), above[rows.repeat(rising)]
    x, top, low, high = x[rising], top[rising], np.log(least[rising]), np.log(most[rising])
    deviation = rows.mean(above**2) - rows.mean(above) ** 2
    guess = np.log(np.maximum(deviation, 0) / (2 * x) + least[rising] ** 2) / 2
    t = np.clip(guess, low, high)
    for _ in range(STEPS):
        c, slope = curve(rows, above, np.exp(t))
        if (np.abs(np.expm1(c - x)) * np.exp(t) <= ACCURACY * top + ROUNDING * np.exp(t)).all():
            break
        low, high = np.where(c > x, t, low), np.where(c > x, high, t)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = t - np.log(c / x) * c / slope
        t = np.where((newton > low) & (newton < high), newton, (low + high) / 2)
    u[rising] = np.exp(t)
    return u


def curve(rows: SupportRows, above: Array, u: Array) -> tuple[Array, Array]:
    """Return c(u) and its derivative with respect to log u."""
    y = above / rows.repeat(u)
    share = 1 / (1 + y)
    mean, square = rows.mean(share), rows.mean(share * share)
    return rows.mean(np.log1p(y)) + np.log(mean), mean - square / mean
