"""Confidence intervals over few runs: Student's t, Fieller's for ratios, and BCa.

Samples are arrays of runs × tasks; every task is a stratum of its own. docs/statistics.md says
which interval is used for what, and why.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import special

from instinct.data import Array
from instinct.errors import BadInput

DUST = 10
"""Decimals of rounded numbers: smaller differences come from the order of summation."""
LEVEL = 0.95
RESAMPLES = 10_000
CHUNK = 2**20
"""How many scores are resampled at once; this limits the memory."""
FEW_RUNS = "an interval needs two or more runs of every task; add seeds"

Statistic = Callable[..., Array]
"""Maps one or more arrays [..., runs, tasks] to values [...]."""


class Interval(NamedTuple):
    """A statistic and its confidence interval."""

    value: float
    low: float
    high: float


class Mean(NamedTuple):
    """A mean over runs, with its standard error."""

    value: float
    stderr: float
    runs: int


class Spread(NamedTuple):
    """The variance of an estimate, and how many degrees of freedom this variance has."""

    variance: float
    freedom: float


def t_interval(statistic: Statistic, *scores: Array, level: float = LEVEL) -> Interval:
    """Return the t interval of a statistic, with its jackknife variance.

    For a mean this is Student's interval, for a difference of means Welch's.
    """
    samples = several_runs(scores)
    spread = combine(
        Spread((len(each) - 1) * float(np.var(each)), len(each) - 1)
        for each in jackknife(statistic, samples)
    )
    return around(float(statistic(*samples)), spread, level)


def mean_of(values: Array) -> Mean:
    """Return the mean of the runs of one task; one run has no standard error."""
    runs = len(values)
    stderr = float(np.std(values, ddof=1)) / math.sqrt(runs) if runs > 1 else 0.0
    return Mean(float(np.mean(values)), stderr, runs)


def mean_interval(mean: Mean, *, level: float = LEVEL) -> Interval:
    """Return Student's t interval of a mean."""
    return around(mean.value, spread_of(mean), level)


def difference_interval(one: Mean, other: Mean, *, level: float = LEVEL) -> Interval:
    """Return Welch's t interval of `one` minus `other`."""
    return around(one.value - other.value, combine(map(spread_of, (one, other))), level)


def spread_of(mean: Mean) -> Spread:
    if mean.runs < 2:
        raise BadInput(FEW_RUNS)
    return Spread(mean.stderr**2, mean.runs - 1)


def ratio_interval(numerator: Array, denominator: Array, *, level: float = LEVEL) -> Interval:
    """Return Fieller's t interval of the ratio of two means.

    It is unbounded where the denominator's own interval includes 0.
    """
    samples = several_runs((numerator, denominator))
    (a, va, na), (b, vb, nb) = (
        (float(each.mean()), float(each.var(ddof=1)) / len(each), len(each) - 1) for each in samples
    )
    if b == 0:
        return Interval(math.nan, -math.inf, math.inf)
    ratio = a / b
    spread = combine([Spread(va, na), Spread(ratio**2 * vb, nb)])
    t = quantile(spread.freedom, level)
    leading = b**2 - t**2 * vb
    if leading <= 0:
        return Interval(round(ratio, DUST), -math.inf, math.inf)
    root = t * math.sqrt(max(va * leading + vb * a**2, 0.0))
    return rounded(ratio, (a * b - root) / leading, (a * b + root) / leading)


def lowest(intervals: Iterable[Interval]) -> Interval:
    """Return the interval of the lowest of several values: the lowest of all ends.

    The lower end is at least as safe as that of one interval. The upper end fails if any of them
    fails: with three equal values, 95% intervals give 92.7%.
    """
    return Interval(*(min(ends) for ends in zip(*intervals, strict=True)))


