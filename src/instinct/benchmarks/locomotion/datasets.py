"""The fifteen locomotion datasets, recorded on this machine from the shipped behaviors."""

from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, NamedTuple

from instinct.behaviors.behavior import Behavior
from instinct.behaviors.choice import default_behavior
from instinct.behaviors.collection import Part, collect, divide
from instinct.behaviors.shipped import FIRST, behaviors, shipped, shipped_names, weights_hash
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


class Source(NamedTuple):
    """A snapshot of a behavior, and how much it contributes relative to the others."""

    behavior: str
    snapshot: str
    weight: int


@dataclass(frozen=True)
class Recordings(Recipe):
    """Recordings of a shipped behavior of one quality; of the default one if none is named."""

    task: str
    quality: str = field()
    transitions: int
    seed: int = 0
    named_behavior: str = ""

    @property
    def name(self) -> str:
        named = f":{self.named_behavior}" if self.named_behavior else ""
        return f"{self.task}-{self.quality}{named}"

    @property
    def behavior(self) -> str:
        """The name of the behavior that is recorded, such as sac-1."""
        return self.named_behavior or default_behavior(self.task, self.quality)

    def resize(self, transitions: int) -> "Recordings":
        return replace(self, transitions=transitions)

    def by(self, behavior: str) -> "Recordings":
        """Return the recipe of the same quality recorded from a named behavior."""
        known = recordable(self.task, self.quality)
        if behavior not in known:
            raise BadInput(
                f"{self.name} has no behavior {behavior!r}; there are {', '.join(known)}"
            )
        return replace(self, named_behavior=behavior)

    def sources(self) -> list[Source]:
        """Return the snapshots that are recorded, in order.

        Behaviors other than the first have no expert of their own: medium-expert then continues
        with the first one's.
        """
        own = shipped(self.task, self.behavior)
        if self.quality == "medium-expert" and not own.has("expert"):
            return [Source(self.behavior, "medium", 1), Source(FIRST, "expert", 1)]
        return [Source(self.behavior, *share) for share in own.shares(self.quality)]

    @property
    def source(self) -> str:
        """The trainings and steps at which the behaviors were taken."""
        steps: dict[str, list[str]] = {}
        for each in self.sources():
            step = shipped(self.task, each.behavior).snapshot(each.snapshot).step
            steps.setdefault(each.behavior, []).append(f"{step:,}")
        ranges = {name: f"{s[0]}–{s[-1]}" if len(s) > 1 else s[0] for name, s in steps.items()}
        return ", ".join(f"{name} at {range_}" for name, range_ in ranges.items())

    def provenance(self) -> dict[str, Any]:
        sources = self.sources()
        found = {
            "name": f"{self.task}-{self.quality}",
            "transitions": self.transitions,
            "seed": self.seed,
            "behaviors": weights_hash(self.task, self.behavior),
            "snapshots": [each.snapshot for each in sources],
            "environment": BODIES[self.task].environment,
            "gymnasium": version("gymnasium"),
            "mujoco": version("mujoco"),
            "recipe": VERSION,
        }
        if len({each.weight for each in sources}) > 1:
            found["weights"] = [each.weight for each in sources]
        if len({each.behavior for each in sources}) > 1:
            found["expert"] = weights_hash(self.task, FIRST)
        return found

    @property
    def entry(self) -> str:
        kind = f"{self.task}-{self.quality}"
        return f"{kind}-{self.transitions}-{hash_json(self.provenance())[:12]}"

    def make(self, on_progress: Progress = no_progress) -> Dataset:
        """Record the behaviors; every snapshot contributes according to its weight."""
        sources = self.sources()
        counts = divide(self.transitions, [each.weight for each in sources])
        if min(counts) < 1:
            raise BadInput(f"{self.name} needs more transitions, for all its {len(counts)} parts")
        parts = [Part(self.policy(s), n) for s, n in zip(sources, counts, strict=True)]
        return collect(LocomotionTask(self.task), parts, self.seed, on_progress)

    def policy(self, source: Source) -> Behavior:
        return behaviors(self.task, source.behavior)[source.snapshot]


def recordable(task: str, quality: str) -> list[str]:
    """Return the behaviors of a task that can record a quality."""
    needed = "medium" if quality == "medium-expert" else quality
    return [name for name in shipped_names(task) if shipped(task, name).has(needed)]


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
