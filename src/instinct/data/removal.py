"""Measure what a filter removes from a dataset."""

from dataclasses import dataclass

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset
from instinct.util.spacing import evenly_spaced

MAX_REFERENCES, MAX_PROBES = 20_000, 1000
"""The coverage uses at most so many recorded states, and so many removed ones."""
NEIGHBORS = 10
DECIMALS = 9
"""Decimals of squared distances. Rounding makes equal states equally near."""
PER = 1000
"""Rewards and costs are given per so many transitions."""


@dataclass(frozen=True)
class Removal:
    """The effect of a filter: counts of transitions and episodes, mean rewards and costs.

    All values are those before the filter, except those that end in `_after`. `cut` is the number
    of episodes that lost some of their transitions, `gone` of those that lost all. Rewards and
    costs are means per 1,000 transitions, so that they do not depend on how episodes are cut.

    `coverage` says how much of the data around the removed states is left. For every removed
    state, take the ten nearest recorded states of other episodes, in observations scaled to unit
    deviation. The coverage is the mean share of them that the filter keeps. A filter that removes
    transitions at random has a coverage equal to the share that it keeps; 0 means that it removed
    whole regions. None if it is unknown.
    """

    transitions: int
    removed: int
    episodes: int
    cut: int
    gone: int
    episodes_after: int
    reward: float | None
    reward_after: float | None
    cost: float | None
    cost_after: float | None
    coverage: float | None


def measure_removal(dataset: Dataset, rows: Array, after: Dataset) -> Removal:
    """Compare a dataset with what is `after` its `rows` are removed."""
    cut, gone = count_episodes(dataset, rows)
    costs_before, costs_after = dataset.costs, after.costs
    return Removal(
        transitions=len(dataset),
        removed=int(rows.sum()),
        episodes=dataset.episodes,
        cut=cut,
        gone=gone,
        episodes_after=after.episodes,
        reward=mean_per_1000(dataset.rewards) if dataset.has_rewards else None,
        reward_after=mean_per_1000(after.rewards) if after.has_rewards else None,
        cost=None if costs_before is None else mean_per_1000(costs_before),
        cost_after=None if costs_after is None else mean_per_1000(costs_after),
        coverage=measure_coverage(dataset, rows),
    )


def count_episodes(dataset: Dataset, rows: Array) -> tuple[int, int]:
    """Count the episodes that lose some, and those that lose all of their transitions."""
    left = dataset.per_episode(~rows)
    return int(((left > 0) & (left < dataset.lengths)).sum()), int((left == 0).sum())


def mean_per_1000(values: Array) -> float:
    return PER * float(values.mean(dtype=np.float64))


def measure_coverage(dataset: Dataset, rows: Array) -> float | None:
    """Return the mean share of kept states among the nearest ones to a removed state."""
    episode = np.repeat(np.arange(dataset.episodes), dataset.lengths)
    reference = evenly_spaced(len(dataset), MAX_REFERENCES)
    states = dataset.observations[reference].astype(np.float64)
    mean, deviation = states.mean(axis=0), states.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1)
    states = (states - mean) / scale
    squared_norms, kept = (states**2).sum(axis=1), ~rows[reference]
    shares = []
    removed = np.flatnonzero(rows)
    for probe in removed[evenly_spaced(len(removed), MAX_PROBES)]:
        x = (dataset.observations[probe] - mean) / scale
        distances = (squared_norms - 2 * states @ x + x @ x).round(DECIMALS)
        other = episode[reference] != episode[probe]
        if other.any():
            last = min(NEIGHBORS, int(other.sum())) - 1
            near = other & (distances <= np.partition(distances[other], last)[last])
            shares.append(float(kept[near].mean()))
    return float(np.mean(shares)) if shares else None
