"""Make vectors of observations that are dictionaries or tuples."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from instinct.errors import BadInput

FLAT = (spaces.Box, spaces.Discrete, spaces.MultiBinary, spaces.MultiDiscrete)
"""Parts that become numbers: boxes as they are, choices one-hot."""


def flatten_observations(
    environment: gymnasium.Env[Any, Any], name: str
) -> gymnasium.Env[Any, Any]:
    """Return the environment with one vector per observation, in Gymnasium's own order.

    Environments whose observations have one part stay as they are.
    """
    space = environment.observation_space
    if not isinstance(space, spaces.Dict | spaces.Tuple):
        return environment
    check_parts(space, f"the observations of {name}")
    return gymnasium.wrappers.FlattenObservation(environment)


def check_parts(space: spaces.Space[Any], what: str) -> None:
    """Refuse observations with a part that is an image or can be no vector."""
    parts: list[tuple[str, spaces.Space[Any]]] = []
    if isinstance(space, spaces.Dict):
        parts = [*space.spaces.items()]
    elif isinstance(space, spaces.Tuple):
        parts = [(str(i), part) for i, part in enumerate(space.spaces)]
    elif not isinstance(space, FLAT):
        raise BadInput(f"{what}: {type(space).__name__} cannot become a vector of numbers")
    elif space.dtype == np.uint8 and len(space.shape or ()) == 3:
        raise BadInput(
            f"{what}: are images of shape {[*(space.shape or ())]}, and the deep algorithms need "
            "vectors of real numbers"
        )
    for key, part in parts:
        check_parts(part, f"{what}, part {key}")
