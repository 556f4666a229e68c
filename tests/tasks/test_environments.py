"""Environments whose spaces are no vectors are refused in one sentence."""

from typing import Any

import gymnasium
import pytest
from gymnasium import spaces

from instinct.errors import BadInput
from instinct.tasks.environments import check_spaces

VECTOR = spaces.Box(-1, 1, (2,))
CASES: dict[str, tuple[spaces.Space[Any], str]] = {
    "discrete": (spaces.Discrete(4), "discrete (4 choices)"),
    "dictionary": (
        spaces.Dict({"hand": VECTOR, "view": VECTOR}),
        "a dictionary of hand, view; the wrapper gymnasium.wrappers.FlattenObservation",
    ),
    "tuple": (spaces.Tuple([VECTOR, VECTOR]), "a tuple of 2 parts"),
    "image": (spaces.Box(0, 255, (64, 48, 3)), "images of shape [64, 48, 3]"),
    "number": (spaces.Box(0, 1, ()), "arrays of shape []"),
    "bits": (spaces.MultiBinary(3), "of the kind MultiBinary"),
}


class World(gymnasium.Env[Any, Any]):
    def __init__(self, observations: spaces.Space[Any], actions: spaces.Space[Any]) -> None:
        self.observation_space, self.action_space = observations, actions


@pytest.mark.parametrize("case", CASES)
def test_the_kind_of_space_is_named(case: str) -> None:
    space, text = CASES[case]
    for what, world in (("observations", World(space, VECTOR)), ("actions", World(VECTOR, space))):
        with pytest.raises(BadInput) as caught:
            check_spaces(world, "world")
        assert str(caught.value).startswith(f"the {what} of world are {text}")


def test_vectors_are_accepted() -> None:
    check_spaces(World(VECTOR, VECTOR), "world")
