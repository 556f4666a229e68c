"""The sections of single quantities: a table with the paper's numbers beside ours, and a figure."""

from collections.abc import Iterator

from instinct.benchmarks.registry import short_name
from instinct.data import ALL
from instinct.report.kit.page import Drawing, Section
from instinct.report.kit.score_figures import LENGTH, SCORE, SUCCESS, Bar, Scale, draw_scores
from instinct.report.kit.tables import Table
from instinct.report.sections.tables import grid
from instinct.study.findings import Findings
from instinct.study.measurement import QUANTITIES
from instinct.study.plan import reads_rewards
from instinct.study.statistics import estimate

SCALES = {"score": SCORE, "success": SUCCESS, "length": LENGTH}


def quantity_sections(findings: Findings) -> Iterator[Section]:
    """Make one section per quantity; the safety section has reward and cost already."""
    there = findings.quantities()
    together = (findings.main, "cost", "normalized_cost") if "normalized_cost" in there else ()
    for quantity in findings.quantities():
        if quantity not in together:
            yield quantity_section(findings, quantity)


def quantity_section(findings: Findings, quantity: str) -> Section:
    """Make the table and the figure of one quantity."""
    scale = SCALES.get(quantity, Scale(QUANTITIES[quantity], (0, 0), decimals=2))
    families = map(findings.plan.benchmark_of, findings.plan.datasets)
    if quantity == "length" and not any("length" in family.paper_tables for family in families):
        scale = Scale(QUANTITIES[quantity], (0, 0), decimals=0)
    what = QUANTITIES[quantity]
    error = "± one standard error over seeds, " if findings.plan.seeds > 1 else ""
    caption = (
        f"{what.capitalize()} of the final policy: mean, {error}{findings.plan.episodes} test "
        f"episodes {per_seed(findings.plan.seeds)}."
    )
    detail = (quantity == "return" and findings.main != "return") or (
        quantity == "length" and "normalized_cost" in findings.quantities()
    )
    return Section(
        title=what.capitalize(),
        tables=(Table(quantity, caption, *grid(findings, quantity)),),
        drawings=(
            Drawing(f"{quantity}-figure", draw_scores(bars(findings, quantity), scale), caption),
        ),
        detail=detail,
        folded=quantity != findings.main,
    )


def per_seed(seeds: int) -> str:
    return "of one seed" if seeds == 1 else f"for each of {seeds} seeds"


def bars(findings: Findings, quantity: str) -> Iterator[Bar]:
    """Return the bars of the figure: the recorded behavior first, then every cell."""
    for dataset in findings.plan.datasets:
        recorded = findings.data.get(dataset, {}).get("behavior", {}).get(quantity)
        if recorded is not None:
            yield Bar(short_name(dataset, findings.plan.datasets), "behavior", None, recorded)
    for cell, found in findings.results.items():
        label = cell.label if reads_rewards(cell.algorithm) else None
        name = short_name(cell.dataset, findings.plan.datasets)
        algorithm = cell.algorithm + ("" if cell.filter == ALL else f", {cell.filter}")
        if quantity not in found.means:
            yield Bar(name, algorithm, label, None)
            continue
        values = found.means[quantity]
        stderr = estimate(values).stderr if len(values) > 1 else None
        yield Bar(name, algorithm, label, float(values.mean()), stderr)
