"""The behavior policies that come with the package: per task, snapshots of several trainings.

The behaviors of a task are named by their training: sac-0, sac-1, …
"""

import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from instinct.behaviors.behavior import Behavior
from instinct.data import Array, Box
from instinct.deep.training.checkpoint import load_arrays, nest, save_tree
from instinct.deep.training.runs import read_metrics
from instinct.errors import BadInput
from instinct.util.atomic import write_atomically
from instinct.util.hashing import hash_bytes

FOLDER = Path(str(files("instinct.behaviors"))) / "policies"
FIRST = "sac-0"
"""The behavior with snapshots of every quality."""
LEVELS = ("random", "medium", "expert")
"""The snapshots with a name of their own; those for medium-replay are called replay-1, …"""


@dataclass(frozen=True)
class Snapshot:
    """A policy at one step of its training, with means over test episodes.

    The policy acts with its own noise; in the fields `mode_…` without it.
    """

    name: str
    step: int
    mean_return: float
    score: float | None
    length: float
    mode_return: float
    mode_score: float | None
    mode_length: float
    episodes: int


class Share(NamedTuple):
    """A snapshot and how much it contributes to a dataset, relative to the others."""

    snapshot: str
    weight: int


@dataclass(frozen=True)
class Shipped:
    """The snapshots of one training of a task, and the command of the training.

    `replay` are the shares of medium-replay: the steps of the training that each snapshot stands
    for. Without it, all snapshots from random to medium contribute equally.
    """

    task: str
    name: str
    command: str
    snapshots: tuple[Snapshot, ...]
    replay: tuple[Share, ...] = ()

    def snapshot(self, name: str) -> Snapshot:
        return next(each for each in self.snapshots if each.name == name)

    def has(self, quality: str) -> bool:
        """Tell whether the behavior alone can record a dataset of that quality."""
        names = {each.name for each in self.snapshots}
        if quality == "medium-replay":
            return bool(self.replay) or {"random", "medium"} <= names
        return {*quality.split("-")} <= names

    def shares(self, quality: str) -> tuple[Share, ...]:
        """Return what is recorded for a dataset of that quality, in order."""
        if quality != "medium-replay":
            return tuple(Share(level, 1) for level in quality.split("-"))
        if self.replay:
            return self.replay
        medium = self.snapshot("medium")
        return tuple(Share(s.name, 1) for s in self.snapshots if s.step <= medium.step)


def shipped_tasks(folder: Path = FOLDER) -> list[str]:
    """Return the tasks that have shipped behaviors."""
    return sorted({path.parent.name for path in folder.glob("*/*.safetensors")})


def shipped_names(task: str, folder: Path = FOLDER) -> list[str]:
    """Return the names of the behaviors of a task."""
    return sorted((path.stem for path in (folder / task).glob("*.safetensors")), key=natural)


def natural(name: str) -> tuple[str, int]:
    """Order sac-2 before sac-10."""
    stem, _, number = name.rpartition("-")
    return (stem, int(number)) if number.isdecimal() else (name, 0)


@cache
def shipped(task: str, name: str = FIRST, folder: Path = FOLDER) -> Shipped:
    names = shipped_names(task, folder)
    if not names:
        raise BadInput(f"no behaviors are shipped for {task!r}")
    if name not in names:
        raise BadInput(f"{task} has no behavior {name!r}; there are {', '.join(names)}")
    content: dict[str, Any] = json.loads((folder / task / f"{name}.json").read_text("utf-8"))
    return Shipped(
        content["task"],
        content["name"],
        content["command"],
        tuple(Snapshot(**row) for row in content["snapshots"]),
        tuple(Share(*row) for row in content["replay"]),
    )


@cache
def weights_hash(task: str, name: str = FIRST, folder: Path = FOLDER) -> str:
    """Return the SHA-256 of the shipped weights."""
    return hash_bytes((folder / task / f"{name}.safetensors").read_bytes())


@cache
def behaviors(task: str, name: str = FIRST, folder: Path = FOLDER) -> dict[str, Behavior]:
    """Load the shipped policies of a training by snapshot; they act in [-1, 1], with noise."""
    arrays, _ = load_arrays(folder / task / f"{name}.safetensors")
    networks = nest({name: array.astype(np.float32) for name, array in arrays.items()})
    return {
        name: Behavior(network, Box.of(len(network[-1]["bias"]) // 2))
        for name, network in networks.items()
    }


def curve(task: str, name: str = FIRST, folder: Path = FOLDER) -> dict[str, Array]:
    """Return the training curve of the shipped snapshots, as columns by name."""
    return read_metrics(folder / task / f"{name}.csv")


def ship(content: Shipped, networks: dict[str, Any], training: Path, folder: Path = FOLDER) -> None:
    """Write the weights in half precision, the table and the training curve."""
    half = {
        name: [{part: np.asarray(a, np.float16) for part, a in layer.items()} for layer in network]
        for name, network in networks.items()
    }
    path = folder / content.task / content.name
    save_tree(path.with_suffix(".safetensors"), half)
    write_atomically(path.with_suffix(".csv"), (training / "curve.csv").read_bytes())
    text = json.dumps(asdict(content), indent=2) + "\n"
    write_atomically(path.with_suffix(".json"), text.encode())
