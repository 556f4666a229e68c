"""What a trial has measured, per test episode, and how its training went."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from instinct.benchmarks.safety.task import normalised_cost
from instinct.data import Array

QUANTITIES = {
    "success": "success rate",
    "score": "normalized score",
    "reward": "normalized reward",
    "return": "return",
    "length": "episode length",
    "cost": "normalized cost",
}
"""What may be measured in a test episode, the one that a task is about first."""


def quantities(
    returns: Array,
    lengths: Array,
    scores: Array | None = None,
    successes: Array | None = None,
    costs: Array | None = None,
) -> dict[str, Array]:
    """What is known of episodes; a normalised return beside a cost is a normalised reward."""
    named = {
        "success": successes,
        "score" if costs is None else "reward": scores,
        "return": returns,
        "length": lengths,
        "cost": None if costs is None else normalised_cost(costs),
    }
    return {name: values for name, values in named.items() if values is not None}


@dataclass(frozen=True)
class Measurement:
    """`episodes` has one number per test episode for every quantity that the task has."""

    episodes: Mapping[str, tuple[float, ...]]
    curves: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Metrics along the training, with their `step`."""
    actions: tuple[tuple[float, ...], ...] = ()
    """What the final policy does at some recorded states, scaled to [-1, 1]."""
    training_seconds: float = 0.0
    evaluation_seconds: float = 0.0
    seconds: float = 0.0
    """In all, with opening the data."""
    failure: str = ""

    @property
    def main(self) -> str:
        """The quantity that the task is about."""
        return next(name for name in QUANTITIES if name in self.episodes)

    def mean(self, quantity: str) -> float:
        values = self.episodes[quantity]
        return sum(values) / len(values)
