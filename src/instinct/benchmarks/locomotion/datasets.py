"""The fifteen locomotion datasets, made on this machine from the shipped behaviours."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from instinct.behaviors.collection import Part, Report, collect
from instinct.behaviors.shipped import behaviors, shipped, weights_hash
from instinct.benchmarks.dataset_store import get_or_make, note_of
from instinct.benchmarks.locomotion.simulation import BODIES
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.data import Dataset
from instinct.errors import BadInput
from instinct.util.hashing import hash_json

VERSION = 1
"""Raised when the same behaviours are to give other data."""

QUALITIES = ("random", "medium", "medium-replay", "medium-expert", "expert")
MILLION = 1_000_000
REPLAY_SIZES = {"hopper": 402_000, "walker2d": 302_000, "halfcheetah": 202_000}


@dataclass(frozen=True)
class Recipe:
    """One of the fifteen, with so many transitions and from that seed."""

    task: str
    quality: str
    transitions: int
    seed: int = 0

    @property
    def name(self) -> str:
        return f"{self.task}-{self.quality}"

    def provenance(self) -> dict[str, Any]:
        """All that determines the data."""
        return {
            "name": self.name,
            "transitions": self.transitions,
            "seed": self.seed,
            "behaviors": weights_hash(self.task),
            "snapshots": list(shipped(self.task).names(self.quality)),
            "environment": BODIES[self.task].environment,
            "gymnasium": version("gymnasium"),
            "mujoco": version("mujoco"),
            "recipe": VERSION,
        }

    @property
    def entry(self) -> str:
        """The name under which it is kept; other behaviours or versions give another."""
        return f"{self.name}-{self.transitions}-{hash_json(self.provenance())[:12]}"

    def note(self) -> dict[str, Any] | None:
        """What is noted of the dataset, if it has been made."""
        return note_of(self.entry)

    def make(self, report: Report | None = None) -> Dataset:
        """Play the behaviours; the snapshots contribute equally."""
        names = shipped(self.task).names(self.quality)
        if self.transitions < len(names):
            raise BadInput(f"{self.name} needs at least {len(names)} transitions")
        ends = [self.transitions * (i + 1) // len(names) for i in range(len(names))]
        counts = [end - start for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        policies = behaviors(self.task)
        parts = [Part(policies[name], count) for name, count in zip(names, counts, strict=True)]
        return collect(LocomotionTask(self.task), parts, self.seed, report)

    def dataset(self, report: Report | None = None) -> Dataset:
        """From the data folder, or made now and kept there."""
        return get_or_make(self.entry, lambda: self.make(report), self.provenance())


def default_size(task: str, quality: str) -> int:
    """D4RL's number of transitions, to the thousand."""
    if quality == "medium-replay":
        return REPLAY_SIZES[task]
    return 2 * MILLION if quality == "medium-expert" else MILLION


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(task, quality, default_size(task, quality))
        for task in BODIES
        for quality in QUALITIES
    )
}
