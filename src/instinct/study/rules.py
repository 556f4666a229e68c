"""Rules that choose among combinations of settings by the measurements of their trials."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from instinct.errors import BadInput
from instinct.study.measurement import Measurement, is_safe

Choice = Mapping[int, Sequence[Measurement]]
"""The measurements of every combination, by its number."""
Rule = Callable[[Choice, float | None], int]
"""Return the number of the chosen combination, given the measurements and the cost target."""


def best_mean(choice: Choice, cost_target: float | None = None) -> int:
    """Choose the best mean of the main quantity; the first one in a tie."""
    del cost_target
    return max(choice, key=lambda number: (mean_of_main(choice[number]), -number))


def safe(choice: Choice, cost_target: float | None) -> int:
    """Choose the best safe combination; if none is safe, the one with the lowest cost."""
    if cost_target is None:
        raise BadInput("the rule safe needs a task with a cost target")
    costs = {number: mean_cost(trials) / cost_target for number, trials in choice.items()}
    within = [number for number, cost in costs.items() if is_safe(cost)]
    if within:
        return max(within, key=lambda number: (mean_of_main(choice[number]), -number))
    return min(costs, key=lambda number: (costs[number], number))


RULES: dict[str, Rule] = {"best-mean": best_mean, "safe": safe}


def mean_of_main(trials: Sequence[Measurement]) -> float:
    return float(np.mean([trial.mean(trial.main) for trial in trials]))


def mean_cost(trials: Sequence[Measurement]) -> float:
    return float(np.mean([trial.mean("cost") for trial in trials]))
