"""Episodes of scripted policies, played side by side and put one after another."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from instinct.behaviors.collection import Report
from instinct.benchmarks.dataset_store import get_or_make, note_of
from instinct.data import Array, Dataset
from instinct.tasks.simulation import Simulation
from instinct.util.hashing import hash_json

Act = Callable[[Array, Array], Array]
"""Actions from the numbers of the episodes that play, and what these see."""


def record(
    simulation: Simulation, seeds: Sequence[int], act: Act, report: Report | None = None
) -> dict[str, Any]:
    """The fields of a dataset: the whole episodes of these seeds, in their order."""
    playing = np.arange(len(seeds))
    observations = np.array([simulation.reset(place, seed) for place, seed in enumerate(seeds)])
    steps: list[dict[str, Any]] = []
    recorded = 0
    while len(playing):
        before = observations[playing]
        actions = act(playing, before)
        step = simulation.step(playing, actions)
        fields: dict[str, Any] = {
            "episodes": playing,
            "observations": before.astype(np.float32),
            "actions": actions,
            "rewards": step.rewards,
            "next_observations": step.observations.astype(np.float32),
            "terminals": step.terminals,
            "timeouts": step.timeouts,
        }
        steps.append(fields if step.costs is None else fields | {"costs": step.costs})
        observations[playing] = step.observations
        playing = playing[~(step.terminals | step.timeouts)]
        recorded += len(actions)
        if report is not None:
            report(recorded)
    columns = {name: np.concatenate([step[name] for step in steps]) for name in steps[0]}
    order = np.argsort(columns.pop("episodes"), kind="stable")
    return {name: array[order] for name, array in columns.items()}


class ScriptedDataset(ABC):
    """A dataset by name that scripts make on this machine, once."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def transitions(self) -> int:
        """At most so many."""

    @abstractmethod
    def provenance(self) -> dict[str, Any]:
        """All that determines the data."""

    @abstractmethod
    def make(self, report: Report | None = None) -> Dataset:
        """Play all episodes."""

    @property
    def entry(self) -> str:
        """The name under which it is kept; other versions give another."""
        return f"{self.name.replace(':', '-')}-{hash_json(self.provenance())[:12]}"

    def note(self) -> dict[str, Any] | None:
        """What is noted of the dataset, if it has been made."""
        return note_of(self.entry)

    def dataset(self, report: Report | None = None) -> Dataset:
        """From the data folder, or made now and kept there."""
        return get_or_make(self.entry, lambda: self.make(report), self.provenance())
