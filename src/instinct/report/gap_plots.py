"""The picture beside the answer: true, wrong and imitation on one axis, so that the gap is seen."""

import math
from collections.abc import Iterator, Sequence

from instinct.benchmarks.registry import short_name
from instinct.data import ALL, WRONG_LABELS, Array
from instinct.report.cell_estimates import cell_estimates
from instinct.report.kit.dots import Dot, DotPlot, Kind, Line
from instinct.report.reward_verdicts import below_other_agents, below_the_paper, find_agents
from instinct.report.sections.numbers import form_of
from instinct.report.verdict_values import reward_readers
from instinct.study.findings import Findings
from instinct.study.intervals import Mean, mean_interval, mean_of
from instinct.study.measurement import QUANTITIES
from instinct.study.plan import Cell, reads_rewards

MOST_LINES = 14
IMITATION = "BC"
COST = "normalized_cost"


def dot(kind: Kind, mean: Mean) -> Dot:
    """Return a mean with its 95% interval, if there are several seeds."""
    if mean.runs < 2:
        return Dot(kind, mean.value)
    return Dot(kind, *mean_interval(mean))


def caption(lines: Sequence[Line], more: str = "") -> str:
    """Say what dots and bars are; bars only where there are any."""
    bars = any(dot.low is not None for line in lines for dot in line.dots)
    return f"{'Mean over seeds, 95% interval.' if bars else 'One seed: no intervals.'}{more}"


def rewards_plot(findings: Findings, dataset: str) -> DotPlot | None:
    """Plot the agents that the verdict compares, imitation, and the recorded data."""
    agents, main = find_agents(findings, dataset), str(findings.main)
    if agents is None:
        return None
    form = form_of(findings.plan, main)
    lines = [Line("true reward", (dot("true", agents.true),), agents.best)]
    lines += [
        Line(f"{label} reward", (dot("wrong", mean),), agents.without)
        for label, mean in agents.by_label.items()
    ]
    lines += baseline_lines(findings, dataset, main)
    gap = (agents.wrong, agents.true.value)
    change = "loses" if gap[0] <= gap[1] else "gains"
    size = f"{abs(gap[1] - gap[0]):{form}}"
    shaded = f" Shaded: what the worst of the wrong rewards {change}, {size}."
    if float(size) == 0:
        shaded = " No wrong reward loses anything."
    return DotPlot(
        QUANTITIES[main],
        tuple(numbered(line, form) for line in lines),
        gap,
        findings.known_best(dataset),
        caption(lines, shaded),
    )


def baseline_lines(findings: Findings, dataset: str, main: str) -> Iterator[Line]:
    """Yield imitation, and the data's own mean, which has no interval over seeds."""
    found = imitation_values(findings, dataset, main)
    if found is not None:
        yield Line("imitation", (dot("imitation", mean_of(found)),), IMITATION)
    recorded = findings.data.get(dataset, {}).get("behavior", {}).get(main)
    if recorded is not None:
        yield Line("recorded data", (Dot("recorded", float(recorded)),))


def imitation_values(findings: Findings, dataset: str, main: str) -> Array | None:
    found = findings.result(dataset, IMITATION, findings.plan.labels[0])
    return None if found is None else found.means.get(main)


def numbered(line: Line, form: str) -> Line:
    number = format(line.dots[0].value, form).replace("-", "−")
    return Line(line.name, line.dots, line.detail, number)


def results_plot(findings: Findings, dataset: str, quantity: str = "") -> DotPlot | None:
    """Plot every agent that has results, if there are few; by default the main quantity."""
    shown = quantity or findings.main
    if shown is None:
        return None
    form, lines = form_of(findings.plan, shown), []
    for cell, found in findings.results.items():
        if cell.dataset == dataset and shown in found.means:
            mean = dot(kind_of(cell), mean_of(found.means[shown]))
            lines.append(Line(cell.algorithm, (mean,), cell_detail(findings, cell)))
    if not 0 < len(lines) <= MOST_LINES:
        return None
    return DotPlot(
        QUANTITIES[shown],
        tuple(numbered(line, form) for line in lines),
        best=findings.known_best(dataset) if shown == findings.main else None,
        caption=caption(lines, " At most 1 is safe." if shown == COST else ""),
    )


def cell_detail(findings: Findings, cell: Cell) -> str:
    """Name label and filter of a cell, where there are several."""
    label = cell.label if reads_rewards(cell.algorithm) and len(findings.plan.labels) > 1 else ""
    filter_name = (
        ("all data" if cell.filter == ALL else cell.filter) if findings.plan.is_filtered else ""
    )
    return ", ".join(filter(None, (label, filter_name)))


