"""The page of a study with runs, and of an audit: made from the findings in its store."""

from collections.abc import Iterator

from instinct.benchmarks.locomotion.simulation import BODIES
from instinct.data import ALL
from instinct.report.kit.page import Drawing, Page, Section
from instinct.report.kit.panels import unique
from instinct.report.kit.score_figures import (
    LENGTH,
    SCORE,
    SUCCESS,
    Bar,
    Scale,
    draw_scores,
)
from instinct.report.kit.tables import Table
from instinct.report.sections.bias import bias_section, goal_terminal_section, short
from instinct.report.sections.common import (
    FEW,
    curves_section,
    data_section,
    moves_section,
    overview,
    settings_section,
)
from instinct.report.sections.filters import filter_section
from instinct.report.sections.safety import safety_section
from instinct.report.sections.tables import grid
from instinct.report.verdicts import verdicts
from instinct.study.findings import Findings
from instinct.study.measured import QUANTITIES
from instinct.study.plan import reads_rewards
from instinct.study.statistics import estimate

SCALES = {"score": SCORE, "success": SUCCESS, "length": LENGTH}


def compose(findings: Findings) -> Page:
    """Verdicts, tables beside the paper's, figures, learning curves, and what all of it is."""
    plan = findings.plan
    sections = [
        *judged(findings),
        *overview(findings),
        *moves_section(findings),
        data_section(findings),
        *curves_section(findings),
        *settings_section(findings),
    ]
    found = tuple(v for dataset in plan.datasets for v in verdicts(findings, dataset))
    return Page(
        title=plan.name[:1].upper() + plan.name[1:],
        summary=summary(findings),
        sections=tuple(sections),
        provenance=provenance(findings),
        verdicts=found if len(plan.datasets) <= FEW else (),
        missing=findings.missing,
    )


def judged(findings: Findings) -> Iterator[Section]:
    """What the policies reached, what filters removed, and the positive bias of the data."""
    together = ("reward", "cost") if "cost" in findings.quantities() else ()
    yield from safety_section(findings)
    for quantity in findings.quantities():
        if quantity not in together:
            yield measures(findings, quantity)
    yield from filter_section(findings)
    yield from bias_section(findings)
    yield from goal_terminal_section(findings)


def summary(findings: Findings) -> str:
    plan = findings.plan
    said = (
        f"{plan.description}: {', '.join(plan.algorithms)} under {', '.join(plan.labels)} rewards, "
        f"{filters_said(findings)}"
        f"{plan.seeds} {'seed' if plan.seeds == 1 else 'seeds'}, "
        f"{findings.ended} of {findings.trials} runs ended."
    )
    if plan.scaled:
        said += f" Scaled down from the plan: {'; '.join(plan.scaled)}."
    return said


def filters_said(findings: Findings) -> str:
    filters = unique(cell.filter for cell in findings.plan.cells())
    return f"data: {' and '.join(filters)}, " if findings.plan.is_filtered else ""


def measures(findings: Findings, quantity: str) -> Section:
    """One quantity: the table beside the paper's numbers, and the figure."""
    scale = SCALES.get(quantity, Scale(QUANTITIES[quantity], (0, 0), decimals=2))
    tasks = {*map(findings.plan.task_of, findings.plan.datasets)}
    if quantity == "length" and not tasks & {*BODIES}:
        scale = Scale(QUANTITIES[quantity], (0, 0), decimals=0)
    what = QUANTITIES[quantity]
    error = "± one standard error over seeds, " if findings.plan.seeds > 1 else ""
    caption = (
        f"{what.capitalize()} of the final policy: mean, {error}{findings.plan.episodes} test "
        f"episodes {per_seed(findings.plan.seeds)}."
    )
    return Section(
        title=what.capitalize(),
        tables=(Table(quantity, caption, *grid(findings, quantity)),),
        drawings=(
            Drawing(f"{quantity}-figure", draw_scores(bars(findings, quantity), scale), caption),
        ),
        detail=(quantity == "return" and findings.main != "return")
        or (quantity == "length" and "cost" in findings.quantities()),
    )


def per_seed(seeds: int) -> str:
    return "of one seed" if seeds == 1 else f"for each of {seeds} seeds"


def bars(findings: Findings, quantity: str) -> Iterator[Bar]:
    for dataset in findings.plan.datasets:
        recorded = findings.data.get(dataset, {}).get("behavior", {}).get(quantity)
        if recorded is not None:
            yield Bar(short(dataset, findings.plan), "behavior", None, recorded)
    for cell, found in findings.found.items():
        label = cell.label if reads_rewards(cell.algorithm) else None
        name = short(cell.dataset, findings.plan)
        algorithm = cell.algorithm + ("" if cell.filter == ALL else f", {cell.filter}")
        if quantity not in found.means:
            yield Bar(name, algorithm, label, None)
            continue
        values = found.means[quantity]
        stderr = estimate(values).stderr if len(values) > 1 else None
        yield Bar(name, algorithm, label, float(values.mean()), stderr)


def provenance(findings: Findings) -> dict[str, str]:
    """What the numbers are."""
    plan = findings.plan
    seeds = plan.final_seeds
    shown = {
        "policy": "the final policy of each run, judged by the true reward of the task",
        "seeds": f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"{seeds[0]} only",
        "test episodes": f"{plan.episodes:,} for every seed",
        "preset": plan.preset,
        "computing": f"{findings.seconds / 3600:.2f} core hours",
        "versions": ", ".join(f"{name} {version}" for name, version in findings.versions.items()),
    }
    if plan.tuning_seeds:
        kind = "other" if plan.new_seeds else "of the same"
        shown["tuning"] = f"{plan.tuning_seeds} {kind} seeds, rule {plan.rule}"
    if plan.scaled:
        shown["scaled down"] = "; ".join(plan.scaled)
    for dataset, facts in findings.data.items():
        shown[dataset] = f"SHA-256 {facts['hash']}"
    return shown
