"""What a filter changes in trained agents, read from the findings of a study."""

from typing import NamedTuple

import numpy as np

from instinct.data import ALL, Array
from instinct.nudge.goals import REWARD, Goal
from instinct.nudge.ranking import keeps_reward
from instinct.study.findings import CellResult, Findings
from instinct.study.intervals import DUST, Interval, difference_interval, mean_of


class Change(NamedTuple):
    """A quantity of every seed before and after a filter."""

    quantity: str
    before: Array
    after: Array

    @property
    def difference(self) -> float:
        return float(np.mean(self.after) - np.mean(self.before))

    @property
    def interval(self) -> Interval | None:
        """The difference with its 95% interval (Welch); None for a single seed."""
        if min(len(self.before), len(self.after)) < 2:
            return None
        return difference_interval(mean_of(self.after), mean_of(self.before))


def cell_of(findings: Findings, filter_name: str) -> CellResult | None:
    """Return the results of the zero-reward agents after a filter."""
    plan = findings.plan
    return findings.result(plan.datasets[0], plan.algorithms[0], plan.labels[0], filter_name)


def read_change(findings: Findings, filter_name: str, quantities: tuple[str, ...]) -> Change | None:
    """Return the change of the first of these quantities that was measured; None without runs."""
    cells = [cell_of(findings, name) for name in (ALL, filter_name)]
    measured = [{} if cell is None else cell.means for cell in cells]
    for quantity in quantities:
        if all(quantity in means for means in measured):
            before, after = (means[quantity] for means in measured)
            return Change(quantity, before, after)
    return None


def leaves_reward(findings: Findings, filter_name: str, tolerance: float | None) -> bool:
    """Tell whether the mean reward after a filter is within the tolerance."""
    reward = read_change(findings, filter_name, REWARD)
    if reward is None:
        return tolerance is None
    return keeps_reward(float(reward.before.mean()), float(reward.after.mean()), tolerance)


def choose_filter(findings: Findings, goal: Goal, tolerance: float | None) -> str | None:
    """Return the filter with the best mean that leaves enough reward; None if all data are best."""
    found = {
        name: round(goal.sign * change.difference, DUST)
        for name in findings.plan.filters
        if name != ALL
        and (change := read_change(findings, name, goal.quantities)) is not None
        and leaves_reward(findings, name, tolerance)
    }
    best = max(found, key=lambda name: found[name], default=None)
    return best if best is not None and found[best] > 0 else None
