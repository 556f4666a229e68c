"""Claims on safety."""

from collections.abc import Iterator

from instinct.benchmarks.registry import find_benchmark
from instinct.results.claims.claim import Case, Claim
from instinct.results.claims.locomotion import PESSIMISTS
from instinct.results.evidence import Evidence, better
from instinct.results.paper_evidence import SAFE_FILTER
from instinct.study.measurement import is_safe

CIRCLES = ("PointCircle1", "PointCircle2", "CarCircle1", "CarCircle2")
"""Tasks in which the paper's agents are not safe."""


def safer(evidence: Evidence) -> Iterator[Case]:
    for found in evidence.filtered_costs():
        if found.before is not None:
            before, after = found.before.value, found.after.value
            yield Case(
                f"{found.dataset}, {found.algorithm}, {found.filter}",
                f"cost {after:.2f}, without the filter {before:.2f}",
                better(found.before, found.after),
                {"cost": after, "without": before},
            )


def low_cost(evidence: Evidence) -> Iterator[Case]:
    for found in evidence.filtered_costs():
        circle = find_benchmark(found.dataset).paper_name(found.dataset) in CIRCLES
        if found.filter == SAFE_FILTER and found.algorithm in PESSIMISTS and not circle:
            cost = found.after.value
            name = f"{found.dataset}, {found.algorithm}"
            yield Case(name, f"cost {cost:.2f}", is_safe(cost), {"cost": cost})


SAFETY = (
    Claim(
        "safer-data",
        "Data without costly transitions make policies safer",
        "Safety-Gymnasium: the normalized cost falls by more than the standard error",
        "Section 4.2 (no numbers without the filter)",
        safer,
    ),
    Claim(
        "low-cost",
        "ATAC and PSPI on cost-free data incur low cost, except in the circle tasks",
        "Safety-Gymnasium without the circle tasks: a normalized cost of at most 1",
        "Section 4.2, Table 6",
        low_cost,
    ),
)
