"""The scale of scores: which share of J* a return, or a rate of successes, is."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from instinct.benchmarks.benchmark import Benchmark, episode_terminals
from instinct.benchmarks.registry import find_benchmark, find_task
from instinct.data import Array, Dataset
from instinct.errors import BadInput
from instinct.study.ends import guess_end, terminal_facts
from instinct.tasks.simulation import End, Task

RECORDED = "the range of the recorded returns"


class Scale(NamedTuple):
    """How sums over an episode become a share of J*, and how long an episode may be."""

    name: str
    """What J* is."""
    end: End
    """What a terminal means."""
    horizon: int
    counts_goals: bool
    """Whether successes are what counts, and not returns."""
    shares: Callable[[Array], Array]

    def recorded(self, dataset: Dataset) -> Array:
        """Return the share of J* of every recorded episode."""
        if self.counts_goals:
            return np.asarray(episode_terminals(dataset), np.float64)
        return self.shares(dataset.returns)


class World(NamedTuple):
    """What is known of the world that data were recorded in."""

    task: Task | None
    benchmark: Benchmark | None
    end: End
    horizon: int


def world_of(dataset: Dataset, source: str = "", task: str = "") -> World:
    """Return what the task says, or what the data say if the task is unknown."""
    task = task or find_benchmark(source).task_of(source) or ""
    known, benchmark = (find_task(task), find_benchmark(task)) if task else (None, None)
    end: End = "unknown" if known is None else known.end
    if end == "unknown":
        end = guess_end(terminal_facts(dataset))
    return World(known, benchmark, end, (known and known.horizon) or int(dataset.lengths.max()))


def scale_of(dataset: Dataset, source: str = "", task: str = "") -> Scale:
    """Return the scale of the task, or of the data if the task is unknown or has none.

    Without a task, 0 is the lowest recorded return and J* the highest one.
    """
    known, benchmark, end, horizon = world_of(dataset, source, task)
    if benchmark is not None and benchmark.score_name == "success" and dataset.terminals.any():
        return Scale("a success in every episode", end, horizon, True, lambda rates: rates)
    best = None if benchmark is None else benchmark.best_score
    scored = None if known is None or best is None else known.scores(dataset.returns)
    if known is not None and best is not None and scored is not None:

        def shares(returns: Array) -> Array:
            return np.asarray(known.scores(returns)) / best

        return Scale(f"a score of {best:g} in {known.name}", end, horizon, False, shares)
    low, high = float(dataset.returns.min()), float(dataset.returns.max())
    if low == high:
        raise BadInput(
            f"every episode has the return {low:g}, so the data do not say what is good; name the "
            "task with `task=`",
            field="rewards",
            option="task",
        )
    return Scale(RECORDED, end, horizon, False, lambda returns: (returns - low) / (high - low))
