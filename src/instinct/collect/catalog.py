"""Datasets by name: the project's own, made on this machine, and files of the user's."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from instinct.collect.collection import Report
from instinct.collect.d4rl import PREFIX, d4rl_path
from instinct.collect.locomotion import RECIPES, Recipe
from instinct.data import ActionRange, Dataset, read
from instinct.errors import BadInput
from instinct.tasks.gridworld import GridWorld
from instinct.tasks.locomotion import BODIES

NAMED: dict[str, Callable[[], Dataset]] = {"gridworld": lambda: GridWorld().dataset()}


def find(
    name: str, *, action_range: ActionRange | None = None, report: Report | None = None
) -> Dataset:
    """The dataset of that name, or in the file or folder at that path.

    Locomotion datasets are made when they are first asked for; hopper-medium@200000 is the one
    with so many transitions. `report` is told how many have been made.
    """
    if name in NAMED:
        return NAMED[name]()
    if name.startswith(PREFIX):
        return read(d4rl_path(name), action_range=action_range)
    if name.partition("@")[0] in RECIPES:
        return recipe(name).dataset(report)
    if not Path(name).exists():
        known = ", ".join([*NAMED, *RECIPES])
        raise BadInput(f"is neither a file nor the name of a dataset ({known})", file=name)
    return read(name, action_range=action_range)


def recipe(name: str, transitions: int | None = None) -> Recipe:
    """How a locomotion dataset is made, with its own size unless another is given."""
    base, _, size = name.partition("@")
    if base not in RECIPES:
        raise BadInput(f"no dataset is called {base!r}; there are {', '.join(RECIPES)}")
    if size:
        if not size.isdecimal() or int(size) == 0:
            raise BadInput(f"{name!r}: after @ comes a number of transitions")
        transitions = int(size)
    return RECIPES[base] if transitions is None else replace(RECIPES[base], transitions=transitions)


def size_of(name: str) -> int:
    """How many transitions a dataset that is made here will have; 0 for all others."""
    return recipe(name).transitions if name.partition("@")[0] in RECIPES else 0


def task_of(name: str) -> str | None:
    """The task that a named dataset was recorded in, if it has D4RL's scores."""
    word = name.removeprefix(PREFIX).partition("-")[0]
    named = name.startswith(PREFIX) or name.partition("@")[0] in RECIPES
    return word if named and word in BODIES else None
