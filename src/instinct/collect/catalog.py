"""Datasets by name: the project's own, made on this machine, and files of the user's."""

from collections.abc import Callable
from pathlib import Path

from instinct.data import ActionRange, Dataset, read
from instinct.errors import BadInput
from instinct.tasks.gridworld import GridWorld

NAMED: dict[str, Callable[[], Dataset]] = {"gridworld": lambda: GridWorld().dataset()}


def find(name: str, *, action_range: ActionRange | None = None) -> Dataset:
    """The dataset of that name, or in the file or folder at that path."""
    if name in NAMED:
        return NAMED[name]()
    if not Path(name).exists():
        raise BadInput(
            f"is neither a file nor the name of a dataset ({', '.join(NAMED)})", file=name
        )
    return read(name, action_range=action_range)
