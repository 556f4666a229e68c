"""Coverage: which numbers of the paper's tables have one of ours beside them, and what is missing.

A number of ours is a mean over two or more seeds with the settings that its plan has today. Numbers
with earlier settings are counted by themselves and are missing: they have to be run again. The cost
of a missing number is the mean time of a run in archived studies of its family with its algorithm;
or of the family, or of all studies, where there is none yet.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from instinct.benchmarks.registry import SHIPPED, find_benchmark
from instinct.paper.tables import gridworld, safety, table
from instinct.report.kit.tables import Missing, Number, Table, TableCell
from instinct.results.our_evidence import OurEvidence
from instinct.results.paper_evidence import SAFE_FILTER
from instinct.study.findings import Findings
from instinct.study.intervals import Mean

SEEDS = 3
"""Runs behind a missing number, as in the plans of the quick preset."""
RECORDED = "behavior"
"""The paper's name for the recorded data, which need no run."""
TABLES = {
    "d4rl_episode_lengths": "Table 5",
    "safety_gymnasium": "Table 6",
    "cql_architecture_d4rl": "Table 7",
    "cql_architecture_metaworld": "Table 8",
    "d4rl_scores": "Table 13",
    "metaworld_success": "Table 14",
    "gridworld": "Table 16",
}
"""The paper's tables of results. Its other tables have hyperparameters."""


class PaperCell(NamedTuple):
    """A number of the paper that one of ours can stand beside, by the paper's names."""

    family: str
    dataset: str
    algorithm: str
    label: str
    """The label, or the filter in the table on safety."""

    @property
    def runs(self) -> int:
        """How many runs a missing number needs."""
        computed = self.family == "gridworld" or self.algorithm == RECORDED
        return 0 if computed else SEEDS


class Stated(NamedTuple):
    """A mean as a table has it; the standard error is None where there is none."""

    value: float
    stderr: float | None = None


@dataclass(frozen=True)
class TableCoverage:
    """The cells of one table: those that have our number, and those that do not."""

    name: str
    found: tuple[PaperCell, ...]
    missing: tuple[PaperCell, ...]
    earlier: int
    """How many of the missing ones have our number with earlier settings."""

    @property
    def where(self) -> str:
        return TABLES[self.name]

    @property
    def cells(self) -> int:
        return len(self.found) + len(self.missing)


def cover_tables(now: OurEvidence, earlier: OurEvidence) -> list[TableCoverage]:
    """Return the coverage of every table of results, in the paper's order.

    `earlier` is the same evidence with cells of earlier settings.
    """
    ours, before = OurNumbers(now), OurNumbers(earlier)
    return [
        TableCoverage(
            name,
            tuple(cell for cell in cells if ours.find(name, cell) is not None),
            missing := tuple(cell for cell in cells if ours.find(name, cell) is None),
            sum(before.find(name, cell) is not None for cell in missing),
        )
        for name, cells in paper_tables().items()
    ]


def paper_tables() -> dict[str, dict[PaperCell, Stated]]:
    """Return the numbers of the paper's tables of results, in its order.

    Of the table on safety these are the normalized costs of the paper's own agents; the best safe
    RL agents are numbers of another paper.
    """
    tables = {
        name: {
            PaperCell(family.name, row.dataset, row.algorithm, row.label or "original"): Stated(
                row.mean, row.stderr
            )
            for row in table(name)
        }
        for family in SHIPPED
        for names in family.paper_tables.values()
        for name in names
    }
    tables["safety_gymnasium"] = {
        PaperCell("safety", row.task, row.algorithm, SAFE_FILTER): Stated(row.normalized_cost)
        for row in safety()
        if row.algorithm in ("ATAC", "PSPI")
    }
    tables["gridworld"] = {
        PaperCell("gridworld", "gridworld", *key): Stated(value)
        for key, value in gridworld().items()
    }
    return {name: tables[name] for name in TABLES}


