"""The positive bias of every dataset and algorithm in the paper's tables, from their numbers."""

from typing import NamedTuple

import numpy as np

from instinct.data import Array
from instinct.experiments.experiment import Progress, Settings, Study
from instinct.experiments.results import Results
from instinct.paper.tables import table
from instinct.study.bias import positive_bias
from instinct.util.jsonio import to_json_data


class Benchmark(NamedTuple):
    """A table of the paper, and J* on its scale."""

    table: str
    best: float


BENCHMARKS = {
    "D4RL": Benchmark("d4rl_scores", best=100),
    "Meta-World": Benchmark("metaworld_success", best=1),
}


def run(settings: Settings, progress: Progress) -> Results:
    rows = []
    for number, (name, benchmark) in enumerate(BENCHMARKS.items(), start=1):
        for (dataset, algorithm), scores in means(benchmark.table).items():
            bias = positive_bias(scores, benchmark.best)
            rows.append(
                {
                    "benchmark": name,
                    "dataset": dataset,
                    "algorithm": algorithm,
                    "positive_bias": bias.estimate,
                }
            )
        progress(number, len(BENCHMARKS), name)
    return Results(
        study="paper-bias", results=tuple(to_json_data(rows)), settings=dict(settings), dataset=""
    )


def means(name: str) -> dict[tuple[str, str], dict[str, Array]]:
    """The mean scores of a table by dataset and algorithm, and by label."""
    found: dict[tuple[str, str], dict[str, Array]] = {}
    for row in table(name):
        if row.label is not None:
            by_label = found.setdefault((row.dataset, row.algorithm), {})
            by_label[row.label] = np.array([row.mean])
    return found


PAPER_BIAS = Study(
    "paper-bias",
    "the positive bias of the paper's datasets, from the paper's own scores",
    {},
    run,
)
