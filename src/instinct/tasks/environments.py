"""Gymnasium environments whose observations are vectors, with continuous or discrete actions."""

import warnings
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np

from instinct.data import ActionSpace, Array, Box, Discrete
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
    """Refuse an environment that policies cannot act in.

    Observations must be vectors in a box, actions as well or numbers from 0.
    """
    observations, actions = environment.observation_space, environment.action_space
    if not is_vector(observations):
        raise BadInput(f"the observations of {name} are {describe_space(observations)}")
    if isinstance(actions, gymnasium.spaces.Discrete) and actions.start == 0:
        return
    if not is_vector(actions):
        raise BadInput(f"the actions of {name} are {describe_space(actions)}")


def is_vector(space: gymnasium.spaces.Space[Any]) -> bool:
    return isinstance(space, gymnasium.spaces.Box) and len(space.shape) == 1


def describe_space(space: gymnasium.spaces.Space[Any]) -> str:
    """Describe a space that cannot be learned from, and say what can be done about it.

    >>> describe_space(gymnasium.spaces.Discrete(2))
    'discrete (2 choices), and the deep algorithms need vectors of real numbers'
    """
    match space:
        case gymnasium.spaces.Discrete() if space.start != 0:
            return f"discrete and begin at {space.start}; only those that begin at 0 can be used"
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


def action_space_of(environment: Environment) -> ActionSpace:
    """Return the action space of an environment."""
    space: gymnasium.spaces.Space[Any] = environment.action_space
    if isinstance(space, gymnasium.spaces.Discrete):
        return Discrete(int(space.n))
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
    def action_space(self) -> ActionSpace:
        return action_space_of(self._environment)

    @property
    def observation_size(self) -> int:
        return observation_size(self._environment)
