"""Tell rounding from real differences, and real ranges from [-1, 1] up to rounding."""

import numpy as np

from instinct.data.arrays import Array
from instinct.data.spaces import Box

ROUNDING = 1e-5
"""Numbers with at most this relative difference differ only by rounding."""


def differ_by_rounding(a: Array, b: Array) -> Array:
    """Mark the rows that differ by no more than rounding. Whole numbers are never rounded."""
    if a.dtype.kind != "f":
        return np.asarray((a == b).all(axis=1))
    difference = np.abs(a.astype(np.float64) - b)
    return np.asarray((difference <= ROUNDING * (1 + np.abs(b))).all(axis=1))


def range_of_data(actions: Array) -> Box:
    """Return [-1, 1] for every dimension, or what the data span where they leave it."""
    usual = Box.of(actions.shape[1])
    low, high = actions.min(axis=0), actions.max(axis=0)
    for i in range(usual.dimension):
        extremes = np.array([[low[i]], [high[i]]])
        if differ_by_rounding(extremes, np.clip(extremes, -1, 1)).all():
            low[i], high[i] = -1, 1
        elif low[i] == high[i]:
            low[i], high[i] = min(low[i], 0), max(high[i], 0)
    return Box(tuple(low.tolist()), tuple(high.tolist()))
