"""The numbers of a study's findings as rows, with errors and intervals, for tables and JSON."""

from typing import Any

from instinct.data import Array
from instinct.study.findings import Findings
from instinct.study.statistics import estimate, interval, mean

NAMES = {"success": "success_rate"}
"""How a quantity is called in rows, where that is not by its own name."""


def rows(findings: Findings) -> list[dict[str, Any]]:
    """One row per dataset, algorithm and label, with the mean of every quantity over the seeds."""
    return [
        {
            "dataset": dataset,
            "algorithm": algorithm,
            "label": label,
            "seeds": len(found.seeds),
            "planned_seeds": findings.plan.seeds,
            "episodes": findings.plan.episodes,
        }
        | {
            name: value
            for quantity, values in found.means.items()
            for name, value in estimates(NAMES.get(quantity, quantity), values).items()
        }
        | ({"settings": dict(found.settings)} if found.settings else {})
        | ({"missing": [*found.missing]} if found.missing else {})
        for dataset in findings.plan.datasets
        for algorithm in findings.plan.algorithms
        for label in findings.plan.labels
        if (found := findings.of(dataset, algorithm, label)) is not None
    ]


def estimates(name: str, values: Array) -> dict[str, float | None]:
    """The mean over seeds with its standard error and its bootstrap interval, if there are two."""
    if len(values) < 2:
        return {name: float(values[0])}
    stderr = estimate(values).stderr
    around = interval(mean, values)
    return {
        name: around.value,
        f"{name}_stderr": stderr,
        f"{name}_low": around.low,
        f"{name}_high": around.high,
    }
