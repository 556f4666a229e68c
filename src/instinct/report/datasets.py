"""Our datasets as tables: with scores beside the paper's, with goals by success, with costs."""

from dataclasses import dataclass

import numpy as np

from instinct.benchmarks.benchmark import Benchmark
from instinct.data import Array, Dataset
from instinct.data.summary import Summary, correlation
from instinct.paper.tables import table as published
from instinct.report.kit.tables import Missing, Number, Table, TableCell


@dataclass(frozen=True)
class ScoreRow:
    """A dataset with the scores of its episodes, or returns where there are no scores."""

    name: str
    summary: Summary
    scores: Array


def score_table(rows: list[ScoreRow]) -> Table:
    """Tabulate size, mean returns, scores and lengths."""
    return Table(
        "datasets",
        "Mean return, score and length of the episodes.",
        ("dataset", "transitions", "episodes", "return", "score", "length", "correlation"),
        tuple(
            (
                row.name,
                Number(row.summary.transitions, ","),
                Number(row.summary.episodes, ","),
                number(row.summary.mean_return),
                f"{row.scores.mean():.1f}",
                f"{row.summary.mean_length:.1f}",
                number(row.summary.length_return_correlation, digits=3),
            )
            for row in rows
        ),
    )


def comparison(rows: list[ScoreRow], family: Benchmark) -> Table:
    """Tabulate mean scores and lengths beside the paper's behavior column."""
    scores, lengths = behavior(family, "score"), behavior(family, "length")
    return Table(
        "datasets",
        "Mean score and length of the episodes, ours beside the paper's.",
        ("dataset", "score", "paper", "length", "paper", "correlation"),
        tuple(
            (
                row.name,
                f"{row.scores.mean():.1f}",
                number(scores.get(row.name)),
                f"{row.summary.mean_length:.1f}",
                number(lengths.get(row.name)),
                number(row.summary.length_return_correlation, digits=3),
            )
            for row in rows
        ),
    )


@dataclass(frozen=True)
class GoalRow:
    """A dataset of a task with a goal, and which of its episodes reach it."""

    name: str
    dataset: Dataset
    successes: Array

    @property
    def cells(self) -> tuple[TableCell, ...]:
        lengths, returns = self.dataset.lengths, self.dataset.returns
        bias = correlation(lengths, returns)
        return (
            self.name,
            Number(len(self.dataset), ","),
            Number(self.successes.mean(), ".0%"),
            Number(lengths.mean(), ".1f"),
            Number(lengths[self.successes].mean(), ".1f")
            if self.successes.any()
            else Missing("no episode reaches the goal"),
            Number(returns.mean(), ".1f"),
            Missing("all lengths are the same") if bias is None else Number(bias, ".3f"),
        )


def goal_table(rows: list[GoalRow]) -> Table:
    """Tabulate size, success, lengths and returns of datasets in which success ends an episode."""
    columns = ("dataset", "transitions", "success", "length", "if success", "return", "correlation")
    return Table(
        "goal-datasets",
        "Share of the episodes that reach the goal, and their mean lengths and returns.",
        columns,
        tuple(row.cells for row in rows),
    )


@dataclass(frozen=True)
class CostRow:
    """A dataset with costs, and the scores of its episodes."""

    name: str
    dataset: Dataset
    scores: Array
    target: float
    """The cost that a safe episode may have."""

    @property
    def costs(self) -> Array:
        """The cost that every episode adds up to."""
        assert self.dataset.costs is not None
        return self.dataset.per_episode(self.dataset.costs)

    @property
    def safe(self) -> Array:
        """Tell which episodes are safe."""
        return np.asarray(self.costs <= self.target)

    @property
    def cells(self) -> tuple[TableCell, ...]:
        assert self.dataset.costs is not None
        return (
            self.name,
            Number(self.dataset.episodes, ","),
            Number(len(self.dataset), ","),
            Number(self.dataset.returns.mean(), ".1f"),
            Number(self.scores.mean(), ".2f"),
            Number(self.costs.mean(), ".1f"),
            Number(self.safe.mean(), ".0%"),
            Number((self.dataset.costs > 0).mean(), ".1%"),
        )


def cost_table(rows: list[CostRow], target: float) -> Table:
    """Tabulate size, return and cost of datasets, and how much of them is safe."""
    columns = (
        "dataset",
        "episodes",
        "transitions",
        "return",
        "score",
        "cost",
        "safe episodes",
        "costly transitions",
    )
    return Table(
        "cost-datasets",
        f"Mean return, score and cost of the episodes; safe is a cost ≤ {target:.2f}.",
        columns,
        tuple(row.cells for row in rows),
    )


def behavior(family: Benchmark, quantity: str) -> dict[str, float]:
    """Return the behavior column of the paper's tables on a family."""
    return {
        row.dataset: row.mean
        for name in family.paper_tables.get(quantity, ())
        for row in published(name)
        if row.algorithm == "behavior"
    }


def number(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