class OurNumbers:
    """Our numbers by the paper's names."""

    def __init__(self, evidence: OurEvidence) -> None:
        self.evidence, self.grid, self.names = evidence, evidence.gridworld(), our_names(evidence)
        self.quantities = {
            name: quantity
            for family in SHIPPED
            for quantity, names in family.paper_tables.items()
            for name in names
        }
        self.costs = {
            (find_benchmark(each.dataset).paper_name(each.dataset), each.algorithm): each.after
            for each in evidence.filtered_costs()
            if each.filter == SAFE_FILTER and each.after.runs > 1
        }

    def find(self, table_name: str, cell: PaperCell) -> Stated | None:
        """Return our number for a cell of a table."""
        if table_name == "gridworld":
            value = self.grid.get((cell.algorithm, cell.label))
            return None if value is None else Stated(value)
        if table_name == "safety_gymnasium":
            return stated(self.costs.get((cell.dataset, cell.algorithm)))
        quantity = self.quantities[table_name]
        for name in self.names.get((cell.family, cell.dataset), ()):
            if cell.algorithm == RECORDED:
                value = self.evidence.recorded(name, quantity)
                found = None if value is None else Stated(value)
            else:
                found = stated(self.evidence.mean(name, cell.algorithm, cell.label, quantity))
            if found is not None:
                return found
        return None


def stated(mean: Mean | None) -> Stated | None:
    return None if mean is None else Stated(mean.value, mean.stderr)


def our_names(evidence: OurEvidence) -> dict[tuple[str, str], list[str]]:
    """Return our datasets by family and the paper's name; data of the default behavior first."""
    names: dict[tuple[str, str], list[str]] = {}
    for name in sorted(evidence.datasets, key=len):
        family = find_benchmark(name)
        names.setdefault((family.name, family.paper_name(name)), []).append(name)
    return names


class RunTimes:
    """Mean seconds of a run by family and algorithm, from archived studies."""

    def __init__(self, studies: Sequence[Findings]) -> None:
        self.studies = [each for each in studies if each.ended and each.seconds > 0]

    def seconds(self, family: str, algorithm: str) -> float | None:
        """Return the mean over the studies that are nearest; None without any study."""
        there = [each for each in self.studies if family in families(each)]
        same = [each for each in there if algorithm in each.plan.algorithms]
        chosen = same or there or self.studies
        if not chosen:
            return None
        return sum(each.seconds for each in chosen) / sum(each.ended for each in chosen)

    def core_hours(self, cells: Iterable[PaperCell]) -> float | None:
        """Return the hours of all runs of the cells, each once."""
        hours = 0.0
        for cell in set(cells):
            if cell.runs:
                each = self.seconds(cell.family, cell.algorithm)
                if each is None:
                    return None
                hours += cell.runs * each / 3600
        return hours


def families(findings: Findings) -> set[str]:
    return {find_benchmark(name).name for name in findings.plan.datasets}


def coverage_document(tables: Sequence[TableCoverage], times: RunTimes) -> Mapping[str, Any]:
    """Return the coverage as JSON data; cells in several tables cost their runs once."""
    return {
        "cells": sum(each.cells for each in tables),
        "ours": sum(len(each.found) for each in tables),
        "earlier_settings": sum(each.earlier for each in tables),
        "core_hours": rounded(times.core_hours(cell for each in tables for cell in each.missing)),
        "seeds": SEEDS,
        "preset": "quick",
        "tables": [
            {
                "table": each.where,
                "name": each.name,
                "cells": each.cells,
                "ours": len(each.found),
                "earlier_settings": each.earlier,
                "core_hours": rounded(times.core_hours(each.missing)),
                "missing": [
                    cell._asdict() | {"core_hours": rounded(times.core_hours([cell]))}
                    for cell in each.missing
                ],
            }
            for each in tables
        ],
    }


def coverage_table(tables: Sequence[TableCoverage], times: RunTimes) -> Table:
    """Return the table of the coverage, with a last row for all tables."""
    everything = [cell for each in tables for cell in each.missing]
    rows = [
        *((each.where, each.name, [each], each.missing) for each in tables),
        ("all", "", [*tables], everything),
    ]
    return Table(
        "coverage",
        "How many numbers of the paper's tables of results have one of ours beside them (two or "
        "more seeds, today's settings), how many have one with earlier settings only, and the core "
        f"hours of all that are not ours yet, at {SEEDS} seeds with the quick preset, from the "
        "mean time of archived runs. Runs in several tables cost once.",
        ("table", "name", "cells", "ours", "share", "earlier settings", "missing core hours"),
        tuple(
            (
                *(where, name, Number(sum(each.cells for each in group), ".0f")),
                Number(ours := sum(len(each.found) for each in group), ".0f"),
                Number(ours / sum(each.cells for each in group), ".0%"),
                Number(sum(each.earlier for each in group), ".0f"),
                hours_cell(times.core_hours(missing)),
            )
            for where, name, group, missing in rows
        ),
    )


def hours_cell(hours: float | None) -> TableCell:
    return Missing("no study is archived") if hours is None else Number(hours, ".1f")


def rounded(hours: float | None) -> float | None:
    return None if hours is None else round(hours, 3)
