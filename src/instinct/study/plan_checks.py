"""Check a plan before anything starts."""

import math
from typing import TYPE_CHECKING, get_args

from instinct.benchmarks.registry import find_task
from instinct.data import ALL, find_filter
from instinct.errors import BadInput
from instinct.study.presets import PRESETS
from instinct.study.rules import RULES
from instinct.tasks.simulation import End

if TYPE_CHECKING:
    from instinct.study.plan import Plan

LIMITS = {
    "tuning_seeds": (0, 10_000),
    "seeds": (1, 10_000),
    "first_seed": (0, 2**31),
    "episodes": (1, 1_000_000),
}
"""The smallest and the largest value of every whole number in a plan."""


def check_plan(plan: "Plan") -> None:
    """Raise `BadInput` if a trial of the plan could not be run."""
    check_values(plan)
    check_filters(plan)
    check_tasks(plan)
    for section in (plan.settings, plan.grid, plan.filters_of):
        for algorithm in section:
            if algorithm not in plan.algorithms:
                raise BadInput(f"{algorithm} is not among the algorithms of the plan")
    for cell in plan.cells():
        for combination in plan.combinations(cell):
            plan.trial(cell, combination, seed=0)


def check_values(plan: "Plan") -> None:
    for name, (least, most) in LIMITS.items():
        if getattr(plan, name) < least:
            raise BadInput(f"must be at least {least}", field=name)
        if getattr(plan, name) > most:
            raise BadInput(f"must be at most {most:,}", field=name)
    if not plan.name.strip():
        raise BadInput("must not be empty", field="name")
    if plan.cost_target is not None and not 0 < plan.cost_target < math.inf:
        raise BadInput("must be a positive number", field="cost_target")
    for name in ("datasets", "algorithms", "labels"):
        values = getattr(plan, name)
        if not values or len({*values}) < len(values):
            raise BadInput("must name at least one, and none twice", field=name)
    ends = get_args(End)
    for name, known in (("preset", PRESETS), ("rule", RULES), ("assumed_end", ends)):
        if getattr(plan, name) not in known:
            choices = ", ".join(known)
            raise BadInput(f"must be one of {choices}, not {getattr(plan, name)!r}", field=name)


def check_filters(plan: "Plan") -> None:
    for names in (plan.filters, *plan.filters_of.values()):
        if len({*names}) < len(names):
            raise BadInput("must not name a filter twice", field="filters")
        for name in {*names} - {ALL}:
            find_filter(name)


def check_tasks(plan: "Plan") -> None:
    if plan.tuning_seeds and not all(map(plan.task_of, plan.datasets)):
        raise BadInput("needs a task for every dataset to evaluate in", field="tuning_seeds")
    for task in {*map(plan.task_of, plan.datasets)} - {""}:
        find_task(task)
    if plan.rule == "safe" and None in map(plan.cost_target_of, plan.datasets):
        raise BadInput("safe needs a task with a cost target for every dataset", field="rule")
