"""The paper's own tables as evidence, so that its claims are checked on them by the same code."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from instinct.benchmarks.benchmark import Benchmark
from instinct.benchmarks.registry import SHIPPED, find_benchmark
from instinct.paper.tables import PaperScore, gridworld, safety, safety_tasks, table
from instinct.results.evidence import Evidence, FilteredCost
from instinct.study.intervals import Mean

RUNS, SAFETY_RUNS = 10, 3
"""Seeds behind the numbers of the paper's tables, and of its table on safety."""
SAFE_FILTER = "cost-free"


class PaperEvidence(Evidence):
    """The paper's means with their standard errors."""

    @cached_property
    def scores(self) -> Mapping[tuple[str, str, str, str | None, str], PaperScore]:
        """All numbers by family, dataset, algorithm, label and quantity.

        Where two tables have the same number, the first one counts.
        """
        return {
            (family.name, row.dataset, row.algorithm, row.label, quantity): row
            for family in SHIPPED
            for quantity, names in family.paper_tables.items()
            for name in reversed(names)
            for row in table(name)
        }

    @cached_property
    def datasets(self) -> Sequence[str]:
        known = {key[:2] for key in self.scores} | {("safety", task) for task in safety_tasks()}
        found: dict[tuple[str, str], str] = {}
        for family in SHIPPED:
            for name in family.datasets:
                found.setdefault((family.name, family.paper_name(name)), name)
        return [name for key, name in found.items() if key in known]

    def mean(self, dataset: str, algorithm: str, label: str, quantity: str) -> Mean | None:
        family = find_benchmark(dataset)
        key = None if algorithm in ("BC", "behavior") else label
        row = self.row(family, dataset, algorithm, key, quantity)
        return None if row is None else Mean(row.mean, row.stderr or 0.0, RUNS)

    def row(
        self, family: Benchmark, dataset: str, algorithm: str, label: str | None, quantity: str
    ) -> PaperScore | None:
        key = (family.name, family.paper_name(dataset), algorithm, label, quantity)
        return self.scores.get(key)

    def stopped_imitation(self, dataset: str, quantity: str, stopped: bool) -> Mean | None:
        """Return the paper's BC in both cases: it has only one, which is not stopped early."""
        del stopped
        return self.mean(dataset, "BC", "original", quantity)

    def recorded(self, dataset: str, quantity: str) -> float | None:
        row = self.row(find_benchmark(dataset), dataset, "behavior", None, quantity)
        return None if row is None else row.mean

    def filtered_costs(self) -> Iterator[FilteredCost]:
        names = {find_benchmark(name).paper_name(name): name for name in self.datasets}
        for each in safety():
            if each.algorithm in ("ATAC", "PSPI"):
                cost = Mean(each.normalized_cost, 0.0, SAFETY_RUNS)
                yield FilteredCost(names[each.task], each.algorithm, SAFE_FILTER, cost, None)

    def gridworld(self) -> Mapping[tuple[str, str], float]:
        return gridworld()
