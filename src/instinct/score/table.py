"""The tables of scores, and of how well they order datasets."""

from collections.abc import Iterable, Mapping

from instinct.report.kit.tables import Missing, Number, Table, TableCell
from instinct.score.agreement import Agreement
from instinct.score.scoring import Score
from instinct.study.intervals import Interval

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


def agreement_table(found: Iterable[Agreement]) -> Table:
    """Make the table with a row per measure."""
    return Table(
        "agreement",
        "Spearman's rank correlation with what trained agents showed, over datasets, with its 95% "
        "bootstrap interval; lowest is that with the bias if one family of tasks is left out. The "
        "last column compares the score's with it on the same datasets.",
        (
            "measure",
            "datasets",
            "positive bias",
            "share without reward",
            "lowest",
            "score is higher by",
        ),
        tuple(
            (
                each.measure,
                Number(each.datasets, ".0f"),
                correlation_cell(each.bias),
                correlation_cell(each.share),
                Number(each.lowest, ".2f"),
                correlation_cell(each.behind),
            )
            for each in found
        ),
    )


def correlation_cell(found: Interval) -> Number:
    return Number(found.value, ".2f", interval=(found.low, found.high))
