"""The numbers of a study as rows with errors and intervals, for data frames and JSON."""

from typing import Any

from instinct.data import Array
from instinct.report.kit.tables import Missing, Number, TableCell
from instinct.study.findings import Findings
from instinct.study.intervals import Interval, mean_interval, mean_of
from instinct.study.measurement import is_safe
from instinct.study.plan import Plan
from instinct.study.statistics import estimate, interval, mean

FORMS = {
    "success": ".2f",
    "score": ".1f",
    "return": ".4g",
    "length": ".0f",
    "cost": ".1f",
    "normalized_cost": ".2f",
}
"""How numbers of a quantity are formatted; see `form_of`."""
NO_RUN = "no run has ended"
NAMES = {"success": "success_rate"}
"""The key of a quantity in rows, if it is not its name."""


def rows(findings: Findings) -> list[dict[str, Any]]:
    """Return one row per dataset, algorithm, label and filter, with means over seeds."""
    return [
        {
            "dataset": dataset,
            "algorithm": algorithm,
            "label": label,
            "filter": filter_name,
            "seeds": len(found.seeds),
            "planned_seeds": findings.plan.seeds,
            "episodes": findings.plan.episodes,
        }
        | {
            name: value
            for quantity, values in found.means.items()
            for name, value in estimates(NAMES.get(quantity, quantity), values).items()
        }
        | (
            {"safe": is_safe(float(found.means["normalized_cost"].mean()))}
            if "normalized_cost" in found.means
            else {}
        )
        | ({"settings": dict(found.settings)} if found.settings else {})
        | ({"missing": [*found.missing]} if found.missing else {})
        for dataset in findings.plan.datasets
        for algorithm in findings.plan.algorithms
        for filter_name in findings.plan.filters_for(algorithm)
        for label in findings.plan.labels
        if (found := findings.result(dataset, algorithm, label, filter_name)) is not None
    ]


def form_of(plan: Plan, quantity: str) -> str:
    """Return the format of a quantity; the benchmark decides on that of the score."""
    if quantity == "score":
        return f".{max(plan.benchmark_of(each).score_digits for each in plan.datasets)}f"
    return FORMS[quantity]


def estimates(name: str, values: Array) -> dict[str, float | None]:
    """Return the mean over seeds; with two or more also standard error and t interval."""
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


def seed_interval(values: Array) -> Interval | None:
    """Return the mean over seeds with its t interval; None for a single seed."""
    return mean_interval(mean_of(values)) if len(values) > 1 else None


def mean_cell(values: Array | None, form: str) -> TableCell:
    """Return the mean over seeds with its interval as a cell of a table."""
    if values is None or not len(values):
        return Missing(NO_RUN)
    around = seed_interval(values)
    interval = None if around is None else (around.low, around.high)
    return Number(float(values.mean()), form, interval=interval)
