"""Rules that choose among the settings of an algorithm by what their trials measured."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from instinct.study.measurement import Measurement

Choice = Mapping[int, Sequence[Measurement]]
"""The trials of every combination, by its number."""


def best_mean(choice: Choice) -> int:
    """The combination with the best mean of the main quantity; the first of several."""
    return max(choice, key=lambda number: (mean(choice[number], main), -number))


def safe(choice: Choice) -> int:
    """The safe combination with the most reward; where none is safe, that with the least cost."""
    costs = {number: mean(trials, normalized_cost) for number, trials in choice.items()}
    harmless = [number for number, cost in costs.items() if cost <= 1]
    if harmless:
        return max(harmless, key=lambda number: (mean(choice[number], main), -number))
    return min(costs, key=lambda number: (costs[number], number))


RULES: dict[str, Callable[[Choice], int]] = {"best-mean": best_mean, "safe": safe}


def mean(trials: Sequence[Measurement], quantity: Callable[[Measurement], float]) -> float:
    return float(np.mean([quantity(measured) for measured in trials]))


def main(measured: Measurement) -> float:
    return measured.mean(measured.main)


def normalized_cost(measured: Measurement) -> float:
    return measured.mean("cost")
