"""Tasks by name: a family is one file with its tasks, and one line here."""

from collections.abc import Callable

from instinct.benchmarks.gridworld.task import NAME as GRIDWORLD
from instinct.benchmarks.gridworld.task import GridWorldTask
from instinct.benchmarks.gymnasium import task as gym_task
from instinct.benchmarks.gymnasium.task import GymTask
from instinct.benchmarks.locomotion.simulation import BODIES
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.benchmarks.metaworld import task as metaworld
from instinct.benchmarks.metaworld.task import MetaWorldTask
from instinct.benchmarks.safety import task as safety
from instinct.benchmarks.safety.task import SafetyTask
from instinct.data import Dataset
from instinct.errors import BadInput
from instinct.tasks.simulation import Task

FAMILIES: dict[str, Callable[[str], Task]] = {
    gym_task.PREFIX: GymTask,
    metaworld.PREFIX: MetaWorldTask,
    safety.PREFIX: SafetyTask,
}
"""How the names of a family begin, and what makes a task of them."""


def find_task(name: str) -> Task:
    """The task of that name."""
    if name == GRIDWORLD:
        return GridWorldTask()
    if name in BODIES:
        return LocomotionTask(name)
    prefix = name.partition(":")[0] + ":"
    if prefix not in FAMILIES:
        known = [GRIDWORLD, *BODIES, *(f"{family}NAME" for family in FAMILIES)]
        raise BadInput(f"no task is called {name!r}; there are {', '.join(known)}")
    return FAMILIES[prefix](name)


def fitting(name: str, dataset: Dataset) -> Task:
    """The task of that name, if what has learned from the dataset can act there."""
    task, size = find_task(name), dataset.observations.shape[1]
    if dataset.action_space != task.action_space:
        raise BadInput(
            f"the dataset has actions in {dataset.action_space}, {task.name} in "
            f"{task.action_space}; --action-range says what a file is silent about"
        )
    if size != task.observation_size:
        raise BadInput(
            f"the dataset's observations are {size} numbers, those of {task.name} "
            f"{task.observation_size}"
        )
    return task
