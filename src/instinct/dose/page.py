"""The page of dose-response studies: performance against dose, and where the reward matters."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from instinct.dose.changepoint import Changepoint
from instinct.dose.curves import GAP, Curve, Point, read_curves
from instinct.dose.run import Doses
from instinct.report.kit.figures import INK, figure, label_colors, styled
from instinct.report.kit.page import Drawing, Page, Section, Verdict
from instinct.report.kit.tables import Table, TableCell
from instinct.report.sections.numbers import form_of, mean_cell, seed_interval
from instinct.report.study_page import provenance
from instinct.study.findings import Findings
from instinct.study.measurement import QUANTITIES


def compose_doses(doses: Doses) -> Page:
    """Make the page of all kinds."""
    sections, verdicts = [], []
    for findings in doses.findings.values():
        for curve in read_curves(findings):
            form = form_of(findings.plan, curve.quantity)
            sections.append(section(curve, form))
            verdicts.append(verdict(curve, form))
    skipped = tuple(f"{kind}: {reason}" for kind, reason in doses.left_out.items())
    studies = [*doses.findings.values()]
    return Page(
        title=f"Doses of {doses.dataset}",
        summary=summary(doses.dataset, studies),
        sections=tuple(sections),
        provenance=provenance(studies[0]),
        verdicts=tuple(verdicts),
        missing=(*(text for each in studies for text in each.missing), *skipped),
    )


def summary(dataset: str, studies: Sequence[Findings]) -> str:
    ended, trials = (sum(getattr(each, name) for each in studies) for name in ("ended", "trials"))
    plan = studies[0].plan
    return (
        f"How wrong the rewards of {dataset} and how bad its episodes may be: "
        f"{', '.join(plan.algorithms)}, {plan.seeds} {'seed' if plan.seeds == 1 else 'seeds'}, "
        f"{ended} of {trials} runs ended."
    )


def section(curve: Curve, form: str) -> Section:
    title = f"{curve.algorithm}: {curve.axis}"
    name = f"{curve.algorithm}-{curve.kind}".lower()
    caption = f"{QUANTITIES[curve.quantity].capitalize()} against dose; bars are 95% intervals."
    return Section(
        title,
        tables=(dose_table(name, curve, form),),
        drawings=(Drawing(f"{name}-figure", draw_curve(curve), caption),),
    )


def dose_table(name: str, curve: Curve, form: str) -> Table:
    """Make the table with a row per dose."""
    lines = [*curve.lines]
    if curve.response not in lines:
        lines.append(curve.response)
    doses = sorted({point.dose for line in lines for point in line.points})
    known = [{point.dose: point for point in line.points} for line in lines]
    headings = [
        QUANTITIES[curve.quantity] if line.name == curve.kind else line.name for line in lines
    ]
    return Table(
        name,
        f"{QUANTITIES[curve.quantity].capitalize()} by {curve.axis}; 95% intervals over seeds.",
        (curve.axis, *headings),
        tuple((f"{dose:.0%}", *(cell(each.get(dose), form) for each in known)) for dose in doses),
    )


def cell(point: Point | None, form: str) -> TableCell:
    return mean_cell(None if point is None else point.values, form)


def verdict(curve: Curve, form: str) -> Verdict:
    """Say from which dose on the reward matters."""
    start = f"{curve.algorithm}, {curve.axis}: "
    found = curve.changepoint()
    if found is None:
        text = "a changepoint needs three doses with two seeds each."
        return Verdict(start + text, "warning", "dose-unknown")
    change = (
        f"{found.change.value:+{form}} ({found.change.low:{form}} to {found.change.high:{form}})"
    )
    numbers = {"dose": found.dose, "low": found.low, "high": found.high}
    numbers |= {"change": found.change.value}
    what = GAP if curve.response.name == GAP else QUANTITIES[curve.quantity]
    if not found.matters:
        text = f"no dose matters measurably; the highest one changes {what} by {change}."
        return Verdict(start + text, "note", "dose-flat", numbers)
    text = (
        f"{what} starts to change at a dose of {found.dose:.0%} (95% interval {found.low:.0%} to "
        f"{found.high:.0%}); the highest dose changes it by {change}."
    )
    return Verdict(start + text, "note", "dose-changepoint", numbers)


def draw_curve(curve: Curve) -> Figure:
    """Draw the lines with their intervals, and the changepoint with its own as a band."""
    found = curve.changepoint()
    colors = label_colors(line.name for line in curve.lines)
    with styled():
        drawing = figure(4.6, 3.0)
        axes = drawing.add_subplot()
        for line in curve.lines:
            xs = [point.dose for point in line.points]
            means = [float(np.mean(point.values)) for point in line.points]
            name = curve.algorithm if line.name == curve.kind else line.name
            axes.plot(xs, means, "o-", color=colors[line.name], label=name)
            for x, low, high in intervals(line.points):
                axes.vlines(x, low, high, color=colors[line.name], linewidth=1)
        if found is not None and found.matters:
            mark(axes, found)
        axes.set_xlabel(curve.axis)
        axes.set_ylabel(QUANTITIES[curve.quantity])
        axes.legend()
    return drawing


def intervals(points: Sequence[Point]) -> Iterator[tuple[float, float, float]]:
    for point in points:
        around = seed_interval(point.values)
        if around is not None:
            yield point.dose, around.low, around.high


def mark(axes: Axes, found: Changepoint) -> None:
    axes.axvspan(found.low, found.high, color=INK, alpha=0.08)
    axes.axvline(found.dose, color=INK, linewidth=1, linestyle="--")
