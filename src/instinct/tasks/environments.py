"""Gymnasium environments whose observations and actions are vectors in boxes."""

import warnings
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np

from instinct.data import Array, Box
from instinct.errors import BadInput

Environment = gymnasium.Env[Array, Array]


def make(environment_id: str) -> Environment:
    """Create an environment, without Gymnasium's warnings that newer versions exist."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.filterwarnings("ignore", ".*is out of date.*", UserWarning)
            environment: gymnasium.Env[Any, Any] = gymnasium.make(
                environment_id, disable_env_checker=True
            )
    except (gymnasium.error.Error, ModuleNotFoundError, ImportError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise BadInput(f"Gymnasium cannot make {environment_id!r}: {reason}") from None
    check_spaces(environment, environment_id)
    return environment


def check_spaces(environment: Environment, name: str) -> None:
    """Refuse an environment whose observations or actions are not vectors in a box."""
    for what, space in (
        ("observations", environment.observation_space),
        ("actions", environment.action_space),
    ):
        if not isinstance(space, gymnasium.spaces.Box) or len(space.shape) != 1:
            raise BadInput(f"the {what} of {name} are not vectors in a box: {space}")


def action_bounds(environment: Environment) -> Box:
    """Return the bounds of an environment's actions."""
    space = environment.action_space
    assert isinstance(space, gymnasium.spaces.Box)
    return Box(tuple(space.low.tolist()), tuple(space.high.tolist()))


def observation_size(environment: Environment) -> int:
    shape = environment.observation_space.shape
    assert shape is not None
    return int(np.prod(shape))


class EnvironmentSpaces:
    """The part of a task that reads its spaces from its Gymnasium environment."""

    def environment(self) -> Environment:
        raise NotImplementedError

    @cached_property
    def _environment(self) -> Environment:
        return self.environment()

    @property
    def action_space(self) -> Box:
        return action_bounds(self._environment)

    @property
    def observation_size(self) -> int:
        return observation_size(self._environment)
