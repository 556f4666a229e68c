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
    """The mean and its standard error s/√n, with the sample deviation s of two or more values."""
    stderr = values.std(ddof=1) / np.sqrt(len(values))
    return Estimate(round(float(values.mean()), DUST), round(float(stderr), DUST))
