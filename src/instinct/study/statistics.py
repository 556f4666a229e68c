"""Statistics over episodes, seeds and tasks.

Scores are an array of runs × tasks; a one-dimensional array has the runs of one task. The
statistics also take a stack of such arrays, [..., runs, tasks], and return one value for each.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from instinct.data import Array
from instinct.errors import BadInput

DUST = 10
"""Decimals of rounded numbers: smaller differences come from the order of summation."""
RESAMPLES = 10_000
LEVEL = 0.95
CHUNK = 2**20
"""How many scores are resampled at once; this limits the memory."""

Statistic = Callable[..., Array]
"""Maps one or more arrays [..., runs, tasks] to values [...]."""


class Estimate(NamedTuple):
    mean: float
    stderr: float


class Interval(NamedTuple):
    """A statistic and its bootstrap interval."""

    value: float
    low: float
    high: float


class Profile(NamedTuple):
    """A performance profile: for every τ the fraction of runs above it, and its interval."""

    taus: Array
    fractions: Array
    low: Array
    high: Array


def estimate(values: Array) -> Estimate:
    """Return the mean and its standard error s/√n, with the sample deviation s."""
    stderr = values.std(ddof=1) / np.sqrt(len(values))
    return Estimate(round(float(values.mean()), DUST), round(float(stderr), DUST))


def mean(scores: Array) -> Array:
    """Return the mean over all runs and tasks."""
    return average(pooled(scores))


def interquartile_mean(scores: Array) -> Array:
    """Return the mean of all n scores without the ⌊n/4⌋ lowest and the ⌊n/4⌋ highest."""
    ordered = np.sort(pooled(scores), axis=-1)
    n = ordered.shape[-1]
    return average(ordered[..., n // 4 : n - n // 4])


def optimality_gap(scores: Array, best: float) -> Array:
    """Return J* - mean(min(x, J*)), the average gap to J*."""
    return best - average(np.minimum(pooled(scores), best))


def fractions_above(scores: Array, taus: Array) -> Array:
    """Return the fraction of runs with a score above τ, for every τ."""
    everything = pooled(scores)
    return np.stack([average(everything > tau) for tau in taus], axis=-1)


def probability_of_improvement(x: Array, y: Array) -> Array:
    """Return P(X > Y) + P(X = Y)/2 for runs on the same task, averaged over tasks.

    On each task this is the Mann-Whitney U of x divided by the number of pairs.
    """
    x, y = in_columns(x), in_columns(y)
    if x.shape[-1] != y.shape[-1]:
        raise BadInput(
            f"{x.shape[-1]} tasks cannot be compared with {y.shape[-1]}; give both the same tasks"
        )
    x, y = x[..., :, None, :], y[..., None, :, :]
    pairs = (-3, -2, -1)
    return np.asarray((x > y).mean(axis=pairs) + (x == y).mean(axis=pairs) / 2)


def interval(
    statistic: Statistic,
    *scores: Array,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Interval:
    """Compute a statistic of one or more arrays of scores and its stratified bootstrap interval.

    For example `interval(probability_of_improvement, x, y)`.
    """
    samples = [checked(each) for each in scores]
    low, high = limits(bootstrap(statistic, samples, seed, resamples), level)
    value, low, high = (round(float(each), DUST) for each in (statistic(*samples), low, high))
    return Interval(value, low, high)


def performance_profile(
    scores: Array,
    taus: Array,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Profile:
    """Compute the fraction of runs above every τ, with stratified bootstrap intervals."""
    samples = [checked(scores)]
    found = bootstrap(lambda each: fractions_above(each, taus), samples, seed, resamples)
    return Profile(taus, fractions_above(samples[0], taus), *limits(found, level))


def bootstrap(statistic: Statistic, samples: list[Array], seed: int, resamples: int) -> Array:
    """Compute the statistic of scores whose runs are drawn with replacement, task by task."""
    if min(len(sample) for sample in samples) < 2:
        raise BadInput("an interval needs two or more runs of every task; add seeds")
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


def limits(found: Array, level: float) -> Array:
    """Return the percentile interval of resampled values."""
    return np.quantile(found, [(1 - level) / 2, (1 + level) / 2], axis=0)


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


def pooled(scores: Array) -> Array:
    """Put the runs of all tasks in one axis."""
    return scores.reshape(*scores.shape[:-2], -1)


def average(values: Array) -> Array:
    return np.asarray(values.mean(axis=-1))
