"""Statistics over episodes, seeds and tasks, and their intervals.

Scores are an array of runs × tasks; a one-dimensional array has the runs of one task. The
statistics also take a stack of such arrays, [..., runs, tasks], and return one value for each.
"""

from typing import NamedTuple

import numpy as np

from instinct.data import Array
from instinct.errors import BadInput
from instinct.study.intervals import DUST as DUST
from instinct.study.intervals import (
    LEVEL,
    RESAMPLES,
    bca_interval,
    checked,
    in_columns,
    t_interval,
)
from instinct.study.intervals import Interval as Interval
from instinct.study.intervals import Statistic as Statistic

ENOUGH_RUNS = 10
"""BCa intervals need at least this many runs per task; with fewer they are too narrow."""


class Estimate(NamedTuple):
    mean: float
    stderr: float


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


def mean_difference(x: Array, y: Array) -> Array:
    """Return the mean of x minus the mean of y."""
    return mean(x) - mean(y)


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
    """Compute a statistic of one or more arrays of scores and its confidence interval.

    It is a t interval for means, their differences, and few runs, and a BCa interval for other
    statistics of many runs. For example `interval(probability_of_improvement, x, y)`.
    """
    few = min(len(checked(each)) for each in scores) < ENOUGH_RUNS
    if few or statistic in (mean, mean_difference):
        return t_interval(statistic, *scores, level=level)
    return bca_interval(statistic, *scores, seed=seed, resamples=resamples, level=level)


def performance_profile(scores: Array, taus: Array, *, level: float = LEVEL) -> Profile:
    """Compute the fraction of runs above every τ, with t intervals cut at 0 and 1."""
    values = checked(scores)
    found = [t_interval(mean, values > tau, level=level) for tau in taus]
    low, high = (np.clip([each[end] for each in found], 0, 1) for end in (1, 2))
    return Profile(taus, fractions_above(values, taus), low, high)


def pooled(scores: Array) -> Array:
    """Put the runs of all tasks in one axis."""
    return scores.reshape(*scores.shape[:-2], -1)


def average(values: Array) -> Array:
    return np.asarray(values.mean(axis=-1))
