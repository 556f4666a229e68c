"""What a filter removes from a dataset, in numbers."""

from dataclasses import dataclass

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset
from instinct.util.spacing import evenly_spaced

REFERENCE, PROBES = 20_000, 1000
"""At most so many recorded states are looked at, around so many removed ones."""
NEIGHBOURS = 10
DUST = 9
"""Decimals of squared distances that are kept: equal states are equally near."""
MANY = 1000
"""Rewards and costs are told for so many transitions."""


@dataclass(frozen=True)
class Removal:
    """Counts of transitions and episodes, before the filter unless they say otherwise.

    `cut` episodes have lost some of their transitions, `gone` ones all. Rewards and costs are sums
    over 1,000 transitions, which can be compared whether episodes are cut or not.

    `coverage` tells how much is left around the removed states: of the ten recorded states of
    other episodes that are nearest to a removed one, in observations scaled to unit deviation, the
    share that is kept, on average. A filter that removes at random has a coverage as large as the
    share that it keeps; 0 means that it has cut a hole. None where it cannot be told.
    """

    transitions: int
    removed: int
    episodes: int
    cut: int
    gone: int
    episodes_after: int
    reward: float
    reward_after: float
    cost: float | None
    cost_after: float | None
    coverage: float | None

    @property
    def kept(self) -> float:
        """The share of the transitions that is left."""
        return 1 - self.removed / self.transitions


def removal(dataset: Dataset, rows: Array, after: Dataset) -> Removal:
    """What went when the rows whose mask is true were removed, and `after` was left."""
    left = dataset.per_episode(~rows)
    before_costs, after_costs = dataset.costs, after.costs
    return Removal(
        transitions=len(dataset),
        removed=int(rows.sum()),
        episodes=dataset.episodes,
        cut=int(((left > 0) & (left < dataset.lengths)).sum()),
        gone=int((left == 0).sum()),
        episodes_after=after.episodes,
        reward=for_many(dataset.rewards),
        reward_after=for_many(after.rewards),
        cost=None if before_costs is None else for_many(before_costs),
        cost_after=None if after_costs is None else for_many(after_costs),
        coverage=coverage(dataset, rows),
    )


def for_many(values: Array) -> float:
    return MANY * float(values.mean(dtype=np.float64))


def coverage(dataset: Dataset, rows: Array) -> float | None:
    """The share that is kept of the nearest states of other episodes to the removed ones."""
    episode = np.repeat(np.arange(dataset.episodes), dataset.lengths)
    reference = evenly_spaced(len(dataset), REFERENCE)
    states = dataset.observations[reference].astype(np.float64)
    middle, deviation = states.mean(axis=0), states.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1)
    states = (states - middle) / scale
    lengths, kept = (states**2).sum(axis=1), ~rows[reference]
    shares = []
    removed = np.flatnonzero(rows)
    for probe in removed[evenly_spaced(len(removed), PROBES)]:
        x = (dataset.observations[probe] - middle) / scale
        squares = (lengths - 2 * states @ x + x @ x).round(DUST)
        other = episode[reference] != episode[probe]
        if other.any():
            last = min(NEIGHBOURS, int(other.sum())) - 1
            near = other & (squares <= np.partition(squares[other], last)[last])
            shares.append(float(kept[near].mean()))
    return float(np.mean(shares)) if shares else None
