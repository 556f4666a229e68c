"""What is estimated of the policies of every cell, from the data alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from instinct.data import Array
from instinct.estimate import DEFAULT, Estimate, Refusal, reliability_of
from instinct.study.estimates import DatasetEstimates, PolicyEstimate
from instinct.study.findings import CellResult, Findings
from instinct.study.plan import Cell

COVERED = "covered"
"""The time until a rollout in the learned model leaves the data; only `dynamics` has it."""


@dataclass(frozen=True)
class CellEstimate:
    """The estimates of the policies of one cell by one estimator.

    A value is the mean over seeds; its interval contains those of all seeds, since one of the
    policies would be deployed.
    """

    cell: Cell
    seeds: int
    judged: int
    values: Mapping[str, Estimate]
    refusal: str = ""
    """Why there are no values; empty if there are."""
    is_outside: bool = False
    """Whether the policies act outside the data too often to be judged."""
    distance: float | None = None
    outside: float | None = None
    other_labels: float | None = None
    """How far actions are from those under other labels, in spreads of the behavior."""
    other_seeds: float | None = None
    """How far actions of two seeds are from each other, in the same unit."""

    def widened(self, quantity: str, estimator: str = DEFAULT) -> Estimate | None:
        """Return an estimate with the interval that the measured reliability asks for."""
        found = self.values.get(quantity)
        return None if found is None else reliability_of(estimator, quantity).widen(found)


def cell_estimates(
    findings: Findings, dataset: str, estimator: str = DEFAULT
) -> dict[Cell, CellEstimate]:
    """Return the estimates of all cells that have policies, in the order of the plan."""
    estimates = findings.estimates.get(dataset)
    if estimates is None:
        return {}
    found = ((cell, estimates.of_cell(cell)) for cell in findings.plan.cells())
    return {
        cell: cell_estimate(findings, estimates, cell, policies, estimator)
        for cell, policies in found
        if policies
    }


def cell_estimate(
    findings: Findings,
    estimates: DatasetEstimates,
    cell: Cell,
    policies: Sequence[PolicyEstimate],
    estimator: str,
) -> CellEstimate:
    judged = [each for each in policies if estimator in each.estimates]
    supports = [each.support for each in policies if each.support is not None]
    enough = 2 * len(judged) >= len(policies)
    names = judged[0].estimates[estimator] if judged and enough else ()
    refused = [each for each in policies if estimator not in each.estimates]
    return CellEstimate(
        cell=cell,
        seeds=len(policies),
        judged=len(judged),
        values={name: over_seeds(judged, estimator, name) for name in names},
        refusal="" if enough else refusal_of(refused[0], estimator),
        is_outside=not enough and any(each.is_outside for each in refused),
        distance=float(np.mean([each.distance for each in supports])) if supports else None,
        outside=float(np.mean([each.outside for each in supports])) if supports else None,
        **action_gaps(findings, estimates, cell),
    )


def refusal_of(policy: PolicyEstimate, estimator: str) -> str:
    answer = policy.answer(estimator, "return")
    return answer.reason if isinstance(answer, Refusal) else ""


def over_seeds(policies: Sequence[PolicyEstimate], estimator: str, quantity: str) -> Estimate:
    """Return the mean over seeds, with an interval that contains those of all."""
    each = [policy.estimates[estimator][quantity] for policy in policies]
    return Estimate(
        float(np.mean([x.value for x in each])),
        min(x.low for x in each),
        max(x.high for x in each),
    )


def action_gaps(
    findings: Findings, estimates: DatasetEstimates, cell: Cell
) -> dict[str, float | None]:
    """Compare actions at recorded states with those under other labels, and between seeds."""
    mine = findings.results.get(cell)
    spread = estimates.coverage.spread if estimates.coverage else 0.0
    if mine is None or mine.actions is None or spread == 0:
        return {}
    discrete = findings.has_discrete_actions(cell.dataset)
    others = [
        found.actions
        for other, found in findings.results.items()
        if other == cell._replace(label=other.label) and other != cell and found.actions is not None
    ]
    seeds = [
        action_gap(mine.actions[i], mine.actions[j], discrete)
        for i in range(len(mine.actions))
        for j in range(i)
    ]
    labels = [
        action_gap(one, other, discrete)
        for one in mine.actions
        for actions in others
        for other in actions
    ]
    return {
        "other_labels": mean_gap(labels, discrete, spread),
        "other_seeds": mean_gap(seeds, discrete, spread),
    }


def action_gap(one: Array, other: Array, discrete: bool) -> float:
    """Return the mean square of the difference; the share of other actions if discrete."""
    return float((one != other).mean() if discrete else ((one - other) ** 2).mean())


def mean_gap(gaps: Sequence[float], discrete: bool, spread: float) -> float | None:
    if not gaps:
        return None
    mean = float(np.mean(gaps))
    return (mean if discrete else mean**0.5) / spread


def truth_of(found: CellResult | None, seed: int) -> dict[str, float]:
    """Return the true means of one policy's test episodes; empty if there were none."""
    if found is None or seed not in found.seeds:
        return {}
    place = found.seeds.index(seed)
    return {name: float(values[place]) for name, values in found.means.items()}
