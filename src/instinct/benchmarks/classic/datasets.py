"""The twelve datasets of the classic tasks, recorded on this machine from linear feedback."""

from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from typing import Any

from instinct.behaviors.collection import Part, collect, divide
from instinct.benchmarks.classic.feedback import FEEDBACK, Feedback
from instinct.benchmarks.classic.task import ClassicTask
from instinct.benchmarks.recipe import Recipe
from instinct.data import Dataset
from instinct.util.progress import Progress, no_progress

VERSION = 1
"""Increased when the same policies shall give other data."""

DEFAULT = "medium"
"""The quality that the name of a task alone means."""
PARTS = {
    "random": ("random",),
    "medium": ("medium",),
    "mixed": ("random", "medium", "expert"),
    "expert": ("expert",),
}
"""By quality: the policies that are recorded, in equal parts."""
QUALITIES = tuple(PARTS)


@dataclass(frozen=True)
class FeedbackRecordings(Recipe):
    """Episodes of linear feedback of one quality, or of several one after the other."""

    task: str
    quality: str = field()
    transitions: int = 30_000
    seed: int = 0

    @property
    def name(self) -> str:
        return self.task if self.quality == DEFAULT else f"{self.task}-{self.quality}"

    @property
    def policies(self) -> list[Feedback]:
        return [FEEDBACK[self.task][part] for part in PARTS[self.quality]]

    @property
    def source(self) -> str:
        if self.quality == "random":
            return "random actions"
        if self.quality == "mixed":
            return "random actions, medium and expert feedback"
        (policy,) = self.policies
        return f"{self.quality} feedback, {policy.noise:.0%} random actions"

    def resize(self, transitions: int) -> "FeedbackRecordings":
        return replace(self, transitions=transitions)

    def provenance(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "transitions": self.transitions,
            "seed": self.seed,
            "policies": [asdict(policy) for policy in self.policies],
            "environment": ClassicTask(self.task).world.ENVIRONMENT,
            "gymnasium": version("gymnasium"),
            "recipe": VERSION,
        }

    def make(self, on_progress: Progress = no_progress) -> Dataset:
        """Record the policies in equal parts."""
        policies = self.policies
        counts = divide(self.transitions, [1] * len(policies))
        parts = [Part(policy, n) for policy, n in zip(policies, counts, strict=True)]
        return collect(ClassicTask(self.task), parts, self.seed, on_progress)


FEEDBACK_RECORDINGS = {
    one.name: one
    for one in (FeedbackRecordings(task, quality) for task in FEEDBACK for quality in QUALITIES)
}
"""The datasets by name."""
