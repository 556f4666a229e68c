"""Verdicts on single runs: those that collapsed late, and those whose critics have died.

The last policy of a run is the one that counts, so a run that lost what it had is named.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from instinct.data import ALL, Array
from instinct.deep.training.diagnostics import LIVE_UNITS
from instinct.report.kit.page import Verdict
from instinct.report.sections.numbers import NAMES, form_of
from instinct.study.findings import CellResult, Findings
from instinct.study.measurement import QUANTITIES, SNAPSHOT_EPISODES
from instinct.study.plan import reads_rewards

LATE_COLLAPSE, FEW_LIVE_UNITS = "late-collapse", "few-live-units"
LOST_SHARE = 0.3
"""A run collapsed if it lost more than this share of its best earlier result, …"""
LOST_OF_BEST = 0.1
"""… more than this share of the best possible result, …"""
LOST_ERRORS = 2.5
"""… and in success rates more than this many of the largest standard errors, ½/√episodes."""
LISTED = 6
"""A verdict names at most so many runs; its numbers have all."""


class RunFlag(NamedTuple):
    """A run that should not be trusted, and the numbers that say so."""

    code: str
    found: CellResult
    seed: int
    numbers: dict[str, float]

    @property
    def name(self) -> str:
        """The algorithm, the label if it reads rewards, the filter if there is one, the seed."""
        _, algorithm, label, filter_name = self.found.cell
        under = [label] if reads_rewards(algorithm) else []
        after = [] if filter_name == ALL else [filter_name]
        return ", ".join([algorithm, *under, *after, f"seed {self.seed}"])


def late_collapse(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Name the runs whose last policy is far below an earlier one."""
    flags = [each for each in run_flags(findings, dataset) if each.code == LATE_COLLAPSE]
    if not flags:
        return
    form = form_of(findings.plan, str(findings.main))
    texts = [
        f"{each.name} ({each.numbers['earlier']:{form}} after {each.numbers['step']:,.0f} steps, "
        f"{each.numbers['final']:{form}} at the end)"
        for each in flags
    ]
    yield Verdict(
        f"{count_runs(flags, findings, dataset)} on {dataset} collapsed late: the last policy has "
        f"a far lower {QUANTITIES[str(findings.main)]} than an earlier one. {listed(texts)}.",
        "warning",
        LATE_COLLAPSE,
        verdict_numbers(flags),
    )


def few_live_units(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Name the runs in whose critics nearly all units are dead."""
    flags = [each for each in run_flags(findings, dataset) if each.code == FEW_LIVE_UNITS]
    if flags:
        texts = [f"{each.name} ({each.numbers['live_units']:.0%})" for each in flags]
        yield Verdict(
            f"{count_runs(flags, findings, dataset)} on {dataset} ended with critics in which less "
            f"than {LIVE_UNITS:.0%} of the units are live: such critics hardly tell actions apart. "
            f"{listed(texts)}.",
            "warning",
            FEW_LIVE_UNITS,
            verdict_numbers(flags),
        )


def run_flags(findings: Findings, dataset: str) -> list[RunFlag]:
    """Return the flags of all runs on a dataset."""
    return [
        flag
        for cell, found in findings.results.items()
        if cell.dataset == dataset
        for flag in (*late_collapses(findings, found), *dead_critics(found))
    ]


def late_collapses(findings: Findings, found: CellResult) -> Iterator[RunFlag]:
    """Yield the seeds of a cell that collapsed late, with the earlier and the final result.

    With b the best mean of an earlier policy and f the mean of the last one, b − f must be more
    than 0.3·max(|b|, |f|), which for positive results means f < 0.7 b; more than a tenth of |J*|,
    or of the best true-reward mean where J* is unknown; and in success rates more than 2.5·½/√n, n
    being the number of test episodes of an earlier policy.
    """
    main = findings.main
    if main is None or main not in found.progress or main not in found.means:
        return
    margin = LOST_OF_BEST * abs(findings.best(found.cell.dataset) or 0.0)
    if main == "success":
        episodes = min(findings.plan.episodes, SNAPSHOT_EPISODES)
        margin = max(margin, LOST_ERRORS * 0.5 / math.sqrt(episodes))
    steps = found.progress["step"]
    for i, (seed, earlier) in enumerate(zip(found.seeds, found.progress[main], strict=True)):
        best, final = float(earlier.max()), float(found.means[main][i])
        if best - final > max(LOST_SHARE * max(abs(best), abs(final)), margin):
            step = float(steps[i][earlier.argmax()])
            numbers = {"earlier": best, "final": final, "step": step}
            yield RunFlag(LATE_COLLAPSE, found, seed, numbers)


def dead_critics(found: CellResult) -> Iterator[RunFlag]:
    """Yield the seeds of a cell whose critics have few live units."""
    for seed, share in zip(found.seeds, found.diagnostics.get("live_units", ()), strict=False):
        if share < LIVE_UNITS:
            yield RunFlag(FEW_LIVE_UNITS, found, seed, {"live_units": float(share)})


def count_runs(flags: Sequence[RunFlag], findings: Findings, dataset: str) -> str:
    cells = (found for cell, found in findings.results.items() if cell.dataset == dataset)
    runs = sum(len(found.seeds) for found in cells)
    return f"{len(flags)} of {runs} {'run' if runs == 1 else 'runs'}"


def listed(texts: Sequence[str]) -> str:
    more = len(texts) - LISTED
    return "; ".join(texts[:LISTED]) + (f"; and {more} more" if more > 0 else "")


def verdict_numbers(flags: Sequence[RunFlag]) -> dict[str, float]:
    """Return the number of runs, and the numbers of each by its name."""
    return {"runs": len(flags)} | {
        f"{flag.name}, {name}": value for flag in flags for name, value in flag.numbers.items()
    }


def run_rows(findings: Findings) -> list[dict[str, Any]]:
    """Return one row per run with its diagnostics, its results along the training, and flags.

    Runs that have none of these, such as tabular ones, have no row.
    """
    flags = [flag for dataset in findings.plan.datasets for flag in run_flags(findings, dataset)]
    return [
        {**cell._asdict(), "seed": seed}
        | ({"diagnostics": values_of(found.diagnostics, i)} if found.diagnostics else {})
        | ({"progress": values_of(found.progress, i)} if found.progress else {})
        | {"flags": [flag.code for flag in flags if (flag.found.cell, flag.seed) == (cell, seed)]}
        for cell, found in findings.results.items()
        if found.diagnostics or found.progress
        for i, seed in enumerate(found.seeds)
    ]


def values_of(columns: Any, number: int) -> dict[str, Any]:
    """Return the values of one seed by name as plain numbers or lists."""
    rows: dict[str, Array] = {NAMES.get(name, name): each for name, each in columns.items()}
    return {name: each[number].tolist() for name, each in rows.items()}
