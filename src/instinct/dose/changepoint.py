"""Where a response to a dose starts: a flat line that bends once.

The model is y(x) = a + b max(0, x - τ). τ has the smallest squared error over a grid. Its interval
is that of τ over means drawn around the measured ones, with the standard error that all doses
share.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from instinct.data import Array
from instinct.study.intervals import LEVEL, Interval, difference_interval, mean_of

GRID = 101
"""Values of τ between the lowest and the highest dose."""
DRAWS = 2000


class Changepoint(NamedTuple):
    """τ with its interval, and the change from the lowest to the highest dose."""

    dose: float
    low: float
    high: float
    change: Interval

    @property
    def matters(self) -> bool:
        """Whether the response at the highest dose differs from that at the lowest one."""
        return self.change.low > 0 or self.change.high < 0


def find_changepoint(
    doses: Array, values: Sequence[Array], seed: int = 0, *, level: float = LEVEL
) -> Changepoint | None:
    """Find where the values of several runs per dose start to change; None for single runs."""
    runs = np.array([len(each) for each in values])
    if len(doses) < 3 or runs.min() < 2:
        return None
    means = np.array([np.mean(each) for each in values])
    squares = sum(float(np.sum((each - np.mean(each)) ** 2)) for each in values)
    stderr = np.sqrt(squares / (runs.sum() - len(runs)) / runs)
    random = np.random.default_rng(seed)
    drawn = means + stderr * random.standard_normal((DRAWS, len(means)))
    ends = np.quantile(bend(doses, drawn), [(1 - level) / 2, (1 + level) / 2])
    change = difference_interval(mean_of(values[-1]), mean_of(values[0]), level=level)
    return Changepoint(float(bend(doses, means[None])[0]), float(ends[0]), float(ends[1]), change)


def bend(doses: Array, responses: Array) -> Array:
    """Return the τ that fits each row of responses best, [n]; the lowest of equally good ones."""
    grid = np.linspace(doses.min(), doses.max(), GRID)[:-1]
    errors = []
    for tau in grid:
        basis, _ = np.linalg.qr(np.stack([np.ones_like(doses), np.maximum(doses - tau, 0)], axis=1))
        errors.append(((responses - responses @ basis @ basis.T) ** 2).sum(axis=1))
    found = np.array(errors)
    good = found <= found.min(axis=0) + 1e-12 * (1 + (responses**2).sum(axis=1))
    return np.asarray(grid[good.argmax(axis=0)])