def kind_of(cell: Cell) -> Kind:
    if not reads_rewards(cell.algorithm):
        return "imitation"
    if cell.label in WRONG_LABELS:
        return "wrong"
    return "true" if cell.label == "original" else "other"


def estimates_plot(findings: Findings, dataset: str) -> DotPlot | None:
    """Plot the estimated returns of all cells, with the widened intervals that decisions use."""
    estimates = findings.estimates.get(dataset)
    lines = []
    for cell, found in cell_estimates(findings, dataset).items():
        value = found.widened("return")
        if value is not None:
            mean = Dot(kind_of(cell), value.value, value.low, value.high)
            lines.append(Line(cell.algorithm, (mean,), cell_detail(findings, cell)))
    if estimates is None or not 0 < len(lines) <= MOST_LINES:
        return None
    if "return" in estimates.recorded:
        recorded = Dot("recorded", estimates.recorded["return"])
        lines.append(Line("recorded data", (recorded,)))
    form = three_digits([line.dots[0].value for line in lines])
    return DotPlot(
        "estimated return",
        tuple(numbered(line, form) for line in lines),
        caption="Estimated from the data alone; the bars are as wide as the estimator's errors "
        "where the truth is known.",
    )


def three_digits(values: Sequence[float]) -> str:
    """Return a format with the same decimals for all: three digits of the largest.

    >>> three_digits([0.3217, -0.0115]), three_digits([2418.2, 12.0])
    ('.3f', '.0f')
    """
    largest = max((abs(value) for value in values), default=0.0)
    before = math.floor(math.log10(largest)) + 1 if largest > 0 else 0
    return f".{max(0, min(3, 3 - max(0, before)))}f"


def action_plot(findings: Findings, dataset: str) -> DotPlot | None:
    """Plot how far another seed and another reward change the actions."""
    reference, lines = findings.reference_label(dataset), []
    for algorithm in reward_readers(findings):
        for label in (reference, *(each for each in WRONG_LABELS if each != reference)):
            gap = findings.action_distance(dataset, algorithm, label)
            if gap is not None:
                name = "another seed" if label == reference else f"{label} reward"
                kind: Kind = "true" if label == reference else "wrong"
                lines.append(Line(name, (Dot(kind, gap),), algorithm, f"{gap:.2f}"))
    if not 0 < len(lines) <= MOST_LINES:
        return None
    lines.insert(0, Line("no change", (Dot("recorded", 0.0),), "", "0"))
    return DotPlot("change of actions", tuple(lines), caption="At recorded states.")


def datasets_plot(findings: Findings, datasets: Sequence[str]) -> DotPlot | None:
    """Plot a row per dataset: the best true-reward agent, the worst wrong reward, imitation."""
    names = {dataset: short_name(dataset, findings.plan.datasets) for dataset in datasets}
    return rows_plot([(names[dataset], findings, dataset) for dataset in datasets])


def rows_plot(rows: Sequence[tuple[str, Findings, str]]) -> DotPlot | None:
    """Plot named datasets of one or several studies, as shares where their quantities differ."""
    mains = {findings.main for _, findings, _ in rows}
    shares = len(mains) > 1
    lines = [
        line for row in rows for line in [dataset_line(*row, shares=shares)] if line is not None
    ]
    if not lines:
        return None
    best = {findings.known_best(dataset) for _, findings, dataset in rows}
    more = " Wrong: the worst of the wrong rewards. %: its share of the true one (?: inconclusive)."
    return DotPlot(
        "share of the true-reward result" if shares else QUANTITIES[str(mains.pop())],
        tuple(lines),
        best=best.pop() if len(best) == 1 and not shares else None,
        caption=caption(lines, more),
    )


def dataset_line(name: str, findings: Findings, dataset: str, *, shares: bool) -> Line | None:
    """Return the dots of one dataset: true, worst wrong, imitation."""
    agents = None if findings.main is None else find_agents(findings, dataset)
    if agents is None or (shares and agents.true.value <= 0):
        return None
    worst = min(agents.by_label.values(), key=lambda mean: mean.value)
    dots = [dot("true", agents.true), dot("wrong", worst)]
    found = imitation_values(findings, dataset, str(findings.main))
    if found is not None:
        dots.append(dot("imitation", mean_of(found)))
    if shares:
        dots = [scaled(each, 1 / agents.true.value) for each in dots]
    share = f"{agents.wrong / agents.true.value:.0%}" if agents.true.value > 0 else ""
    if below_other_agents(findings, dataset, agents) or below_the_paper(findings, dataset, agents):
        share = "?"
    return Line(name, tuple(dots), "", share)


def scaled(mean: Dot, factor: float) -> Dot:
    ends = (None if end is None else end * factor for end in (mean.low, mean.high))
    return Dot(mean.kind, mean.value * factor, *ends)
