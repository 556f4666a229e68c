"""The numbers of a study's findings as rows, with errors and intervals, for tables and JSON."""

from typing import Any

from instinct.benchmarks.safety.task import is_safe
from instinct.data import Array
from instinct.study.findings import Findings
from instinct.study.statistics import estimate, interval, mean

FORMS = {
    "success": ".2f",
    "score": ".1f",
    "reward": ".2f",
    "return": ".4g",
    "length": ".0f",
    "cost": ".2f",
}
"""How a quantity is rounded when it is shown."""
NAMES = {"success": "success_rate"}
"""How a quantity is called in rows, where that is not by its own name."""


def rows(findings: Findings) -> list[dict[str, Any]]:
    """One row per dataset, algorithm, label and filter: the mean of every quantity over seeds."""
    return [
        {
            "dataset": dataset,
            "algorithm": algorithm,
            "label": label,
            "filter": shown,
            "seeds": len(found.seeds),
            "planned_seeds": findings.plan.seeds,
            "episodes": findings.plan.episodes,
        }
        | {
            name: value
            for quantity, values in found.means.items()
            for name, value in estimates(NAMES.get(quantity, quantity), values).items()
        }
        | ({"safe": is_safe(float(found.means["cost"].mean()))} if "cost" in found.means else {})
        | ({"settings": dict(found.settings)} if found.settings else {})
        | ({"missing": [*found.missing]} if found.missing else {})
        for dataset in findings.plan.datasets
        for algorithm in findings.plan.algorithms
        for shown in findings.plan.filters_for(algorithm)
        for label in findings.plan.labels
        if (found := findings.result(dataset, algorithm, label, shown)) is not None
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
