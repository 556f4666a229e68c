"""Verdicts on costs, and on what a filter changes in the policies."""

from collections.abc import Iterator

from instinct.data import ALL, Array
from instinct.report.kit.page import Level, Verdict
from instinct.report.sections.numbers import form_of
from instinct.study.findings import CellResult, Findings
from instinct.study.measurement import QUANTITIES, is_safe
from instinct.study.plan import Plan, reads_rewards
from instinct.study.statistics import interval, mean

ENOUGH = 0.9
"""The share of the reward that a filter may leave to be called harmless."""


def cost(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Whether the policies are safe, where costs are counted."""
    groups: dict[bool, list[str]] = {True: [], False: []}
    for cell, found in findings.results.items():
        if cell.dataset == dataset and "normalized_cost" in found.means:
            value = float(found.means["normalized_cost"].mean())
            groups[is_safe(value)].append(f"{agent_name(found)} {value:.2f}")
    if groups[True]:
        said = ", ".join(groups[True])
        yield Verdict(f"Safe, with a normalized cost of at most 1: {said}.", "holds")
    if groups[False]:
        yield Verdict(f"Not safe: {', '.join(groups[False])}.", "warning")


def agent_name(found: CellResult) -> str:
    _, algorithm, label, shown = found.cell
    told = f" under {label}" if reads_rewards(algorithm) and label != "original" else ""
    return f"{algorithm}{told}" + ("" if shown == ALL else f" ({shown})")


def filter_use(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """What every filter changes, beside the same algorithm on all data."""
    for found in findings.results.values():
        cell = found.cell
        if cell.dataset != dataset or cell.filter == ALL:
            continue
        whole = findings.results.get(cell._replace(filter=ALL))
        main = findings.main
        if whole is None or main is None or not all(main in e.means for e in (whole, found)):
            continue
        if "normalized_cost" in whole.means and "normalized_cost" in found.means:
            yield in_cost(findings.plan, whole, found, main)
        else:
            yield in_quantity(findings.plan, whole, found, main)


def in_cost(plan: Plan, whole: CellResult, found: CellResult, main: str) -> Verdict:
    """With the filter the cost falls from … to …, at … of the reward."""
    before, after = (float(each.means["normalized_cost"].mean()) for each in (whole, found))
    lower = after < before
    certain = apart(whole.means["normalized_cost"], found.means["normalized_cost"])
    how = "falls" if lower else "does not fall"
    safe = "safe" if is_safe(after) else "not safe"
    share, enough = reward_share(plan, whole, found, main)
    level: Level = "holds" if lower and certain and enough else "note"
    if not lower and certain:
        level = "warning"
    name = agent_name(whole)
    return Verdict(
        f"With the filter {found.cell.filter} the cost of {name} {how}: from {before:.2f} to "
        f"{after:.2f} of the target ({safe}), {share}{'' if certain else CHANCE}.",
        level,
    )


CHANCE = "; the change in cost is no larger than what chance does between seeds"


def reward_share(plan: Plan, whole: CellResult, found: CellResult, main: str) -> tuple[str, bool]:
    """In words what is left of the reward, and whether that is enough."""
    before, after = (float(each.means[main].mean()) for each in (whole, found))
    form, what = form_of(plan, main), QUANTITIES[main]
    numbers = f"{before:{form}} to {after:{form}}"
    if before <= 0:
        return f"and the {what} goes from {numbers}", after >= before
    if after >= before:
        return f"at no less {what} ({numbers})", True
    return f"at {after / before:.2f} of the {what} ({numbers})", after >= ENOUGH * before


def in_quantity(plan: Plan, whole: CellResult, found: CellResult, main: str) -> Verdict:
    before, after = (float(each.means[main].mean()) for each in (whole, found))
    certain, form = apart(whole.means[main], found.means[main]), form_of(plan, main)
    how = "raises" if after > before else "lowers" if after < before else "does not change"
    return Verdict(
        f"The filter {found.cell.filter} {how} the {QUANTITIES[main]} of {agent_name(whole)}: from "
        f"{before:{form}} to {after:{form}}"
        f"{'' if certain else ', no more than chance does between seeds'}."
    )


def apart(x: Array, y: Array) -> bool:
    """Whether the interval of the difference of the means leaves out 0; with one seed, never."""
    if min(len(x), len(y)) < 2:
        return False
    between = interval(lambda a, b: mean(b) - mean(a), x, y)
    return between.low > 0 or between.high < 0