def bca_interval(
    statistic: Statistic,
    *scores: Array,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Interval:
    """Return the BCa bootstrap interval; runs are resampled within their task."""
    samples = several_runs(scores)
    value = float(statistic(*samples))
    found = bootstrap(statistic, samples, seed, resamples)
    influence = np.concatenate(
        [(1 - 1 / len(each)) * (each.mean() - each) for each in jackknife(statistic, samples)]
    )
    below = (np.mean(found < value) + np.mean(found <= value)) / 2
    if not 0 < below < 1 or not influence.any():
        return rounded(value, float(found.min()), float(found.max()))
    bias = special.ndtri(below)
    acceleration = np.sum(influence**3) / (6 * np.sum(influence**2) ** 1.5)
    shifted = bias + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    ends = special.ndtr(bias + shifted / (1 - acceleration * shifted))
    return rounded(value, *np.quantile(found, ends))


def jackknife(statistic: Statistic, samples: list[Array]) -> Iterator[Array]:
    """Yield, for every task of every sample, the statistic without each of its runs.

    Runs are repeated so that all tasks keep the same number of rows and the same weight.
    """
    for number, sample in enumerate(samples):
        runs, tasks = sample.shape
        for task in range(tasks):
            stack = np.repeat(np.repeat(sample[None], runs, axis=0), runs - 1, axis=1)
            for run in range(runs):
                stack[run, :, task] = np.repeat(np.delete(sample[:, task], run), runs)
            others = [*samples[:number], stack, *samples[number + 1 :]]
            yield np.broadcast_to(statistic(*others), (runs,))


def bootstrap(statistic: Statistic, samples: list[Array], seed: int, resamples: int) -> Array:
    """Compute the statistic of scores whose runs are drawn with replacement, task by task."""
    random = np.random.default_rng(seed)
    size = max(1, CHUNK // sum(sample.size for sample in samples))
    return np.concatenate(
        [
            statistic(
                *(resample(sample, random, min(size, resamples - done)) for sample in samples)
            )
            for done in range(0, resamples, size)
        ]
    )


def resample(scores: Array, random: np.random.Generator, number: int) -> Array:
    """Draw `number` arrays like the given one, each column from the same column."""
    runs, tasks = scores.shape
    return scores[random.integers(runs, size=(number, runs, tasks)), np.arange(tasks)]


def combine(spreads: Iterable[Spread]) -> Spread:
    """Add independent variances; the degrees of freedom are Satterthwaite's."""
    known = [each for each in spreads if each.variance > 0]
    total = sum(each.variance for each in known)
    if not total:
        return Spread(0.0, math.inf)
    return Spread(total, total**2 / sum(each.variance**2 / each.freedom for each in known))


def around(value: float, spread: Spread, level: float) -> Interval:
    half = quantile(spread.freedom, level) * math.sqrt(spread.variance)
    return rounded(value, value - half, value + half)


def quantile(freedom: float, level: float) -> float:
    """Return the quantile of Student's t for a two-sided interval."""
    if math.isinf(freedom):
        return float(special.ndtri((1 + level) / 2))
    return float(special.stdtrit(freedom, (1 + level) / 2))


def rounded(value: float, low: float, high: float) -> Interval:
    return Interval(*(round(float(each), DUST) for each in (value, low, high)))


def several_runs(scores: Iterable[Array]) -> list[Array]:
    """Check samples, and that each has two runs or more."""
    samples = [checked(each) for each in scores]
    if min(len(sample) for sample in samples) < 2:
        raise BadInput(FEW_RUNS)
    return samples


def checked(scores: Array) -> Array:
    values = in_columns(np.asarray(scores, float))
    if values.ndim != 2 or not values.size:
        raise BadInput(f"scores must be runs × tasks, not of shape {list(np.shape(scores))}")
    if not np.isfinite(values).all():
        raise BadInput(
            "some scores are not finite; leave out the runs that failed, and report that"
        )
    return values


def in_columns(scores: Array) -> Array:
    """Make the runs of one task the only column."""
    return scores[:, None] if scores.ndim == 1 else scores
