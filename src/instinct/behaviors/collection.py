"""Record datasets from behavior policies, deterministically from a seed.

Episodes are played side by side but stored in the order of their numbers. The dataset is the first
N transitions in that order, as if the episodes had been played one after another: short episodes
are not preferred because they end sooner.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from instinct.data import Array, Dataset
from instinct.errors import BadInput
from instinct.tasks.evaluation import Policy, episode_seed
from instinct.tasks.simulation import Task
from instinct.util.progress import Progress, no_progress

PLACES, PER_PLACE = 64, 100
"""At most so many episodes are played side by side; one per so many transitions."""


class Part(NamedTuple):
    """A number of transitions of one behavior."""

    behavior: Policy
    transitions: int


def divide(total: int, weights: Sequence[int]) -> list[int]:
    """Divide a number of transitions in proportion to weights, without a remainder."""
    ends = [total * sum(weights[: i + 1]) // sum(weights) for i in range(len(weights))]
    return [end - start for start, end in zip([0, *ends[:-1]], ends, strict=True)]


class Rows(NamedTuple):
    """Transitions with the number of their episode."""

    episodes: Array
    observations: Array
    actions: Array
    rewards: Array
    next_observations: Array
    terminals: Array
    timeouts: Array


def collect(
    task: Task, parts: Sequence[Part], seed: int = 0, on_progress: Progress = no_progress
) -> Dataset:
    """Record the parts one after the other; the last episode of a part is cut by a timeout."""
    if any(part.transitions < 1 for part in parts):
        raise BadInput("a dataset needs at least one transition from each of its behaviors")
    total, done = sum(part.transitions for part in parts), 0
    pieces = []
    for number, part in enumerate(parts):

        def on_rows(rows: int, done: int = done) -> None:
            on_progress(done + rows, total, "transitions")

        pieces.append(record(task, part, episode_seed(seed, number), on_rows))
        done += part.transitions
    rows = Rows(*(np.concatenate(columns) for columns in zip(*pieces, strict=True)))
    return Dataset(
        observations=rows.observations,
        actions=rows.actions,
        rewards=rows.rewards,
        next_observations=rows.next_observations,
        terminals=rows.terminals,
        timeouts=rows.timeouts,
        action_space=task.action_space,
    )


def record(task: Task, part: Part, seed: int, on_rows: Callable[[int], None]) -> Rows:
    """Return the first transitions of the behavior's episodes 0, 1, …, in order."""
    places = min(PLACES, 1 + part.transitions // PER_PLACE)
    stream = Stream(task, part.behavior, seed, places)
    steps: list[Rows] = []
    recorded = 0
    while stream.playing.any():
        steps.append(stream.step(more=recorded < part.transitions))
        recorded += len(steps[-1].episodes)
        on_rows(min(recorded, part.transitions))
    rows = Rows(*(np.concatenate(columns) for columns in zip(*steps, strict=True)))
    order = np.argsort(rows.episodes, kind="stable")[: part.transitions]
    rows = Rows(*(column[order] for column in rows))
    rows.timeouts[-1] = not rows.terminals[-1]
    return rows


class Stream:
    """Plays episodes side by side; when an episode ends, the next one takes its place."""

    def __init__(self, task: Task, behavior: Policy, seed: int, places: int) -> None:
        self.simulation = task.simulation(places)
        self.behavior, self.seed = behavior, seed
        self.memory = behavior.start(places, seed)
        self.observations = np.zeros((places, task.observation_size), np.float32)
        self.episodes = np.zeros(places, int)
        self.playing = np.ones(places, bool)
        self.started = 0
        for place in range(places):
            self.begin(place)

    def begin(self, place: int) -> None:
        start = self.simulation.reset(place, episode_seed(self.seed, self.started))
        self.observations[place], self.episodes[place] = start, self.started
        self.started += 1

    def step(self, more: bool) -> Rows:
        """Step all running episodes; with `more`, start a new one where one ends."""
        actions, self.memory = self.behavior.act(self.memory, self.observations, np.zeros(0))
        places = np.flatnonzero(self.playing)
        step = self.simulation.step(places, actions[places])
        rows = Rows(
            self.episodes[places],
            self.observations[places],
            actions[places],
            step.rewards.astype(np.float32),
            step.observations.astype(np.float32),
            step.terminals,
            step.timeouts,
        )
        self.observations[places] = rows.next_observations
        for place in places[step.terminals | step.timeouts].tolist():
            if more:
                self.begin(place)
            else:
                self.playing[place] = False
        return rows
