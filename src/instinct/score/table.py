"""The table of the scores of several datasets."""

from collections.abc import Mapping

from instinct.report.kit.tables import Missing, Number, Table, TableCell
from instinct.score.scoring import Score

CAPTION = (
    "Predictions without training, as shares of J*: the score is that of agents with zero rewards, "
    "with its 95% interval over episodes; then what other measures say."
)


def score_table(scores: Mapping[str, Score]) -> Table:
    """Make the table with a row per dataset."""
    measures = [*next(iter(scores.values())).measures]
    return Table(
        "score",
        CAPTION,
        ("dataset", "score", "positive bias", "negative", "original", *measures, "seconds"),
        tuple(row(name, score) for name, score in scores.items()),
    )


def row(name: str, score: Score) -> tuple[TableCell, ...]:
    ends = score.low, score.high
    interval = None if ends[0] is None or ends[1] is None else (ends[0], ends[1])
    return (
        name,
        Number(score.score, ".2f", interval=interval),
        Number(score.positive_bias, ".2f"),
        Number(score.worst, ".2f"),
        Number(score.best, ".2f"),
        *(
            Missing("not defined on these data") if value is None else Number(value, ".2f")
            for value in score.measures.values()
        ),
        Number(score.seconds, ".1f"),
    )
