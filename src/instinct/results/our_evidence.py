"""Our own results as evidence: the findings of several studies, and experiments."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from instinct.data import ALL, PAPER_LABELS
from instinct.experiments.results import ExperimentResults
from instinct.results.evidence import Evidence, FilteredCost
from instinct.study.findings import CellResult, Findings
from instinct.study.intervals import Mean, mean_of

Condition = Callable[[CellResult], bool]


class OurEvidence(Evidence):
    """The findings of several studies. Seeds of the same cell are combined.

    Cells that were run with settings of an earlier version are left out, unless `earlier` is true,
    and so are cells with a single seed, such as those of searches: how much runs differ is not
    known there.
    """

    def __init__(
        self,
        studies: Sequence[Findings],
        computed: Sequence[ExperimentResults] = (),
        *,
        earlier: bool = False,
    ) -> None:
        self.studies, self.computed, self.earlier = studies, computed, earlier

    def counts(self, findings: Findings, found: CellResult) -> bool:
        """Tell whether the settings of a cell are those that count."""
        return self.earlier or findings.is_current(found)

    @property
    def datasets(self) -> Sequence[str]:
        return list(dict.fromkeys(name for each in self.studies for name in each.plan.datasets))

    def mean(self, dataset: str, algorithm: str, label: str, quantity: str) -> Mean | None:
        return self.pooled(dataset, algorithm, label, quantity)

    def stopped_imitation(self, dataset: str, quantity: str, stopped: bool) -> Mean | None:
        return self.pooled(
            dataset,
            "BC",
            "original",
            quantity,
            lambda found: bool(found.changes.get("held_out")) == stopped,
        )

    def pooled(
        self,
        dataset: str,
        algorithm: str,
        label: str,
        quantity: str,
        condition: Condition | None = None,
    ) -> Mean | None:
        """Return the mean over the seeds of complete studies with the same settings.

        The settings are those of the first complete study that meets the condition.
        """
        known: dict[int, float] = {}
        changes = None
        for findings in self.studies:
            plan = findings.plan
            found = findings.result(dataset, algorithm, label) if label in plan.labels else None
            values = None if found is None else found.means.get(quantity)
            if found is None or values is None or len(values) < plan.seeds:
                continue
            if not self.counts(findings, found):
                continue
            if condition is not None and not condition(found):
                continue
            changes = found.changes if changes is None else changes
            if found.changes == changes:
                known = {**dict(zip(found.seeds, map(float, values), strict=True)), **known}
        return mean_of(np.array([*known.values()])) if len(known) > 1 else None

    def recorded(self, dataset: str, quantity: str) -> float | None:
        for findings in self.studies:
            value = findings.data.get(dataset, {}).get("behavior", {}).get(quantity)
            if value is not None:
                return float(value)
        return None

    def filtered_costs(self) -> Iterator[FilteredCost]:
        for findings in self.studies:
            for cell, found in findings.results.items():
                costs = found.means.get("normalized_cost")
                if cell.filter == ALL or costs is None or not self.counts(findings, found):
                    continue
                whole = findings.results.get(cell._replace(filter=ALL))
                before = None if whole is None else whole.means.get("normalized_cost")
                yield FilteredCost(
                    cell.dataset,
                    cell.algorithm,
                    cell.filter,
                    mean_of(costs),
                    None if before is None else mean_of(before),
                )

    def gridworld(self) -> Mapping[tuple[str, str], float]:
        return {
            (row["algorithm"], row["label"]): float(row["mean"])
            for results in self.computed
            if results.study == "gridworld"
            for row in results.results
            if row["label"] in PAPER_LABELS
        }
