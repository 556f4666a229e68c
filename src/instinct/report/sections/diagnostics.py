"""The section on whether single runs can be trusted: diagnostics, progress and flagged runs."""

from collections.abc import Iterator

import numpy as np

from instinct.data import ALL, Array
from instinct.deep import ALGORITHMS, configure
from instinct.deep.training.diagnostics import DIAGNOSTICS
from instinct.report.kit.curves import PHONE, WIDE
from instinct.report.kit.page import Drawing, Section
from instinct.report.kit.seed_lines import SeedLine, draw_lines
from instinct.report.kit.tables import Missing, Number, Table, TableCell
from instinct.report.run_verdicts import LATE_COLLAPSE, RunFlag, run_flags
from instinct.report.sections.common import FEW, if_filtered
from instinct.report.sections.numbers import form_of
from instinct.study.findings import CellResult, Findings
from instinct.study.measurement import QUANTITIES, SNAPSHOT_EPISODES
from instinct.study.plan import reads_rewards

HOW_TO_READ = """
Numbers about the final agents, at recorded states. The distance from data is the mean of
|π(s) − a|, where actions are between -1 and 1; for discrete actions it is the share of states with
another action. Near 0 the agent copies the recorded actions. Values are the critics', in the units
of the rewards that the agent was told (IQL: after it scaled them). The value before ends is that of
the last recorded action of an episode. If the two critics disagree by as much as these values
differ, they know little. A unit of a critic is live if it is active at any recorded state; critics
with few live units hardly tell actions apart.
"""
FORMS = {"action_distance": ".3f", "live_units": ".2f"}
"""Formats of diagnostics; the others are in the units of rewards."""
FLAG_NUMBERS = {"earlier": "best earlier", "final": "final", "live_units": "live units"}
"""The numbers of a flag that the table shows, with their headings."""


def diagnostics_section(findings: Findings) -> Iterator[Section]:
    """Make the section of diagnostics and of progress; the figures only for a few datasets."""
    tables = [*flag_table(findings), *cell_table(findings)]
    drawings: tuple[Drawing, ...] = ()
    if len(findings.plan.datasets) <= FEW:
        drawings = tuple(progress_drawings(findings))
    if tables or drawings:
        yield Section(
            title="Can these runs be trusted?",
            text=(HOW_TO_READ,),
            tables=tuple(tables),
            drawings=drawings,
            detail=True,
            folded=True,
        )


def flag_table(findings: Findings) -> Iterator[Table]:
    """Make the table of the runs that should not be trusted, if there are any."""
    plan = findings.plan
    flags = [flag for dataset in plan.datasets for flag in run_flags(findings, dataset)]
    if not flags:
        return
    names = [name for name in FLAG_NUMBERS if any(name in flag.numbers for flag in flags)]
    columns = (
        *("dataset", "algorithm", "label", *if_filtered(plan, "filter"), "seed", "flag"),
        *(FLAG_NUMBERS[name] for name in names),
    )
    rows = tuple(
        (
            *names_of(findings, flag.found),
            str(flag.seed),
            flag.code,
            *(flag_number(findings, flag, name) for name in names),
        )
        for flag in flags
    )
    what = QUANTITIES.get(str(findings.main), "")
    caption = (
        f"Flagged runs. {LATE_COLLAPSE}: the {what} of the last policy is far below that of an "
        "earlier policy of the same run. few-live-units: less than a tenth of the critics' units "
        "are live."
    )
    yield Table("flagged-runs", caption, columns, rows)


def flag_number(findings: Findings, flag: RunFlag, name: str) -> TableCell:
    if name not in flag.numbers:
        return ""
    form = FORMS[name] if name in FORMS else form_of(findings.plan, str(findings.main))
    return Number(flag.numbers[name], form)


def cell_table(findings: Findings) -> Iterator[Table]:
    """Make the table of diagnostics with a row per cell that has any."""
    plan = findings.plan
    known = sorted(
        (found for found in findings.results.values() if found.diagnostics),
        key=lambda found: (
            plan.datasets.index(found.cell.dataset),
            plan.algorithms.index(found.cell.algorithm),
        ),
    )
    names = [name for name in DIAGNOSTICS if any(name in found.diagnostics for found in known)]
    if not names:
        return
    error = "" if plan.seeds == 1 else " over seeds [lowest, highest seed]"
    yield Table(
        "diagnostics",
        f"Diagnostics of the final agents: mean{error}.",
        (
            *("dataset", "algorithm", "label", *if_filtered(plan, "filter")),
            *(DIAGNOSTICS[name] for name in names),
        ),
        tuple(
            (*names_of(findings, found), *(mean_and_range(found, name) for name in names))
            for found in known
        ),
    )


def names_of(findings: Findings, found: CellResult) -> tuple[str, ...]:
    dataset, algorithm, label, filter_name = found.cell
    shown = label if reads_rewards(algorithm) else ""
    return (dataset, algorithm, shown, *if_filtered(findings.plan, filter_name))


def mean_and_range(found: CellResult, name: str) -> TableCell:
    """Return the mean over seeds with the lowest and the highest seed."""
    values = found.diagnostics.get(name)
    if values is None:
        return Missing("the algorithm has no critics" if name != "action_distance" else "unknown")
    ends = (float(values.min()), float(values.max())) if len(values) > 1 else None
    return Number(float(values.mean()), FORMS.get(name, ".3g"), interval=ends)


def progress_drawings(findings: Findings) -> Iterator[Drawing]:
    """Draw the main quantity along the training, a figure per dataset."""
    main = findings.main
    if main is None:
        return
    for number, dataset in enumerate(findings.plan.datasets):
        lines = [
            line
            for cell, found in findings.results.items()
            if cell.dataset == dataset and main in found.progress and main in found.means
            for line in seed_lines(found, main)
        ]
        if lines:
            episodes = min(findings.plan.episodes, SNAPSHOT_EPISODES)
            caption = (
                f"{QUANTITIES[main].capitalize()} along the training on {dataset}: one line per "
                f"run, {episodes} test episodes at each point. The last point is the final policy, "
                f"with {findings.plan.episodes} test episodes."
            )
            wide, narrow = (draw_lines(lines, QUANTITIES[main], grid) for grid in (WIDE, PHONE))
            yield Drawing(f"progress-{number}", wide, caption, narrow)


def seed_lines(found: CellResult, quantity: str) -> Iterator[SeedLine]:
    """Yield the line of every seed, from the first snapshot to the final policy."""
    _, algorithm, label, filter_name = found.cell
    name = label if reads_rewards(algorithm) else algorithm
    name = name if filter_name == ALL else f"{name}, {filter_name}"
    steps = found.progress["step"][0]
    along: Array = np.append(steps, final_step(found, steps))
    for earlier, final in zip(found.progress[quantity], found.means[quantity], strict=True):
        yield SeedLine(algorithm, name, along, np.append(earlier, final))


def final_step(found: CellResult, steps: Array) -> float:
    """Return the number of training steps: from curves, from settings, else one part more."""
    if "step" in found.curves:
        return float(found.curves["step"][0, -1])
    algorithm = found.cell.algorithm
    if "steps" in found.changes:
        return float(found.changes["steps"])
    if algorithm in ALGORITHMS:
        return float(configure(algorithm).steps)
    return float(steps[-1] + steps[0])
