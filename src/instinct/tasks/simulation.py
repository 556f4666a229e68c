"""What a task is, and its episodes, many of them side by side."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

import numpy as np

from instinct.data import Array, Box
from instinct.tasks.environments import Environment, make
from instinct.util.cores import cores


class Step(NamedTuple):
    """What a step gave to every episode that made it; a timeout is not a terminal."""

    observations: Array
    rewards: Array
    terminals: Array
    timeouts: Array
    successes: Array | None = None
    """Where the goal is reached, in tasks that have one."""
    costs: Array | None = None


class Simulation(Protocol):
    """Places for episodes, each started and stepped on its own account."""

    def reset(self, place: int, seed: int) -> Array:
        """Start the episode of that seed; its first observation."""

    def step(self, places: Array, actions: Array) -> Step:
        """One step of the episodes in these places."""


class Task(Protocol):
    """Where a policy is judged."""

    @property
    def name(self) -> str: ...

    @property
    def action_space(self) -> Box: ...

    @property
    def observation_size(self) -> int: ...

    def environment(self) -> Environment:
        """A new environment, for one episode after another."""

    def simulation(self, places: int) -> Simulation:
        """Room for that many episodes at once; the same numbers as those of the environment."""

    def scores(self, returns: Array) -> Array | None:
        """Normalised returns, if the task has any."""


def threads_for(places: int) -> int:
    return max(1, min(len(cores()), places))


class ThreadedSimulation:
    """An environment per place; a place is always played by the same one of several threads."""

    def __init__(self, environments: Sequence[Environment]) -> None:
        self.environments = environments
        self.threads = threads_for(len(environments))
        self.pool = ThreadPoolExecutor(self.threads)

    def reset(self, place: int, seed: int) -> Array:
        return self.environments[place].reset(seed=seed)[0]

    def step(self, places: Array, actions: Array) -> Step:
        results: list[Any] = [None] * len(places)

        def advance(thread: int) -> None:
            for i, place in enumerate(places.tolist()):
                if place % self.threads == thread:
                    results[i] = self.environments[place].step(actions[i])

        list(self.pool.map(advance, range(self.threads)))
        *columns, told = zip(*results, strict=True)
        beside = {
            name: np.array([info[key] for info in told])
            for key, name in (("success", "successes"), ("cost", "costs"))
            if key in told[0]
        }
        return Step(*map(np.array, columns), **beside)


class GymSimulation:
    """Gymnasium's own environments, one per place."""

    def __init__(self, environment_id: str, places: int) -> None:
        self.environments = [make(environment_id) for _ in range(places)]

    def reset(self, place: int, seed: int) -> Array:
        return self.environments[place].reset(seed=seed)[0]

    def step(self, places: Array, actions: Array) -> Step:
        steps = [
            self.environments[place].step(action)[:4]
            for place, action in zip(places.tolist(), actions, strict=True)
        ]
        observations, rewards, terminals, timeouts = (
            np.array(column) for column in zip(*steps, strict=True)
        )
        return Step(observations, rewards.astype(np.float64), terminals, timeouts & ~terminals)
