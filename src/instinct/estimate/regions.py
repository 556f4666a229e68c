"""Where in the data something happens: how its states differ from all others, by column."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from instinct.data import Array, Dataset
from instinct.deep import TrainedPolicy
from instinct.estimate.behavior import Behavior
from instinct.estimate.policies import actions_at, has_memory
from instinct.estimate.problem import Problem
from instinct.estimate.support import FAR, ROWS

FARTHEST = 0.1
"""The share of recorded states, those farthest from the behavior, that is compared with others."""
LISTED = 3
DIFFERENT = 0.3
"""Columns that differ by fewer deviations are not listed."""
UNUSUAL, BOTH_KINDS = 2.0, 0.1
"""Deviations of an unusual reward; the share of good and of bad ends from which both exist."""
FEWEST = 10
"""Fewer rows say nothing about a region."""


@dataclass(frozen=True)
class Contrast:
    """The values of one column of observations within a region, in the units of the data."""

    column: str
    difference: float
    """The mean within minus the mean of the other rows, in deviations of the column."""
    low: float
    high: float
    """The middle half of the values within."""
    mean: float
    """The mean of all rows."""


@dataclass(frozen=True)
class Leaving:
    """Where policies leave the data: the recorded states at which they act farthest from them."""

    outside: float
    """The share of recorded states and policies where the action is outside."""
    distance: float
    """The smallest distance within the region, in deviations of the behavior."""
    columns: tuple[Contrast, ...]


@dataclass(frozen=True)
class Ends:
    """Where recorded episodes end by a terminal."""

    share: float
    """The share of episodes that do."""
    steps: float
    """Their mean number of steps."""
    columns: tuple[Contrast, ...]
    """How the state before the end differs from all others."""
    kind: Literal["all", "low-reward"] = "all"
    """Which ends `columns` are about: those with a low reward, if others have a high one."""


def where_policies_leave(
    problem: Problem, behavior: Behavior, policies: Sequence[TrainedPolicy]
) -> Leaving | None:
    """Compare the tenth of states where policies are farthest from the behavior with the rest."""
    readable = [each for each in policies if not has_memory(each)]
    if not readable:
        return None
    rows = problem.rows(ROWS)
    states = problem.observations[rows]
    distances = np.stack(
        [behavior.distance(problem, states, actions) for actions in actions_at(readable, states)]
    )
    mean = distances.mean(axis=0)
    limit = float(np.quantile(mean, 1 - FARTHEST))
    within = np.zeros(len(problem.dataset), bool)
    within[rows[mean >= limit]] = True
    looked_at = np.zeros(len(problem.dataset), bool)
    looked_at[rows] = True
    columns = contrasts(problem.dataset, within, looked_at & ~within)
    return Leaving(float((distances > FAR).mean()), limit, columns)


def where_episodes_end(dataset: Dataset) -> Ends | None:
    """Compare the last states before terminals with all others; None without terminals."""
    if not dataset.terminals.any():
        return None
    ended = dataset.terminals[dataset.stops - 1]
    bad = bad_ends(dataset)
    return Ends(
        share=float(ended.mean()),
        steps=float(dataset.lengths[ended].mean()),
        columns=contrasts(dataset, dataset.terminals if bad is None else bad, ~dataset.terminals),
        kind="all" if bad is None else "low-reward",
    )


def bad_ends(dataset: Dataset) -> Array | None:
    """Mark the terminals with an unusually low reward; None if they are not of both kinds.

    Good and bad ends come from different states, whose means would cancel each other.
    """
    if not dataset.has_rewards or dataset.terminals.all():
        return None
    others = dataset.rewards[~dataset.terminals]
    middle, far = float(others.mean()), UNUSUAL * float(others.std())
    low = dataset.terminals & (dataset.rewards < middle - far)
    high = dataset.terminals & (dataset.rewards > middle + far)
    least = BOTH_KINDS * dataset.terminals.sum()
    return np.asarray(low) if min(low.sum(), high.sum()) >= least else None


def contrasts(dataset: Dataset, within: Array, elsewhere: Array) -> tuple[Contrast, ...]:
    """Return the columns that differ most between two sets of rows, the largest first."""
    if min(within.sum(), elsewhere.sum()) < FEWEST:
        return ()
    states = np.asarray(dataset.observations, np.float64)
    deviation = states.std(axis=0)
    gap = states[within].mean(axis=0) - states[elsewhere].mean(axis=0)
    differences = np.divide(gap, deviation, out=np.zeros_like(gap), where=deviation > 0)
    order = np.argsort(-np.abs(differences), kind="stable")[:LISTED]
    return tuple(
        contrast(dataset, column, float(differences[column]), states[:, column], within)
        for column in order.tolist()
        if abs(differences[column]) >= DIFFERENT
    )


def contrast(
    dataset: Dataset, column: int, difference: float, values: Array, within: Array
) -> Contrast:
    name, mean, scale = f"observation {column}", 0.0, 1.0
    if dataset.columns:
        name, mean, scale = dataset.columns[column]
    low, high = np.quantile(values[within], [0.25, 0.75])
    return Contrast(
        name,
        difference,
        *(float(mean + scale * each) for each in (low, high, values.mean())),
    )
