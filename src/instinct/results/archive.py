"""Archives: what a study found, in two text files that a repository can keep.

`runs.csv` has a row for every run, with the mean of each quantity over its test episodes;
`study.json` has the plan, what is known of the datasets, what is missing, and on what it ran.
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

from instinct.errors import BadInput
from instinct.study.findings import CellResult, Findings
from instinct.study.measurement import QUANTITIES
from instinct.study.plan import Cell
from instinct.study.plan_files import from_content
from instinct.util.atomic import replacing
from instinct.util.cores import cores
from instinct.util.jsonio import to_json_data

RUNS, STUDY = "runs.csv", "study.json"
LEFT_OUT = ("points",)
"""Facts of a dataset that are only drawn."""


def write_archive(findings: Findings, folder: Path) -> None:
    """Keep the findings in the folder, with what every number is."""
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


def together(kept: Findings, part: Findings) -> Findings:
    """What is kept of a study, with what a part of the same plan has found since.

    Cells that the part has not run stay as they are; they must be whole, and what the plan would
    run today. Their share of the runs is taken for their share of the time.
    """
    plan = kept.plan
    same = {name: getattr(plan, name) for name in ("datasets", "algorithms", "labels", "scaled")}
    if replace(part.plan, **same) != plan or not part.results.keys() <= kept.results.keys():
        raise BadInput(f"is no part of {plan.name} as it is kept; remove that to keep this instead")
    stay = [found for cell, found in kept.results.items() if cell not in part.results]
    for found in stay:
        if found.missing or found.changes != plan.changes(found.cell, found.settings):
            raise BadInput(f"{found.cell} is kept with gaps or with other settings: run it as well")
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
    """Six digits: far more than chance leaves."""
    return f"{found.means[quantity][number]:.6g}" if quantity in found.means else ""


def read_archive(folder: Path) -> tuple[Findings, str]:
    """The findings that the folder holds, without learning curves, and the machine."""
    try:
        content = json.loads((folder / STUDY).read_text("utf-8"))
        with (folder / RUNS).open(newline="") as file:
            rows = [*csv.DictReader(file)]
        found = {each.cell: each for each in cells(content["cells"], rows)}
        findings = Findings(
            plan=from_content(content["plan"]),
            results=found,
            data=content["datasets"],
            versions=content["versions"],
            missing=tuple(content["missing"]),
            **{name: content[name] for name in ("trials", "ended", "failed", "seconds")},
        )
        return findings, str(content["machine"])
    except FileNotFoundError as error:
        raise BadInput("is not there", file=Path(error.filename)) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"does not hold the results of a study ({error})", file=folder) from error


def cells(content: list[Mapping[str, Any]], rows: list[dict[str, str]]) -> Iterator[CellResult]:
    for each in content:
        cell = Cell(**{name: each[name] for name in Cell._fields})
        mine = [row for row in rows if all(row[name] == each[name] for name in Cell._fields)]
        yield CellResult(
            cell=cell,
            seeds=tuple(int(row["seed"]) for row in mine),
            means={
                name: np.array([float(row[name]) for row in mine])
                for name in QUANTITIES
                if mine and mine[0].get(name)
            },
            settings=each["settings"],
            changes=each["changes"],
            missing=tuple(each["missing"]),
        )


def machine() -> str:
    """The processor and how many of its cores there are to work on."""
    return f"{processor()}, {len(cores())} of {os.cpu_count()} cores"


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
