"""The fifteen locomotion datasets, recorded on this machine from the shipped behaviors."""

from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any

from instinct.behaviors.collection import Part, collect
from instinct.behaviors.shipped import behaviors, shipped, weights_hash
from instinct.benchmarks.locomotion.simulation import BODIES
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.benchmarks.recipe import Recipe
from instinct.data import Dataset
from instinct.errors import BadInput
from instinct.util.hashing import hash_json
from instinct.util.progress import Progress, no_progress

VERSION = 1
"""Increased when the same behaviors shall give other data."""

QUALITIES = ("random", "medium", "medium-replay", "medium-expert", "expert")
MILLION = 1_000_000
REPLAY_SIZES = {"hopper": 402_000, "walker2d": 302_000, "halfcheetah": 202_000}


@dataclass(frozen=True)
class Recordings(Recipe):
    """Recordings of the shipped behaviors of one quality."""

    task: str
    quality: str = field()
    transitions: int
    seed: int = 0

    @property
    def name(self) -> str:
        return f"{self.task}-{self.quality}"

    def resize(self, transitions: int) -> "Recordings":
        return replace(self, transitions=transitions)

    @property
    def source(self) -> str:
        """The steps of SAC's training at which the behaviors were taken."""
        behaviors = {s.name: s for s in shipped(self.task).snapshots}
        names = shipped(self.task).names(self.quality)
        steps = f"{behaviors[names[0]].step:,}"
        if len(names) > 1:
            steps += f"–{behaviors[names[-1]].step:,}"
        return f"SAC at {steps}"

    def provenance(self) -> dict[str, Any]:
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
        return f"{self.name}-{self.transitions}-{hash_json(self.provenance())[:12]}"

    def make(self, on_progress: Progress = no_progress) -> Dataset:
        """Record the behaviors; every snapshot contributes equally many transitions."""
        names = shipped(self.task).names(self.quality)
        if self.transitions < len(names):
            raise BadInput(f"{self.name} needs at least {len(names)} transitions")
        ends = [self.transitions * (i + 1) // len(names) for i in range(len(names))]
        counts = [end - start for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        policies = behaviors(self.task)
        parts = [Part(policies[name], count) for name, count in zip(names, counts, strict=True)]
        return collect(LocomotionTask(self.task), parts, self.seed, on_progress)


def default_size(task: str, quality: str) -> int:
    """Return D4RL's number of transitions, rounded to thousands."""
    if quality == "medium-replay":
        return REPLAY_SIZES[task]
    return 2 * MILLION if quality == "medium-expert" else MILLION


RECORDINGS = {
    one.name: one
    for one in (
        Recordings(task, quality, default_size(task, quality))
        for task in BODIES
        for quality in QUALITIES
    )
}
