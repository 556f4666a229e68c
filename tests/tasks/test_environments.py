"""Observations of several parts become vectors; other spaces are refused in one sentence."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import instinct
from instinct.data import Discrete, read
from instinct.errors import BadInput
from instinct.tasks.environments import action_space_of, check_spaces
from instinct.tasks.flatten import flatten_observations
from tests.data.minari_files import write_minari_files

VECTOR = spaces.Box(-1, 1, (2,))
CASES: dict[str, tuple[spaces.Space[Any], str]] = {
    "numbers from 1": (spaces.Discrete(4, start=1), "discrete and begin at 1"),
    "dictionary": (
        spaces.Dict({"hand": VECTOR, "view": VECTOR}),
        "a dictionary of hand, view, and the deep algorithms need vectors of real numbers",
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


PARTS = spaces.Dict(
    {
        "speed": spaces.Box(-1, 1, (2, 2), np.float32),
        "gear": spaces.Discrete(3, start=1),
        "lights": spaces.Tuple([spaces.MultiBinary(2), spaces.MultiDiscrete([2, 3])]),
    }
)


class Car(World):
    """Shows a few observations in turn, which a file has recorded, and ends after the last."""

    def __init__(self, observations: list[Any]) -> None:
        super().__init__(PARTS, spaces.Box(-2, 2, (2,), np.float32))
        self.recorded, self.step_number = observations, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.step_number = 0
        return self.recorded[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.step_number += 1
        ended = self.step_number == len(self.recorded) - 1
        return self.recorded[self.step_number], 1.0, ended, False, {}


def test_policies_see_in_the_task_what_a_file_has_recorded_of_it(tmp_path: Path) -> None:
    first, _ = write_minari_files(tmp_path / "data", "hdf5", PARTS)
    dataset = read(tmp_path / "data")
    seen: list[np.ndarray[Any, Any]] = []

    def policy(observations: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        seen.append(observations[0].copy())
        return np.zeros((len(observations), 2))

    found = instinct.evaluate(policy, lambda: Car(first), episodes=1)
    assert found.lengths.tolist() == [3]
    assert np.array(seen).tolist() == dataset.observations[:3].tolist()


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (spaces.Box(0, 255, (8, 8, 3), np.uint8), "part eye: are images of shape [8, 8, 3]"),
        (spaces.Text(3), "part eye: Text cannot become a vector of numbers"),
    ],
)
def test_parts_that_are_no_vectors_are_refused(part: spaces.Space[Any], message: str) -> None:
    world = World(spaces.Dict({"hand": VECTOR, "eye": part}), VECTOR)
    with pytest.raises(BadInput) as caught:
        flatten_observations(world, "world")
    assert str(caught.value).startswith(f"the observations of world, {message}")


def test_environments_with_one_part_stay_as_they_are() -> None:
    world = World(VECTOR, VECTOR)
    assert flatten_observations(world, "world") is world


def test_actions_may_be_discrete_and_observations_may_not() -> None:
    world = World(VECTOR, spaces.Discrete(4))
    check_spaces(world, "world")
    assert action_space_of(world) == Discrete(4)
    with pytest.raises(BadInput, match=r"the observations of world are discrete \(4 choices\)"):
        check_spaces(World(spaces.Discrete(4), VECTOR), "world")
