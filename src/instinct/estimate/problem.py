"""A dataset as the estimators read it: arrays, signals to add up, bootstrap samples."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from instinct.data import Array, Dataset
from instinct.deep.algorithms.algorithm import encode
from instinct.errors import BadInput
from instinct.util.spacing import evenly_spaced

PASSES, LEAST_STEPS, BATCH = 100, 2000, 256
"""Small data are fitted for so many passes with batches of this size."""


class Signal(NamedTuple):
    """A number per step, whose sum along an episode is one quantity.

    `low` and `high` are the smallest and the largest sum that n steps can have, divided by n; an
    end is counted once, so that its sum is in [0, 1] for every n.
    """

    quantity: str
    values: Array
    discount: float
    low: float
    high: float
    once: bool = False

    def limits(self, horizon: int) -> tuple[float, float]:
        """Return the smallest and the largest sum over the horizon."""
        n = 1 if self.once else horizon
        return n * self.low, n * self.high


@dataclass(frozen=True)
class Problem:
    """A dataset, and what is asked about policies: at most `horizon` steps from recorded starts.

    By default the horizon is the length of the longest recorded episode. `members` is the number
    of bootstrap samples, and so the size of every ensemble.
    """

    dataset: Dataset
    horizon: int = 0
    discount: float = 0.99
    members: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        if self.members < 2:
            raise BadInput("intervals need two members or more", field="members")
        if not self.horizon:
            object.__setattr__(self, "horizon", int(self.dataset.lengths.max()))

    @cached_property
    def observations(self) -> Array:
        return np.asarray(self.dataset.observations, np.float32)

    @cached_property
    def next_observations(self) -> Array:
        return np.asarray(self.dataset.next_observations, np.float32)

    @cached_property
    def actions(self) -> Array:
        """The recorded actions as networks take them."""
        return encode(self.dataset.actions, self.dataset.action_space)

    @cached_property
    def signals(self) -> tuple[Signal, ...]:
        """The signals of all quantities that the data have."""
        data, ones = self.dataset, np.ones(len(self.dataset), np.float32)
        found = []
        if data.has_rewards:
            rewards, ends = data.rewards, bounds(data.rewards)
            found.append(Signal("return", rewards, 1.0, *ends))
            found.append(Signal("discounted_return", rewards, self.discount, *ends))
        if data.costs is not None:
            found.append(Signal("cost", data.costs, 1.0, *bounds(data.costs)))
        found.append(Signal("length", ones, 1.0, 0.0, 1.0))
        terminals = data.terminals.astype(np.float32)
        found.append(Signal("end", terminals, 1.0, 0.0, 1.0, once=True))
        return tuple(found)

    @property
    def quantities(self) -> tuple[str, ...]:
        return tuple(signal.quantity for signal in self.signals)

    @cached_property
    def episode_numbers(self) -> Array:
        """The number of the episode of every row."""
        return np.repeat(np.arange(self.dataset.episodes), self.dataset.lengths)

    @cached_property
    def episode_weights(self) -> Array:
        """Count every episode in every bootstrap sample, [members, episodes].

        Counts are those of a Poisson distribution: a bootstrap over episodes, since rows within an
        episode depend on each other. A sample that would be empty is the data themselves.
        """
        random = np.random.default_rng(self.seed)
        counts = random.poisson(1.0, (self.members, self.dataset.episodes))
        counts[counts.sum(axis=1) == 0] = 1
        return counts.astype(np.float32)

    def steps(self, most: int) -> int:
        """Return how many steps a fit to the data takes: fewer if they are small."""
        passes = math.ceil(PASSES * len(self.dataset) / BATCH)
        return min(max(passes, LEAST_STEPS), most)

    def rows(self, most: int) -> Array:
        """Return the numbers of at most so many rows, evenly spaced."""
        return evenly_spaced(len(self.dataset), most)

    def start_rows(self, most: int) -> Array:
        """Return the first rows of at most so many episodes, evenly spaced."""
        return np.asarray(self.dataset.starts[evenly_spaced(self.dataset.episodes, most)])


def bounds(values: Array) -> tuple[float, float]:
    """Return the smallest and the largest value of a step; after an end it is 0."""
    return min(float(values.min()), 0.0), max(float(values.max()), 0.0)
