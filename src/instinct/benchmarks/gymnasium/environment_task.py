"""Tasks from Gymnasium environments that are given as objects or as functions."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium

from instinct.data import Array
from instinct.errors import BadInput
from instinct.tasks.environments import Environment, EnvironmentSpaces, check_spaces
from instinct.tasks.flatten import flatten_observations
from instinct.tasks.simulation import End, GymSimulation

PREFIX = "own:"


@dataclass(frozen=True)
class EnvironmentTask(EnvironmentSpaces):
    """A task in environments that a function makes, judged by their own reward.

    >>> def make():
    ...     return gymnasium.make("InvertedPendulum-v5")
    >>> task = EnvironmentTask("pendulum", make, end="fall")
    >>> task.horizon, task.observation_size, str(task.action_space)
    (1000, 4, '[-3, 3]')
    """

    name: str
    make: Callable[[], Environment]
    end: End = "unknown"
    cost_target: float | None = None

    def environment(self) -> Environment:
        """Make a new environment."""
        environment = self.make()
        if not isinstance(environment, gymnasium.Env):
            raise BadInput(f"{self.name} is not a Gymnasium environment: {environment!r}")
        environment = flatten_observations(environment, self.name)
        check_spaces(environment, self.name)
        return environment

    @property
    def horizon(self) -> int | None:
        spec = self._environment.spec
        return None if spec is None else spec.max_episode_steps

    def simulation(self, places: int) -> GymSimulation:
        return GymSimulation([self.environment() for _ in range(places)])

    def scores(self, returns: Array) -> None:
        """Return no scores: nothing normalizes the returns of an arbitrary environment."""
        del returns


@dataclass(frozen=True)
class CopyOf:
    """Makes copies of an environment that was given as an object."""

    environment: Any

    def __call__(self) -> Any:
        return copy.deepcopy(self.environment)


def own_task(env: Any) -> EnvironmentTask:
    """Make a task from an environment, or from a function without arguments that makes one."""
    if isinstance(env, gymnasium.Env):
        name = env.spec.id if env.spec is not None else type(env.unwrapped).__name__
        return EnvironmentTask(PREFIX + name, CopyOf(env))
    if not callable(env):
        raise BadInput(
            f"must be the name of a task, a Gymnasium environment or a function that makes one, "
            f"not {env!r}",
            field="env",
        )
    return EnvironmentTask(PREFIX + getattr(env, "__name__", type(env).__name__), env)
