"""The evidence for claims: results of several studies, and comparisons of two sets of seeds."""

from collections.abc import Iterator, Sequence

import numpy as np

from instinct.benchmarks.registry import find_benchmark, goals_end
from instinct.data import ALL, Array
from instinct.experiments.results import ExperimentResults
from instinct.study.findings import Findings
from instinct.study.plan import Cell

SAME = 10.0
"""Scores are called the same up to this difference plus a standard error."""


class Evidence:
    """The findings of several studies, and the results of experiments.

    Results of the same cell are combined.
    """

    def __init__(
        self, studies: Sequence[Findings], computed: Sequence[ExperimentResults] = ()
    ) -> None:
        self.studies, self.computed = studies, computed

    @property
    def datasets(self) -> list[str]:
        return list(dict.fromkeys(name for each in self.studies for name in each.plan.datasets))

    def seeds(self, dataset: str, algorithm: str, label: str, quantity: str) -> Array | None:
        """Return the mean of every seed, from complete studies with the same settings.

        The settings are those of the first complete study.
        """
        known: dict[int, float] = {}
        changes = None
        for findings in self.studies:
            plan = findings.plan
            found = findings.result(dataset, algorithm, label) if label in plan.labels else None
            values = None if found is None else found.means.get(quantity)
            if found is None or values is None or len(values) < plan.seeds:
                continue
            changes = found.changes if changes is None else changes
            if found.changes == changes:
                known = {**dict(zip(found.seeds, map(float, values), strict=True)), **known}
        return np.array([*known.values()]) if known else None

    def recorded(self, dataset: str, quantity: str) -> float | None:
        """Return the mean over the recorded episodes."""
        for findings in self.studies:
            value = findings.data.get(dataset, {}).get("behavior", {}).get(quantity)
            if value is not None:
                return float(value)
        return None

    def bias(self, dataset: str, algorithm: str) -> float | None:
        for findings in self.studies:
            if dataset in findings.plan.datasets and algorithm in findings.plan.algorithms:
                found = findings.bias(dataset, algorithm)
                if found is not None:
                    return found.estimate
        return None

    def filtered(self) -> Iterator[tuple[Cell, Array, Array]]:
        """Yield the costs of agents with a filter, and of the same agents without it."""
        for findings in self.studies:
            for cell, found in findings.results.items():
                whole = findings.results.get(cell._replace(filter=ALL))
                if cell.filter != ALL and whole is not None:
                    costs = [each.means.get("normalized_cost") for each in (found, whole)]
                    if costs[0] is not None and costs[1] is not None:
                        yield cell, costs[0], costs[1]

    def falling(self, *qualities: str) -> list[str]:
        """Return the datasets of these qualities in which a terminal is a fall."""
        return [
            name
            for name in self.datasets
            if quality(name) in qualities and find_benchmark(name).end_of(name) == "fall"
        ]

    def goals(self) -> list[str]:
        """Return the datasets whose terminals mark successes."""
        return [name for name in self.datasets if goals_end(name)]


def quality(dataset: str) -> str:
    """Return the quality of a dataset, such as "medium"; empty in families without qualities."""
    return find_benchmark(dataset).quality_of(dataset)


def difference_error(one: Array, other: Array) -> float:
    """Return the standard error of the difference of two means over seeds."""
    if min(len(one), len(other)) < 2:
        return 0.0
    return float(np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other)))


def no_worse(one: Array, other: Array) -> bool:
    """Return whether `one` is not below `other` by more than the standard error."""
    return bool(one.mean() >= other.mean() - difference_error(one, other))


def better(one: Array, other: Array) -> bool:
    """Return whether `one` is above `other` by more than the standard error."""
    return bool(one.mean() > other.mean() + difference_error(one, other))


def same(one: Array, other: Array) -> bool:
    """Return whether the means differ by at most ten points plus the standard error."""
    return bool(abs(one.mean() - other.mean()) <= SAME + difference_error(one, other))
