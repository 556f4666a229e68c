"""Tasks in which policies are evaluated, and simulations that play many episodes side by side."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from instinct.data import Array, Box
from instinct.data.spaces import ActionSpace
from instinct.errors import BadInput
from instinct.tasks.environments import Environment
from instinct.util.cores import cores

End = Literal["fall", "goal", "timeout", "unknown"]
"""What ends an episode early: a fall, reaching the goal, or nothing before the time limit."""


class Step(NamedTuple):
    """One step of several episodes, one row per episode. A timeout is not a terminal."""

    observations: Array
    rewards: Array
    terminals: Array
    timeouts: Array
    successes: Array | None = None
    """Whether the goal is reached, in tasks that have a goal."""
    costs: Array | None = None


class Simulation(Protocol):
    """Plays one episode in each of its places; places are reset and stepped independently."""

    def reset(self, place: int, seed: int) -> Array:
        """Start the episode of the seed in a place and return its first observation."""

    def step(self, places: Array, actions: Array) -> Step:
        """Step the episodes in these places."""


class Task(Protocol):
    """A problem in which policies are evaluated by the true reward."""

    @property
    def name(self) -> str: ...

    @property
    def action_space(self) -> ActionSpace: ...

    @property
    def observation_size(self) -> int: ...

    @property
    def horizon(self) -> int | None:
        """The time limit of an episode in steps, if it is known."""

    @property
    def end(self) -> End:
        """The meaning of a terminal in this task."""

    @property
    def cost_target(self) -> float | None:
        """The cost that a safe episode may have, in tasks with such a limit."""

    def environment(self) -> Environment:
        """Create an environment that plays one episode at a time."""

    def simulation(self, places: int) -> Simulation:
        """Create a simulation with so many places; its numbers equal the environment's."""

    def scores(self, returns: Array) -> Array | None:
        """Return the normalized returns, or None if the task has no normalization."""


def action_box(task: Task) -> Box:
    """Return the bounds of a task's actions, which must be continuous."""
    space = task.action_space
    if not isinstance(space, Box):
        raise BadInput(f"{task.name} has discrete actions; this needs continuous ones")
    return space


def threads_for(places: int) -> int:
    """Return the number of threads that play so many places."""
    return max(1, min(len(cores()), places))


class ThreadedSimulation:
    """One environment per place; each place is always stepped by the same thread."""

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
        *columns, infos = zip(*results, strict=True)
        extra = {
            name: np.array([info[key] for info in infos])
            for key, name in (("success", "successes"), ("cost", "costs"))
            if key in infos[0]
        }
        return Step(*map(np.array, columns), **extra)


class GymSimulation:
    """One Gymnasium environment per place, stepped one after the other."""

    def __init__(self, environments: Sequence[Environment]) -> None:
        self.environments = environments

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
