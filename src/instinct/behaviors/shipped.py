"""The behavior policies that come with the package: per task, snapshots of one training."""

import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from instinct.behaviors.behavior import Behavior
from instinct.data import Array, Box
from instinct.deep.training.checkpoint import load_arrays, nest, save_tree
from instinct.deep.training.runs import read_metrics
from instinct.errors import BadInput
from instinct.util.atomic import write_atomically
from instinct.util.hashing import hash_bytes

FOLDER = Path(str(files("instinct.behaviors"))) / "policies"
LEVELS = ("random", "medium", "expert")
"""The snapshots with a name of their own; those before medium are called replay-1, …"""


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


@dataclass(frozen=True)
class Shipped:
    """The snapshots of a task and the command that trained them."""

    task: str
    command: str
    snapshots: tuple[Snapshot, ...]

    def names(self, quality: str) -> tuple[str, ...]:
        """Return the snapshots that are recorded for a dataset of that quality, in order."""
        if quality in LEVELS:
            return (quality,)
        if quality == "medium-expert":
            return ("medium", "expert")
        medium = next(snapshot for snapshot in self.snapshots if snapshot.name == "medium")
        return tuple(s.name for s in self.snapshots if s.step <= medium.step)


def shipped_tasks(folder: Path = FOLDER) -> list[str]:
    """Return the tasks that have shipped behaviors."""
    return sorted(path.stem for path in folder.glob("*.json"))


@cache
def shipped(task: str, folder: Path = FOLDER) -> Shipped:
    path = folder / f"{task}.json"
    if not path.exists():
        raise BadInput(f"no behaviors are shipped for {task!r}")
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    snapshots = tuple(Snapshot(**row) for row in content["snapshots"])
    return Shipped(content["task"], content["command"], snapshots)


@cache
def weights_hash(task: str, folder: Path = FOLDER) -> str:
    """Return the SHA-256 of the shipped weights."""
    return hash_bytes((folder / f"{task}.safetensors").read_bytes())


@cache
def behaviors(task: str, folder: Path = FOLDER) -> dict[str, Behavior]:
    """Load the shipped policies of a task by snapshot; they act in [-1, 1], with noise."""
    arrays, _ = load_arrays(folder / f"{task}.safetensors")
    networks = nest({name: array.astype(np.float32) for name, array in arrays.items()})
    return {
        name: Behavior(network, Box.of(len(network[-1]["bias"]) // 2))
        for name, network in networks.items()
    }


def curve(task: str, folder: Path = FOLDER) -> dict[str, Array]:
    """Return the training curve of the shipped snapshots, as columns by name."""
    return read_metrics(folder / f"{task}.csv")


def ship(content: Shipped, networks: dict[str, Any], training: Path, folder: Path = FOLDER) -> None:
    """Write the weights of a task in half precision, the table and the training curve."""
    half = {
        name: [{part: np.asarray(a, np.float16) for part, a in layer.items()} for layer in network]
        for name, network in networks.items()
    }
    save_tree(folder / f"{content.task}.safetensors", half)
    write_atomically(folder / f"{content.task}.csv", (training / "curve.csv").read_bytes())
    text = json.dumps(asdict(content), indent=2) + "\n"
    write_atomically(folder / f"{content.task}.json", text.encode())
