"""Estimates of an audit's policies without a simulator, as a store keeps them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from instinct.estimate import Answer, Coverage, Estimate, Refusal, Support
from instinct.estimate.regions import Ends, Leaving
from instinct.study.plan import Cell
from instinct.util.validation import convert


@dataclass(frozen=True)
class PolicyEstimate:
    """What is estimated of one policy, by estimator and quantity, and its support."""

    cell: Cell
    seed: int
    estimates: Mapping[str, Mapping[str, Estimate]]
    refusals: Mapping[str, str]
    """Why an estimator gives nothing, by estimator."""
    support: Support | None = None

    def answer(self, estimator: str, quantity: str) -> Answer:
        """Return the estimate, or a refusal with its reason."""
        found = self.estimates.get(estimator, {}).get(quantity)
        if found is not None:
            return found
        return Refusal(self.refusals.get(estimator, "it was not estimated"))

    @property
    def is_outside(self) -> bool:
        """Whether the policy acts outside the data too often to be judged."""
        return self.support is not None and bool(self.support.problem)


@dataclass(frozen=True)
class DatasetEstimates:
    """The estimates of all policies on one dataset, beside the data's own means."""

    key: str
    """A hash of all that the estimates were made from."""
    horizon: int
    recorded: Mapping[str, float]
    """The mean of every quantity over recorded episodes, up to the horizon."""
    cut_short: float = 0.0
    """The share of episodes whose recording stopped before the horizon."""
    problem: str = ""
    """Why nothing was estimated; empty if it was."""
    problem_code: str = ""
    """The same in a name that stays: `few-episodes`, `no-policies` or `fit-failed`."""
    coverage: Coverage | None = None
    policies: tuple[PolicyEstimate, ...] = ()
    leaving: Leaving | None = None
    ends: Ends | None = None
    seconds: float = 0.0
    estimators: tuple[str, ...] = ()

    @property
    def quantities(self) -> tuple[str, ...]:
        return tuple(self.recorded)

    def of_cell(self, cell: Cell) -> list[PolicyEstimate]:
        """Return the estimates of all seeds of a cell."""
        return [each for each in self.policies if each.cell == cell]


def to_content(estimates: DatasetEstimates) -> dict[str, Any]:
    """Return the estimates as plain data."""
    return asdict(estimates)


def from_content(content: Any) -> DatasetEstimates:
    """Make the estimates from plain data, or refuse what does not fit."""
    return convert(content, DatasetEstimates)
