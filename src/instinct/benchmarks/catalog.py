"""Datasets by name: the project's own, made on this machine, and files of the user's."""

import os
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from instinct.behaviors.collection import Report
from instinct.benchmarks.gridworld.world import GridWorld
from instinct.benchmarks.locomotion import d4rl
from instinct.benchmarks.locomotion.datasets import RECIPES, Recipe
from instinct.benchmarks.locomotion.simulation import BODIES
from instinct.benchmarks.metaworld.datasets import DEMONSTRATIONS, Demonstrations
from instinct.benchmarks.safety import dsrl
from instinct.benchmarks.safety import task as safety
from instinct.benchmarks.safety.datasets import DRIVES, Drives
from instinct.data import ActionRange, Dataset, read
from instinct.errors import BadInput

Made = Recipe | Demonstrations | Drives
"""How a dataset that is made on this machine is made."""

NAMED: dict[str, Callable[[], Dataset]] = {"gridworld": lambda: GridWorld().dataset()}


def find(
    name: str, *, action_range: ActionRange | None = None, report: Report | None = None
) -> Dataset:
    """The dataset of that name, or in the file or folder at that path.

    Locomotion, Meta-World and Safety datasets are made when they are first asked for;
    hopper-medium@200000 is the one with so many transitions. `report` is told how many have been
    made. An id of Minari's is one that Minari has downloaded.
    """
    if name in NAMED:
        return NAMED[name]()
    if name.startswith(d4rl.PREFIX):
        return read(d4rl.d4rl_path(name), action_range=action_range)
    if name.startswith(dsrl.PREFIX):
        return dsrl.read_dsrl(name, action_range)
    if is_made(name):
        return recipe(name).dataset(report)
    path = Path(name) if Path(name).exists() else minari_folder() / name
    if not path.exists():
        raise BadInput(f"is neither a file nor the name of a dataset; {nearest(name)}", file=name)
    return read(path, action_range=action_range)


def minari_folder() -> Path:
    """Where Minari keeps what it has downloaded, by ids such as mujoco/hopper/medium-v0."""
    given = os.environ.get("MINARI_DATASETS_PATH")
    return Path.home() / ".minari" / "datasets" if given is None else Path(given)


def recipe(name: str, transitions: int | None = None) -> Made:
    """How a dataset is made, with its own size unless another is given."""
    if name in DEMONSTRATIONS:
        if transitions is not None:
            raise BadInput(f"{name} has as many transitions as its episodes take")
        return DEMONSTRATIONS[name]
    base, _, size = name.partition("@")
    if base not in RECIPES and base not in DRIVES:
        raise BadInput(f"no dataset is called {base!r}; {nearest(base)}")
    if size:
        if not size.isdecimal() or int(size) == 0:
            raise BadInput(f"{name!r}: after @ comes a number of transitions")
        transitions = int(size)
    if base in DRIVES:
        return DRIVES[base] if transitions is None else DRIVES[base].sized(transitions)
    return RECIPES[base] if transitions is None else replace(RECIPES[base], transitions=transitions)


def nearest(name: str) -> str:
    """Some names that are like one that is not there."""
    near = get_close_matches(name, [*NAMED, *RECIPES, *DEMONSTRATIONS, *DRIVES], cutoff=0)
    return f"there are {', '.join(near)} and others, which `instinct datasets` lists"


def is_made(name: str) -> bool:
    """Whether a dataset of that name is made here when it is first asked for."""
    return name.partition("@")[0] in {*RECIPES, *DRIVES} or name in DEMONSTRATIONS


def size_of(name: str) -> int:
    """How many transitions a dataset that is made here has at most; 0 for all others."""
    return recipe(name).transitions if is_made(name) else 0


def task_of(name: str) -> str | None:
    """The task that a named dataset was recorded in, if a policy can be judged there."""
    if name in DEMONSTRATIONS:
        return DEMONSTRATIONS[name].where.name
    base = name.partition("@")[0]
    safe = name.replace(dsrl.PREFIX, safety.PREFIX, 1) if name.startswith(dsrl.PREFIX) else base
    if safe in DRIVES:
        return safe
    word = name.removeprefix(d4rl.PREFIX).partition("-")[0]
    named = name.startswith(d4rl.PREFIX) or base in RECIPES
    return word if named and word in BODIES else None


def goals_end(name: str) -> bool:
    """Whether the terminals of a named dataset are where a goal was reached."""
    return name in DEMONSTRATIONS and DEMONSTRATIONS[name].goal_terminal
