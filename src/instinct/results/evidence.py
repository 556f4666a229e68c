"""What claims are checked on: the same questions to our results and to the paper's tables."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from instinct.benchmarks.registry import find_benchmark, goals_end
from instinct.data import WRONG_LABELS
from instinct.study.bias import bias_of_means
from instinct.study.intervals import Mean

SAME = 10.0
"""Scores are called the same up to this difference plus a standard error."""


class FilteredCost(NamedTuple):
    """The normalized cost of an agent trained on filtered data, and on all data if known."""

    dataset: str
    algorithm: str
    filter: str
    after: Mean
    before: Mean | None


class Evidence:
    """Means over seeds by dataset, algorithm and label, from one source."""

    @property
    def datasets(self) -> Sequence[str]:
        """The datasets, by the names that they have here."""
        raise NotImplementedError

    def mean(self, dataset: str, algorithm: str, label: str, quantity: str) -> Mean | None:
        """Return the mean over seeds, or None if it is not known."""
        raise NotImplementedError

    def stopped_imitation(self, dataset: str, quantity: str, stopped: bool) -> Mean | None:
        """Return the mean of BC with early stopping, or of BC without."""
        raise NotImplementedError

    def recorded(self, dataset: str, quantity: str) -> float | None:
        """Return the mean over the recorded episodes."""
        raise NotImplementedError

    def filtered_costs(self) -> Iterator[FilteredCost]:
        """Yield the normalized costs of agents that were trained on filtered data."""
        raise NotImplementedError

    def gridworld(self) -> Mapping[tuple[str, str], float]:
        """Return the mean returns in the grid world, by algorithm and label."""
        raise NotImplementedError

    def wrong_means(
        self, dataset: str, algorithms: Sequence[str], quantity: str
    ) -> Iterator[tuple[str, str, Mean]]:
        """Yield algorithm, wrong label and mean of all that is known on a dataset."""
        for algorithm in algorithms:
            for label in WRONG_LABELS:
                found = self.mean(dataset, algorithm, label, quantity)
                if found is not None:
                    yield algorithm, label, found

    def bias(self, dataset: str, algorithm: str) -> float | None:
        """Return the positive bias, or None if a wrong label or J* is missing."""
        benchmark = find_benchmark(dataset)
        found = self.wrong_means(dataset, [algorithm], benchmark.score_name)
        means = {label: mean for _, label, mean in found}
        if benchmark.best_score is None or len(means) < len(WRONG_LABELS):
            return None
        return bias_of_means(means, benchmark.best_score).estimate

    def falling(self, *qualities: str) -> list[str]:
        """Return the datasets of these qualities in which a terminal is a fall."""
        return [
            name
            for name in self.datasets
            if quality(name) in qualities and find_benchmark(name).end_of(name) == "fall"
        ]

    def never_falling(self, *qualities: str) -> list[str]:
        """Return the datasets of these qualities in which episodes end by a timeout only."""
        return [
            name
            for name in self.datasets
            if quality(name) in qualities and find_benchmark(name).end_of(name) == "timeout"
        ]

    def goals(self) -> list[str]:
        """Return the datasets whose terminals mark successes."""
        return [name for name in self.datasets if goals_end(name)]


def quality(dataset: str) -> str:
    """Return the quality of a dataset, such as "medium"; empty in families without qualities."""
    return find_benchmark(dataset).quality_of(dataset)


def task(dataset: str) -> str:
    """Return the task in which a dataset was recorded."""
    return find_benchmark(dataset).task_of(dataset) or ""


def difference_error(one: Mean, other: Mean) -> float:
    """Return the standard error of the difference of two means."""
    return math.hypot(one.stderr, other.stderr)


def no_worse(one: Mean, other: Mean) -> bool:
    """Return whether `one` is not below `other` by more than the standard error."""
    return one.value >= other.value - difference_error(one, other)


def better(one: Mean, other: Mean) -> bool:
    """Return whether `one` is above `other` by more than the standard error."""
    return one.value > other.value + difference_error(one, other)


def same(one: Mean, other: Mean) -> bool:
    """Return whether the means differ by at most ten points plus the standard error."""
    return abs(one.value - other.value) <= SAME + difference_error(one, other)
