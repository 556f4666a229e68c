"""Archives: the findings of a study in text files that can be kept in a repository.

`runs.csv` has a row for every run, with the mean of each quantity over its test episodes and the
diagnostics of the agent. `progress.csv` has a row for every policy along the training of a run, if
there are any, and `tuning.csv` one for every tuning run with its settings. `study.json` has the
plan, the facts about the datasets, estimates without a simulator, what is missing, and the machine.
Archives of earlier versions have neither progress nor diagnostics, tuning runs nor estimates.
"""

import csv
import itertools
import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from instinct.data import KAPPA, Array
from instinct.deep.training.diagnostics import DIAGNOSTICS
from instinct.errors import BadInput
from instinct.results.archived import ArchivedCell, ArchivedStudy
from instinct.study.facts import add_normalized_costs
from instinct.study.findings import CellResult, Findings, Tried
from instinct.study.measurement import QUANTITIES, add_normalized_cost
from instinct.study.plan import Cell, Plan
from instinct.study.plan_files import from_content
from instinct.study.upgrade import (
    FORMAT,
    OLD_SCORE,
    format_of,
    upgrade_facts,
    upgrade_quantities,
)
from instinct.util.atomic import replacing
from instinct.util.cores import cores
from instinct.util.jsonio import to_json_data
from instinct.util.validation import read_document

RUNS, PROGRESS, TUNING, STUDY = "runs.csv", "progress.csv", "tuning.csv", "study.json"
SAME = ("versions", "trials", "ended", "failed", "seconds", "missing", "estimates")
"""What an archive has as findings have it."""
LEFT_OUT = ("points",)
"""Facts of a dataset that only figures need."""


def write_archive(findings: Findings, folder: Path) -> None:
    """Write the findings to the folder."""
    write_rows(folder / RUNS, *run_rows(findings))
    for name, (columns, rows) in {
        PROGRESS: progress_rows(findings),
        TUNING: tuning_rows(findings),
    }.items():
        if rows:
            write_rows(folder / name, columns, rows)
        else:
            (folder / name).unlink(missing_ok=True)
    content = ArchivedStudy(
        format=FORMAT,
        plan=findings.plan.content,
        cells=tuple(
            ArchivedCell(*cell, dict(found.settings), dict(found.changes), found.missing)
            for cell, found in findings.results.items()
        ),
        datasets={
            name: {key: value for key, value in facts.items() if key not in LEFT_OUT}
            for name, facts in findings.data.items()
        },
        versions=dict(findings.versions),
        machine=machine(),
        missing=findings.missing,
        estimates=dict(findings.estimates),
        **{name: getattr(findings, name) for name in ("trials", "ended", "failed", "seconds")},
    )
    with replacing(folder / STUDY) as scratch:
        scratch.write_text(json.dumps(to_json_data(asdict(content)), indent=1) + "\n", "utf-8")


def run_rows(findings: Findings) -> tuple[list[str], list[list[str]]]:
    """Return headings and a row for every run that has not failed."""
    quantities, results = findings.quantities(), findings.results
    diagnostics = [
        name for name in DIAGNOSTICS if any(name in each.diagnostics for each in results.values())
    ]
    rows = [
        [
            *(*cell, str(seed)),
            *(rounded(found.means, name, i) for name in quantities),
            *(rounded(found.diagnostics, name, i) for name in diagnostics),
        ]
        for cell, found in results.items()
        for i, seed in enumerate(found.seeds)
    ]
    return [*Cell._fields, "seed", *quantities, *diagnostics], rows


def progress_rows(findings: Findings) -> tuple[list[str], list[list[str]]]:
    """Return headings and a row for every policy along the training of a run."""
    known = {cell: found for cell, found in findings.results.items() if "step" in found.progress}
    quantities = [
        name for name in QUANTITIES if any(name in found.progress for found in known.values())
    ]
    rows = [
        [
            *(*cell, str(seed), f"{step:.0f}"),
            *(rounded(found.progress, name, (i, point)) for name in quantities),
        ]
        for cell, found in known.items()
        for i, seed in enumerate(found.seeds)
        for point, step in enumerate(found.progress["step"][i])
    ]
    return [*Cell._fields, "seed", "step", *quantities], rows


def tuning_rows(findings: Findings) -> tuple[list[str], list[list[str]]]:
    """Return headings and a row for every tuning run; settings are written as JSON."""
    quantities = [name for name in QUANTITIES if any(name in each.means for each in findings.tried)]
    rows = [
        [
            *(*each.cell, json.dumps(dict(each.settings)), str(seed)),
            *(rounded(each.means, name, i) for name in quantities),
        ]
        for each in findings.tried
        for i, seed in enumerate(each.seeds)
    ]
    return [*Cell._fields, "settings", "seed", *quantities], rows


def tuning_runs(rows: list[dict[str, str]]) -> Iterator[Tried]:
    """Read back what `tuning_rows` has written."""

    def combination(row: dict[str, str]) -> tuple[str, ...]:
        return *(row[name] for name in Cell._fields), row["settings"]

    for key, each in itertools.groupby(rows, combination):
        mine = [*each]
        seeds = tuple(int(row["seed"]) for row in mine)
        yield Tried(Cell(*key[:-1]), json.loads(key[-1]), seeds, numbers(mine, QUANTITIES))


