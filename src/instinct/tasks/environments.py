"""Gymnasium environments whose observations and actions are vectors in boxes."""

import warnings
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np

from instinct.data import Array, Box
from instinct.errors import BadInput
from instinct.tasks.flatten import flatten_observations

Environment = gymnasium.Env[Array, Array]
VECTORS = "vectors of real numbers"
PARTS = f"and the deep algorithms need {VECTORS}"


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
    environment = flatten_observations(environment, environment_id)
    check_spaces(environment, environment_id)
    return environment


def check_spaces(environment: Environment, name: str) -> None:
    """Refuse an environment whose observations or actions are not vectors in a box."""
    for what, space in (
        ("observations", environment.observation_space),
        ("actions", environment.action_space),
    ):
        if not isinstance(space, gymnasium.spaces.Box) or len(space.shape) != 1:
            raise BadInput(f"the {what} of {name} are {describe_space(space)}")


def describe_space(space: gymnasium.spaces.Space[Any]) -> str:
    """Describe a space that is not a box of vectors, and say what can be done about it.

    >>> describe_space(gymnasium.spaces.Discrete(2))
    'discrete (2 choices), and the deep algorithms need vectors of real numbers'
    """
    match space:
        case gymnasium.spaces.Discrete():
            return f"discrete ({space.n} choices), and the deep algorithms need {VECTORS}"
        case gymnasium.spaces.Dict():
            return f"a dictionary of {', '.join(space.spaces)}, {PARTS}"
        case gymnasium.spaces.Tuple():
            return f"a tuple of {len(space.spaces)} parts, {PARTS}"
        case gymnasium.spaces.Box():
            kind = "images" if len(space.shape) in (2, 3) else "arrays"
            return f"{kind} of shape {list(space.shape)}, and the deep algorithms need {VECTORS}"
    return f"of the kind {type(space).__name__}, and the deep algorithms need {VECTORS}"


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
