"""Predict without training what zero-reward agents do after a filter, by the score's model.

The agent stays as long as it can in the transitions that are left, close to how these behave. It
is judged in the world of the episodes of which something is left, from the recorded first states:
what a filter cuts out of an episode still happens there, with its costs and falls. Where these
episodes have no data, all data say how the world goes on. If a filter removes whole episodes, this
is the score of the rest; if it removes nothing, the score of the data.
"""

from collections.abc import Sequence

import numpy as np

from instinct.data import Array, Dataset
from instinct.nudge.goals import Goal, has_goals
from instinct.score.bounded import play
from instinct.score.cells import cut_into_cells
from instinct.score.scale import world_of
from instinct.score.scoring import FEWEST, RESAMPLES, per_pair, plan_policy
from instinct.study.intervals import LEVEL, Interval, Spread, around


class Predictor:
    """The model of a dataset, in which filters are compared."""

    def __init__(self, dataset: Dataset, source: str = "", task: str = "", seed: int = 0) -> None:
        self.world, self.seed = world_of(dataset, source, task), seed
        self.cells = cut_into_cells(dataset, seed)
        self.sample = self.cells.dataset
        self.counted = self.count()

    def count(self) -> dict[str, Array]:
        """Return what every row adds to each quantity that the data know."""
        data = self.sample
        counted = {"length": np.ones(len(data))}
        if data.has_rewards:
            counted["return"] = data.rewards
        if data.costs is not None:
            counted["cost"] = data.costs
        if has_goals(data, self.world.end):
            counted["success"] = data.terminals
        return counted

    def predict(
        self, removed: Array | None = None, episodes: Array | None = None
    ) -> dict[str, float]:
        """Return the quantities of zero-reward agents after the rows of a mask are removed.

        The mask is of the whole dataset. The model may be that of some episodes, which may repeat.
        """
        left = world = self.cells.select(episodes)
        if removed is not None:
            rows = removed[self.cells.taken]
            left = self.cells.select(episodes, rows)
            world = self.cells.select(episodes, self.other_worlds(rows), cut=False)
        policy = plan_policy(self.cells, left, self.world.end)
        known = left.model.support.any(axis=1, keepdims=True)
        policy = np.where(known, policy, world.model.behavior)
        pairs = [per_pair(world.model, each[world.rows]) for each in self.counted.values()]
        sums = play(world.model, policy, np.stack(pairs), self.world.horizon)
        found = dict(zip(self.counted, sums.tolist(), strict=True))
        task = self.world.task
        if task is not None and "return" in found:
            scores = task.scores(np.array([found["return"]]))
            if scores is not None:
                found["score"] = float(scores[0])
        return found

    def other_worlds(self, removed: Array) -> Array:
        """Mark the rows of lost episodes, but not in states where no other episode has been."""
        data, state = self.sample, self.cells.state
        gone = np.repeat(data.per_episode(~removed) == 0, data.lengths)
        visited = np.bincount(state[~gone], minlength=self.cells.states) > 0
        return np.asarray(gone & visited[state])

    def gain_intervals(
        self, goal: Goal, quantity: str, masks: Sequence[Array]
    ) -> list[Interval | None]:
        """Return how much better every filter makes a quantity, over resampled episodes."""
        number = self.sample.episodes
        if number < FEWEST or not masks:
            return [None] * len(masks)
        random = np.random.default_rng(self.seed)
        drawn = [
            self.gains(goal, quantity, masks, random.integers(number, size=number))
            for _ in range(RESAMPLES)
        ]
        values, variances = self.gains(goal, quantity, masks), np.var(drawn, axis=0, ddof=1)
        return [
            around(value, Spread(float(variance), RESAMPLES - 1), LEVEL)
            for value, variance in zip(values, variances, strict=True)
        ]

    def gains(
        self, goal: Goal, quantity: str, masks: Sequence[Array], episodes: Array | None = None
    ) -> list[float]:
        """Return how much better a quantity is after every filter than before."""
        before = self.predict(None, episodes)[quantity]
        return [goal.sign * (self.predict(mask, episodes)[quantity] - before) for mask in masks]
