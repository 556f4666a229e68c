"""Goals: what zero-reward agents are wanted to do, and whether data and task can tell."""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from instinct.data import Array, Box, Dataset
from instinct.errors import BadInput
from instinct.score.cells import DISCOUNT
from instinct.score.measures import survival_values, to_go
from instinct.tasks.simulation import End, Task

REWARD = ("score", "return")
"""The quantities that say how much reward agents get; the first that is known counts."""


class Goal(NamedTuple):
    """A goal of a search: more or less of a quantity."""

    name: str
    quantities: tuple[str, ...]
    """The first of these that is known counts."""
    sign: int
    """1 if more of it is better, -1 if less."""
    wish: str
    """What agents should do, after "make zero-reward agents"."""

    def quantity(self, known: Collection[str]) -> str | None:
        """Return the quantity that counts among known ones."""
        return next((name for name in self.quantities if name in known), None)

    def follows(self, dataset: Dataset, end: End) -> Array:
        """Return how good what follows every transition is, discounted."""
        if self.name == "survival":
            return survival_values(dataset, end == "fall")
        values = dataset.rewards
        if self.name == "cost" and dataset.costs is not None:
            values = -dataset.costs
        elif self.name == "success" and has_goals(dataset, end):
            values = dataset.terminals
        return to_go(dataset, values, DISCOUNT)


GOALS = {
    goal.name: goal
    for goal in (
        Goal("return", REWARD, 1, "earn more"),
        Goal("cost", ("cost",), -1, "cost less"),
        Goal("success", ("success",), 1, "succeed more often"),
        Goal("survival", ("length",), 1, "last longer"),
    )
}
"""The goals by name."""


def find_goal(name: str) -> Goal:
    """Return the goal of that name."""
    if name not in GOALS:
        raise BadInput(f"no goal is called {name!r}; there are {', '.join(GOALS)}", field="goal")
    return GOALS[name]


def has_goals(dataset: Dataset, end: End) -> bool:
    """Tell whether terminals mark successes."""
    return end == "goal" and bool(dataset.terminals.any())


def check_goal(goal: Goal, dataset: Dataset, end: End) -> None:
    """Refuse a goal that the data say nothing about."""
    if goal.name == "cost":
        if dataset.costs is None:
            raise BadInput("missing; the goal cost needs recorded costs", field="costs")
        if not dataset.costs.any():
            raise BadInput("all are 0, so that there is nothing to avoid", field="costs")
    elif goal.name == "survival":
        if not dataset.terminals.any() and np.ptp(dataset.lengths) == 0:
            raise BadInput(
                f"every episode lasts {dataset.lengths[0]} steps and none ends by a terminal, so "
                "that the data do not show survival",
                field="terminals",
            )
    elif not dataset.has_rewards and not (goal.name == "success" and has_goals(dataset, end)):
        raise BadInput(f"missing; the goal {goal.name} needs the true rewards", field="rewards")


def check_task(goal: Goal, task: Task) -> None:
    """Refuse a goal that the task does not measure, by taking one step in it."""
    if goal.name not in ("cost", "success"):
        return
    simulation, space = task.simulation(1), task.action_space
    simulation.reset(0, 0)
    action = np.add(space.low, space.high) / 2 if isinstance(space, Box) else np.array(0)
    step = simulation.step(np.array([0]), action[None])
    if (step.costs if goal.name == "cost" else step.successes) is None:
        raise BadInput(f"{task.name} measures no {goal.name}; choose another goal", field="goal")
