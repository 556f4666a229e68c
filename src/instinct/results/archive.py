"""Archives: the findings of a study in two text files that can be kept in a repository.

`runs.csv` has a row for every run, with the mean of each quantity over its test episodes.
`study.json` has the plan, the facts about the datasets, what is missing, and the machine.
"""

import csv
import json
import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from instinct.data import KAPPA
from instinct.errors import BadInput
from instinct.study.facts import add_normalized_costs
from instinct.study.findings import CellResult, Findings
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

RUNS, STUDY = "runs.csv", "study.json"
LEFT_OUT = ("points",)
"""Facts of a dataset that only figures need."""


def write_archive(findings: Findings, folder: Path) -> None:
    """Write the findings to the folder."""
    quantities = findings.quantities()
    with replacing(folder / RUNS) as scratch, scratch.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*Cell._fields, "seed", *quantities])
        for cell, found in findings.results.items():
            for number, seed in enumerate(found.seeds):
                writer.writerow(
                    [*cell, seed, *(rounded(found, name, number) for name in quantities)]
                )
    content = {
        "format": FORMAT,
        "plan": findings.plan.content,
        "cells": [
            {
                **cell._asdict(),
                **{name: dict(getattr(found, name)) for name in ("settings", "changes")},
                "missing": [*found.missing],
            }
            for cell, found in findings.results.items()
        ],
        "datasets": {
            name: {key: value for key, value in facts.items() if key not in LEFT_OUT}
            for name, facts in findings.data.items()
        },
        "versions": dict(findings.versions),
        "machine": machine(),
        **{name: getattr(findings, name) for name in ("trials", "ended", "failed", "seconds")},
        "missing": [*findings.missing],
    }
    with replacing(folder / STUDY) as scratch:
        scratch.write_text(json.dumps(to_json_data(content), indent=1) + "\n", "utf-8")


def merge(kept: Findings, part: Findings) -> Findings:
    """Replace the cells of kept findings that a part of the same plan has run again.

    The other cells must be complete, and their settings must be those that the plan has today.
    Their time is estimated from their share of the runs.
    """
    plan = kept.plan
    same = {name: getattr(plan, name) for name in ("datasets", "algorithms", "labels", "scaled")}
    if replace(part.plan, **same) != plan or not part.results.keys() <= kept.results.keys():
        raise BadInput(
            f"is not a part of the kept {plan.name}; remove the kept results to keep these instead"
        )
    stay = [found for cell, found in kept.results.items() if cell not in part.results]
    for found in stay:
        if found.missing or found.changes != plan.changes(found.cell, found.settings):
            raise BadInput(f"{found.cell} is kept with gaps or other settings; run it as well")
    runs = sum(len(found.seeds) for found in stay)
    return replace(
        part,
        plan=plan,
        results={cell: part.results.get(cell, found) for cell, found in kept.results.items()},
        data={**kept.data, **part.data},
        trials=runs + part.trials,
        ended=runs + part.ended,
        seconds=kept.seconds * runs / max(1, kept.ended) + part.seconds,
    )


def rounded(found: CellResult, quantity: str, number: int) -> str:
    """Format a number with six digits, far more than its standard error needs."""
    return f"{found.means[quantity][number]:.6g}" if quantity in found.means else ""


def read_archive(folder: Path) -> tuple[Findings, str]:
    """Read the findings in the folder, without learning curves, and the machine."""
    try:
        content = json.loads((folder / STUDY).read_text("utf-8"))
        with (folder / RUNS).open(newline="") as file:
            rows = [*csv.DictReader(file)]
        plan, upgrade = from_content(content["plan"]), format_of(content) == 1
        results = {each.cell: each for each in cell_results(content["cells"], rows)}
        facts: dict[str, Any] = content["datasets"]
        if upgrade:
            results = {cell: upgrade_result(plan, each) for cell, each in results.items()}
            facts = {name: upgrade_archived(plan, name, each) for name, each in facts.items()}
        findings = Findings(
            plan=plan,
            results=results,
            data=facts,
            versions=content["versions"],
            missing=tuple(content["missing"]),
            **{name: content[name] for name in ("trials", "ended", "failed", "seconds")},
        )
        return findings, str(content["machine"])
    except FileNotFoundError as error:
        raise BadInput("does not exist", file=Path(error.filename)) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"does not hold the results of a study ({error})", file=folder) from error


def cell_results(
    content: list[Mapping[str, Any]], rows: list[dict[str, str]]
) -> Iterator[CellResult]:
    for each in content:
        cell = Cell(**{name: each[name] for name in Cell._fields})
        mine = [row for row in rows if all(row[name] == each[name] for name in Cell._fields)]
        quantities = [name for name in (*QUANTITIES, OLD_SCORE) if mine and mine[0].get(name)]
        yield CellResult(
            cell=cell,
            seeds=tuple(int(row["seed"]) for row in mine),
            means={name: np.array([float(row[name]) for row in mine]) for name in quantities},
            settings=each["settings"],
            changes=each["changes"],
            missing=tuple(each["missing"]),
        )


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
