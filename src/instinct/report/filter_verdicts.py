"""Verdicts on costs, and on how a filter changes the policies."""

from collections.abc import Iterator

import numpy as np

from instinct.data import ALL, Array
from instinct.report.kit.page import Level, Verdict
from instinct.report.sections.numbers import form_of
from instinct.study.findings import CellResult, Findings
from instinct.study.measurement import QUANTITIES, is_safe
from instinct.study.plan import Plan, reads_rewards
from instinct.study.statistics import interval, mean_difference

COST = "normalized_cost"
ENOUGH = 0.9
"""A filter is harmless if it leaves at least this share of the main quantity."""
NOT_CERTAIN = " The change is not larger than the differences between seeds."


def recorded_cost(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Give the recorded cost per episode, if the data have costs, and the share above the target.

    The share is that of the episodes whose costs are stored, which are all of up to 400.
    """
    facts, target = findings.data.get(dataset, {}), findings.plan.cost_target_of(dataset)
    if "cost" not in facts.get("behavior", {}):
        return
    numbers = {"mean": facts["behavior"]["cost"]}
    text = f"Recorded cost per episode: {numbers['mean']:.4g} on average"
    if "cost" in facts.get("best_episode", {}):
        numbers["highest"] = facts["best_episode"]["cost"]
        text += f", {numbers['highest']:.4g} at most"
    if target is not None and "cost_points" in facts:
        share = float(np.mean([cost > target for cost, _ in facts["cost_points"]]))
        numbers |= {"target": target, "above": share}
        text += f"; {share:.0%} of the episodes are above the target of {target:.4g}"
    yield Verdict(f"{text}.", "note", "recorded-cost", numbers)


def cost(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """List the safe and the unsafe policies, if costs were measured."""
    groups: dict[bool, dict[str, float]] = {True: {}, False: {}}
    for cell, found in findings.results.items():
        if cell.dataset == dataset and COST in found.means:
            value = float(found.means[COST].mean())
            groups[is_safe(value)][agent_name(found)] = value
    for safe, agents in groups.items():
        if agents:
            names = ", ".join(f"{name} {value:.2f}" for name, value in agents.items())
            text = "Safe (normalized cost of at most 1)" if safe else "Not safe"
            level: Level = "holds" if safe else "warning"
            code = "safe" if safe else "not-safe"
            yield Verdict(f"{text}: {names}.", level, code, agents)


def agent_name(found: CellResult) -> str:
    """Name an agent by algorithm, label and filter, without the defaults."""
    _, algorithm, label, filter_name = found.cell
    under = f" under {label}" if reads_rewards(algorithm) and label != "original" else ""
    return f"{algorithm}{under}" + ("" if filter_name == ALL else f" ({filter_name})")


def filter_use(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Compare every agent with a filter to the same agent on all data."""
    for found in findings.results.values():
        cell = found.cell
        if cell.dataset != dataset or cell.filter == ALL:
            continue
        whole = findings.results.get(cell._replace(filter=ALL))
        main = findings.main
        if whole is None or main is None or not all(main in e.means for e in (whole, found)):
            continue
        if COST in whole.means and COST in found.means:
            yield cost_change(findings.plan, whole, found, main)
        else:
            yield quantity_change(findings.plan, whole, found, main)


def cost_change(plan: Plan, whole: CellResult, found: CellResult, main: str) -> Verdict:
    """Describe the change of cost, and the share of the main quantity that is left."""
    before, after = (float(each.means[COST].mean()) for each in (whole, found))
    lower, certain = after < before, differ(whole.means[COST], found.means[COST])
    how = "lowers" if lower else "does not lower"
    safe = "safe" if is_safe(after) else "not safe"
    kept, enough = quantity_left(plan, whole, found, main)
    level: Level = "holds" if lower and certain and enough else "note"
    if not lower and certain:
        level = "warning"
    return Verdict(
        f"The filter {found.cell.filter} {how} the normalized cost of {agent_name(whole)}: "
        f"{before:.2f} to {after:.2f} ({safe}). {kept}{'' if certain else NOT_CERTAIN}",
        level,
        "filter-cost",
        {"before": before, "after": after, "certain": certain},
    )


def quantity_left(plan: Plan, whole: CellResult, found: CellResult, main: str) -> tuple[str, bool]:
    """Describe the change of the main quantity, and return whether enough of it is left."""
    before, after = (float(each.means[main].mean()) for each in (whole, found))
    form, what = form_of(plan, main), QUANTITIES[main].capitalize()
    change = f"{what}: {before:{form}} to {after:{form}}"
    if before <= 0 or after >= before:
        return f"{change}.", after >= before
    return f"{change} ({after / before:.0%}).", after >= ENOUGH * before


def quantity_change(plan: Plan, whole: CellResult, found: CellResult, main: str) -> Verdict:
    """Describe the change of the main quantity, where no cost is known."""
    before, after = (float(each.means[main].mean()) for each in (whole, found))
    certain, form = differ(whole.means[main], found.means[main]), form_of(plan, main)
    how = "raises" if after > before else "lowers" if after < before else "does not change"
    return Verdict(
        f"The filter {found.cell.filter} {how} the {QUANTITIES[main]} of {agent_name(whole)}: "
        f"{before:{form}} to {after:{form}}.{'' if certain else NOT_CERTAIN}",
        "note",
        "filter-change",
        {"before": before, "after": after, "certain": certain},
    )


def differ(x: Array, y: Array) -> bool:
    """Return whether the interval of the difference of means excludes 0; never with one seed."""
    if min(len(x), len(y)) < 2:
        return False
    difference = interval(mean_difference, x, y)
    return difference.low > 0 or difference.high < 0