def write_rows(path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with replacing(path) as scratch, scratch.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [*csv.DictReader(file)]


def merge(kept: Findings, part: Findings) -> Findings:
    """Replace the cells of kept findings that a part of the same plan has run again.

    The other cells must be complete. Those with settings of an earlier version stay marked as such
    (`Findings.outdated`). Their time is estimated from their share of the runs.
    """
    plan = kept.plan
    same = {name: getattr(plan, name) for name in ("datasets", "algorithms", "labels", "scaled")}
    if replace(part.plan, **same) != plan or not part.results.keys() <= kept.results.keys():
        raise BadInput(
            f"is not a part of the kept {plan.name}; remove the kept results to keep these instead"
        )
    stay = [found for cell, found in kept.results.items() if cell not in part.results]
    for found in stay:
        if found.missing:
            raise BadInput(f"{found.cell} is kept with gaps; run it as well")
    runs = sum(len(found.seeds) for found in stay)
    return replace(
        part,
        plan=plan,
        results={cell: part.results.get(cell, found) for cell, found in kept.results.items()},
        data={**kept.data, **part.data},
        tried=(
            *(each for each in kept.tried if each.cell not in part.results),
            *part.tried,
        ),
        trials=runs + part.trials,
        ended=runs + part.ended,
        seconds=kept.seconds * runs / max(1, kept.ended) + part.seconds,
    )


def rounded(columns: Mapping[str, Array], name: str, place: int | tuple[int, int]) -> str:
    """Format a number with six digits, far more than its standard error needs."""
    return f"{columns[name][place]:.6g}" if name in columns else ""


def read_archive(folder: Path) -> tuple[Findings, str]:
    """Read the findings in the folder, without learning curves, and the machine."""
    try:
        study = read_study(folder / STUDY)
        rows = read_rows(folder / RUNS)
        progress, tuning = (
            read_rows(folder / name) if (folder / name).exists() else []
            for name in (PROGRESS, TUNING)
        )
        plan = from_content(study.plan)
        results = {each.cell: each for each in cell_results(study.cells, rows, progress)}
        facts: dict[str, Any] = dict(study.datasets)
        if study.format == 1:
            results = {cell: upgrade_result(plan, each) for cell, each in results.items()}
            facts = {name: upgrade_archived(plan, name, each) for name, each in facts.items()}
        findings = Findings(
            plan=plan,
            results=results,
            data=facts,
            tried=tuple(tuning_runs(tuning)),
            **{name: getattr(study, name) for name in SAME},
        )
        return findings, study.machine
    except BadInput as fault:
        raise (fault if fault.file else fault.in_file(folder / STUDY)) from None
    except FileNotFoundError as error:
        raise BadInput("does not exist", file=Path(error.filename)) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"does not hold the results of a study ({error})", file=folder) from error


def read_study(path: Path) -> ArchivedStudy:
    """Read the document of an archive; refuse that of a later version."""
    if not path.exists():
        raise BadInput("does not exist", file=path)
    study = read_document(path, ArchivedStudy)
    format_of({"format": study.format})
    return study


def cell_results(
    cells: Sequence[ArchivedCell], rows: list[dict[str, str]], progress: list[dict[str, str]]
) -> Iterator[CellResult]:
    for each in cells:
        cell = each.cell
        mine = rows_of(cell, rows)
        seeds = [row["seed"] for row in mine]
        yield CellResult(
            cell=cell,
            seeds=tuple(map(int, seeds)),
            means=numbers(mine, (*QUANTITIES, OLD_SCORE)),
            settings=each.settings,
            changes=each.changes,
            progress=progress_of(seeds, rows_of(cell, progress)),
            diagnostics=numbers(mine, DIAGNOSTICS),
            missing=each.missing,
        )


def progress_of(seeds: list[str], rows: list[dict[str, str]]) -> dict[str, Array]:
    """Return the columns of progress, [seeds, points]; all seeds must have as many points."""
    points = len(rows) // max(1, len(seeds))
    if [row["seed"] for row in rows] != [seed for seed in seeds for _ in range(points)]:
        raise ValueError(f"{PROGRESS} does not fit {RUNS}")
    columns = numbers(rows, ("step", *QUANTITIES))
    return {name: values.reshape(len(seeds), points) for name, values in columns.items()}


def rows_of(cell: Cell, rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [row for row in rows if all(row[name] == cell[i] for i, name in enumerate(Cell._fields))]


def numbers(rows: list[dict[str, str]], names: Iterable[str]) -> dict[str, Array]:
    """Return the columns of these names that the rows have."""
    there = [name for name in names if rows and rows[0].get(name)]
    return {name: np.array([float(row[name]) for row in rows]) for name in there}


def upgrade_result(plan: Plan, result: CellResult) -> CellResult:
    means = upgrade_quantities(result.means, lambda costs: costs * KAPPA)
    target = plan.cost_target_of(result.cell.dataset)
    return replace(result, means=add_normalized_cost(means, target))


def upgrade_archived(plan: Plan, name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    target = plan.cost_target_of(name) if name in plan.datasets else None
    return add_normalized_costs(upgrade_facts(facts), target)


def machine() -> str:
    """Describe the processor and the number of usable cores."""
    return f"{processor()}, {len(cores())} of {os.cpu_count()} cores"


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
