"""Compute the positive bias of every dataset and algorithm in the paper's tables."""

from typing import NamedTuple

from instinct.data import WRONG_LABELS
from instinct.experiments.experiment import ExperimentSettings
from instinct.experiments.results import ExperimentResults
from instinct.paper.tables import table
from instinct.study.bias import bias_of_means
from instinct.study.intervals import Mean
from instinct.util.jsonio import to_json_data
from instinct.util.progress import Progress

RUNS = 10
"""Seeds behind every number in the paper's tables."""


class BiasSource(NamedTuple):
    """A table of the paper with the best possible score J*."""

    table: str
    best: float


SOURCES = {
    "D4RL": BiasSource("d4rl_scores", best=100),
    "Meta-World": BiasSource("metaworld_success", best=1),
}


def compute_paper_bias(settings: ExperimentSettings, on_progress: Progress) -> ExperimentResults:
    rows = []
    for number, (name, source) in enumerate(SOURCES.items(), start=1):
        for (dataset, algorithm), scores in means(source.table).items():
            bias = bias_of_means(scores, source.best)
            rows.append(
                {
                    "benchmark": name,
                    "dataset": dataset,
                    "algorithm": algorithm,
                    "positive_bias": bias.estimate,
                    "positive_bias_low": bias.low,
                    "positive_bias_high": bias.high,
                }
            )
        on_progress(number, len(SOURCES), name)
    return ExperimentResults(
        study="paper-bias", results=tuple(to_json_data(rows)), settings=dict(settings), dataset=""
    )


def means(name: str) -> dict[tuple[str, str], dict[str, Mean]]:
    """Return a table's means under wrong labels by dataset and algorithm, then by label."""
    found: dict[tuple[str, str], dict[str, Mean]] = {}
    for row in table(name):
        if row.label in WRONG_LABELS:
            by_label = found.setdefault((row.dataset, row.algorithm), {})
            by_label[row.label] = Mean(row.mean, row.stderr or 0.0, RUNS)
    return found
