"""Statistics over episodes and seeds."""

from typing import NamedTuple

import numpy as np

from instinct.data import Array

DUST = 10
"""Decimals that are kept: what lies below is the order of summation."""


class Estimate(NamedTuple):
    mean: float
    stderr: float


def estimate(values: Array) -> Estimate:
    """The mean and its standard error, s/√n with the sample deviation s."""
    spread = values.std(ddof=1) if len(values) > 1 else np.nan
    return Estimate(
        round(float(values.mean()), DUST), round(float(spread / np.sqrt(len(values))), DUST)
    )
