"""The page of the paper's own numbers: its tables and figures, and their positive bias."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from instinct.experiments.paper_bias.compute import SOURCES
from instinct.experiments.results import ExperimentResults
from instinct.paper.tables import table as published
from instinct.report.kit.page import Drawing, Page, Section
from instinct.report.kit.panels import unique
from instinct.report.kit.score_figures import (
    BASELINES,
    LENGTH,
    ORDER,
    SCORE,
    SUCCESS,
    Bar,
    BiasBar,
    Scale,
    draw_bias,
    draw_scores,
)
from instinct.report.kit.tables import Missing, Number, Table, TableCell

MAIN = "ATAC"
"""The algorithm of the paper's figure of positive bias."""


class PaperTable(NamedTuple):
    """A table of the paper, with the title, axis and text of its section."""

    title: str
    name: str
    scale: Scale
    text: str


TABLES = (
    PaperTable(
        "Normalized scores on D4RL",
        "d4rl_scores",
        SCORE,
        "100 (dashed) is the score of D4RL's expert.",
    ),
    PaperTable(
        "Episode lengths on D4RL",
        "d4rl_episode_lengths",
        LENGTH,
        "How long policies survive. An episode ends after 1,000 steps. Halfcheetah cannot fall.",
    ),
    PaperTable(
        "Success rates on Meta-World",
        "metaworld_success",
        SUCCESS,
        "On goals that are not in the data.",
    ),
)
BIAS = (
    "J*/max(J* - min(J_zero, J_random, J_negative), 0), with J* = {}. It is 1 if the worst policy "
    "of the three wrong rewards scores 0, and infinite if this policy reaches J*."
)


def compose(results: ExperimentResults) -> Page:
    return Page(
        title="Positive bias in the paper's own numbers",
        summary=summary(results),
        sections=(
            *(bias(results, benchmark) for benchmark in SOURCES),
            *(scores(source) for source in TABLES),
            Section(
                "The paper's tables", tables=tuple(table(source) for source in TABLES), detail=True
            ),
        ),
        provenance={
            "scores": "the means and standard errors of the paper's tables: final policies, "
            "10 seeds, 50 episodes each",
            "versions": ", ".join(f"{name} {text}" for name, text in results.versions.items()),
        },
    )


def summary(results: ExperimentResults) -> str:
    """Count infinite biases, and name the datasets with the largest bias."""
    counts = []
    for benchmark in SOURCES:
        found = [degree(row) for row in results.results if row["benchmark"] == benchmark]
        counts.append(f"{sum(map(math.isinf, found))} of {len(found)} on {benchmark}")
    main = [row for row in results.results if row["algorithm"] == MAIN]
    largest = sorted(main, key=degree, reverse=True)[:5]
    named = ", ".join(f"{Number(degree(row), '.3g')} on {row['dataset']}" for row in largest)
    return (
        "The positive bias is infinite where policies reach the optimal score under every wrong "
        f"reward. In the paper's numbers this holds for {', '.join(counts)} pairs of dataset and "
        f"algorithm. The largest of {MAIN}: {named}."
    )


def scores(source: PaperTable) -> Section:
    bars = [
        Bar(row.dataset, row.algorithm, row.label, row.mean, row.stderr)
        for row in published(source.name)
    ]
    drawing = draw_scores([bar for bar in bars if bar.kind in ORDER], source.scale)
    caption = f"{source.title}: the mean over 10 seeds, and one standard error."
    return Section(
        source.title, text=(source.text,), drawings=(Drawing(source.name, drawing, caption),)
    )


def table(source: PaperTable) -> Table:
    """Tabulate one row per dataset and algorithm: the baselines, then the labels."""
    rows = published(source.name)
    there = {(row.dataset, row.algorithm, row.label): row for row in rows}
    baselines = [name for name in BASELINES if any(row.algorithm == name for row in rows)]
    labels = unique(row.label for row in rows if row.label is not None)

    def cell(dataset: str, algorithm: str, label: str | None) -> TableCell:
        row = there.get((dataset, algorithm, label))
        if row is None:
            return Missing("the paper has no number")
        return Number(row.mean, f".{source.scale.decimals or 1}f", row.stderr)

    return Table(
        source.name,
        f"{source.title}: the mean ± one standard error over 10 seeds.",
        ("dataset", "algorithm", *baselines, *labels),
        tuple(
            (
                dataset,
                algorithm,
                *(cell(dataset, name, None) for name in baselines),
                *(cell(dataset, algorithm, label) for label in labels),
            )
            for dataset, algorithm in dict.fromkeys((row.dataset, row.algorithm) for row in rows)
            if algorithm not in BASELINES
        ),
    )


def bias(results: ExperimentResults, benchmark: str) -> Section:
    rows = [row for row in results.results if row["benchmark"] == benchmark]
    found = {(row["dataset"], row["algorithm"]): degrees(row) for row in rows}
    algorithms = unique(row["algorithm"] for row in rows)
    name = f"bias_{benchmark.lower().replace('-', '')}"
    caption = (
        f"Estimated positive bias of the {benchmark} datasets with 95% intervals; × is infinite."
    )
    return Section(
        f"Positive bias of {benchmark}",
        text=(BIAS.format(f"{SOURCES[benchmark].best:g}"),),
        tables=(
            Table(
                name,
                caption.replace("×", "∞"),
                ("dataset", *algorithms),
                tuple(
                    (
                        dataset,
                        *(
                            Number(value, ".3g", interval=(low, high))
                            for value, low, high in (found[dataset, each] for each in algorithms)
                        ),
                    )
                    for dataset in unique(row["dataset"] for row in rows)
                ),
            ),
        ),
        drawings=(
            Drawing(
                name, draw_bias([BiasBar(*key, *three) for key, three in found.items()]), caption
            ),
        ),
    )


def degree(row: Mapping[str, Any]) -> float:
    """Parse a bias: infinity is a text in the results."""
    return float(row["positive_bias"])


def degrees(row: Mapping[str, Any]) -> tuple[float, float, float]:
    """Parse a bias and its interval."""
    return degree(row), float(row["positive_bias_low"]), float(row["positive_bias_high"])
