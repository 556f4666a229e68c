"""What an estimator answers: an estimate with its interval, or a refusal with its reason."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from scipy import special

from instinct.data import Array

QUANTITIES = {
    "return": "return",
    "discounted_return": "discounted return",
    "cost": "cost",
    "length": "episode length",
    "end": "probability of an end",
}
"""What is estimated, per episode of at most `horizon` steps.

`length` is the expected time until an end or the horizon, and `end` the probability of reaching a
terminal before the horizon.
"""
LEVEL = 0.95
"""The nominal level of all intervals."""


@dataclass(frozen=True)
class Estimate:
    """A value with its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


@dataclass(frozen=True)
class Refusal:
    """A missing estimate, with its reason in one sentence."""

    reason: str


Answer = Estimate | Refusal
Answers = Mapping[str, Answer]
"""The answers about one policy, by quantity."""


def from_bootstrap(values: Array) -> Estimate:
    """Return mean and t interval of a value computed from several bootstrap samples.

    Their deviation is already that of one value: it is not divided by the root of their number.

    >>> import numpy as np
    >>> print(from_bootstrap(np.array([1.0, 2.0, 3.0])))
    2 (-2.303 to 6.303)
    """
    return t_interval(values, float(values.std(ddof=1)))


def from_jackknife(values: Array) -> Estimate:
    """Return mean and t interval of a value computed with one part left out at a time.

    With n parts the variance is (n − 1)/n·Σ(value − mean)².

    >>> import numpy as np
    >>> print(from_jackknife(np.array([1.0, 2.0, 3.0])))
    2 (-2.968 to 6.968)
    """
    return t_interval(values, float(values.std()) * math.sqrt(len(values) - 1))


def t_interval(values: Array, deviation: float) -> Estimate:
    """Return the mean, and the t interval of a value with this deviation."""
    mean = float(values.mean())
    half = float(special.stdtrit(len(values) - 1, (1 + LEVEL) / 2)) * deviation
    return Estimate(mean, mean - half, mean + half)


def within(estimate: Estimate, low: float = -math.inf, high: float = math.inf) -> Estimate:
    """Cut an estimate to the values that are possible."""
    return Estimate(
        *(min(max(x, low), high) for x in (estimate.value, estimate.low, estimate.high))
    )
