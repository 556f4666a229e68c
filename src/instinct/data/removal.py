"""What a filter removes from a dataset, in numbers."""

from dataclasses import dataclass

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset

REFERENCE, PROBES = 4000, 1000
"""At most so many kept states are compared with so many others."""
DUST = 9
"""Decimals of squared distances that are kept: equal states are at the distance 0."""
NEAR = 0.95
"""The share of kept states that have a neighbour within the distance called near."""
MANY = 1000
"""Rewards and costs are told for so many transitions."""


@dataclass(frozen=True)
class Removal:
    """Counts of transitions and episodes, before the filter unless they say otherwise.

    `cut` episodes have lost some of their transitions, `gone` ones all. Rewards and costs are sums
    over 1,000 transitions, which can be compared whether episodes are cut or not.

    `coverage` tells whether the filter leaves a gap: the share of the removed states with a kept
    state of another recorded episode near. Near is the distance, in observations scaled to unit
    deviation, within which 95 % of the kept states have one; so 0.95 means no gap at all, and 0
    that nothing kept is like what was removed. None where it cannot be told.
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
    """The share of the removed states that have a kept state of another episode near."""
    if not rows.any():
        return None
    episode = np.repeat(np.arange(dataset.episodes), dataset.lengths)
    kept, lost = np.flatnonzero(~rows), np.flatnonzero(rows)
    reference = some(kept, REFERENCE)
    b = dataset.observations[reference].astype(np.float64)
    middle, deviation = b.mean(axis=0), b.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1)
    b = (b - middle) / scale

    def nearest(probes: Array) -> Array:
        """The squared distance of each to the nearest kept state of another episode."""
        a = (dataset.observations[probes] - middle) / scale
        squares = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T
        squares[episode[probes][:, None] == episode[reference]] = np.inf
        return np.asarray(squares.min(axis=1).round(DUST))

    usual = nearest(some(kept, PROBES))
    usual = usual[np.isfinite(usual)]
    if not len(usual):
        return None
    near = np.quantile(usual, NEAR, method="higher")
    return float((nearest(some(lost, PROBES)) <= near).mean())


def some(rows: Array, most: int) -> Array:
    """At most so many of the rows, evenly spaced."""
    return np.asarray(rows[np.unique(np.linspace(0, len(rows) - 1, most).round().astype(int))])
