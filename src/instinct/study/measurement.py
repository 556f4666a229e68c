"""What a trial measured: its test episodes, and how its training went."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from instinct.data import Array
from instinct.tasks.evaluation import Evaluation

QUANTITIES = {
    "success": "success rate",
    "score": "normalized score",
    "return": "return",
    "length": "episode length",
    "cost": "cost",
    "normalized_cost": "normalized cost",
}
"""The quantities of a test episode; the first that a task has is its main one.

`score` is the task's normalized return, `cost` is summed over the episode, and `normalized_cost` is
the cost divided by the task's cost target, in tasks that have a target.
"""
SNAPSHOT_EPISODES = 10
"""At most so many test episodes are played with a policy along the training."""


def quantities(
    returns: Array | None,
    lengths: Array,
    scores: Array | None = None,
    successes: Array | None = None,
    costs: Array | None = None,
) -> dict[str, Array]:
    """Name the known quantities of episodes."""
    named = {
        "success": successes,
        "score": scores,
        "return": returns,
        "length": lengths,
        "cost": costs,
    }
    return {name: values for name, values in named.items() if values is not None}


def add_normalized_cost(means: Mapping[str, Any], cost_target: float | None) -> dict[str, Any]:
    """Add `normalized_cost` to numbers or arrays by quantity, if the task has a cost target."""
    if cost_target is None or "cost" not in means:
        return dict(means)
    return {**means, "normalized_cost": means["cost"] / cost_target}


def is_safe(normalized_cost: float) -> bool:
    """Tell whether a cost is within the target."""
    return normalized_cost <= 1


@dataclass(frozen=True)
class Measurement:
    """The result of a trial; `episodes` has one number per test episode for every quantity."""

    episodes: Mapping[str, tuple[float, ...]]
    curves: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Metrics during training, with their `step`."""
    actions: tuple[tuple[float, ...], ...] = ()
    """Actions of the final policy at some recorded states, scaled to [-1, 1]."""
    training_seconds: float = 0.0
    evaluation_seconds: float = 0.0
    seconds: float = 0.0
    """Total time, including opening the dataset."""
    failure: str = ""
    progress: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Means over a few test episodes of policies during training, with their `step`."""
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    """Numbers about the trained agent from recorded states (`deep/training/diagnostics.py`)."""

    @property
    def main(self) -> str:
        """The main quantity of the task."""
        return next(name for name in QUANTITIES if name in self.episodes)

    def mean(self, quantity: str) -> float:
        values = self.episodes[quantity]
        return sum(values) / len(values)


def action_rows(actions: Array) -> tuple[tuple[float, ...], ...]:
    """Return actions for storage: vectors in [-1, 1], or one number per row if discrete."""
    rows = np.asarray(actions, float).reshape(len(actions), -1).round(5)
    return tuple(map(tuple, rows.tolist()))


def per_episode(result: Evaluation) -> dict[str, tuple[float, ...]]:
    """Return every quantity of an evaluation per episode."""
    named = quantities(
        result.returns, result.lengths, result.scores, result.successes, result.costs
    )
    return {name: tuple(np.asarray(values, float).tolist()) for name, values in named.items()}
