"""Our datasets beside the paper's: score and length of the behaviour."""

from dataclasses import dataclass

from instinct.data import Array
from instinct.data.summary import Summary
from instinct.paper.tables import table as published
from instinct.report.tables import Table


@dataclass(frozen=True)
class Row:
    """One of our datasets with the normalised scores of its episodes."""

    name: str
    summary: Summary
    scores: Array


def comparison(rows: list[Row]) -> Table:
    """Mean score and length per episode, ours and the paper's behavior column."""
    scores, lengths = behavior("d4rl_scores"), behavior("d4rl_episode_lengths")
    return Table(
        "datasets",
        "Mean normalised score and length of the episodes, ours beside the paper's.",
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


def behavior(name: str) -> dict[str, float]:
    """The paper's behavior column in one of its tables."""
    return {row.dataset: row.mean for row in published(name) if row.algorithm == "behavior"}


def number(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def markdown(table: Table) -> str:
    """The table as it stands in a document."""
    lines = [table.columns, ("---", *["---:"] * (len(table.columns) - 1)), *table.shown]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
