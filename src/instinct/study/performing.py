"""Performing a trial: open the data, show them with the label, train, judge."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from instinct.collect.catalog import find
from instinct.data import Dataset, Discrete, filtered, label, relabel
from instinct.deep import Outcome, Policy, Progress, Run, told_by, train
from instinct.deep.algorithm import box_of
from instinct.errors import BadInput
from instinct.study import tabular
from instinct.study.facts import facts
from instinct.study.measured import Measured
from instinct.study.trials import Trial
from instinct.tasks.evaluation import Evaluation, episode_seed, evaluate
from instinct.tasks.registry import find_task

POINTS = 100
"""How many points of a training curve are kept."""

Report = Callable[[Progress], None]


class Desk:
    """Where one worker performs its trials: it keeps the dataset it opened last.

    `runs` holds a folder for every trial, from which a trial that was stopped goes on;
    `warm_starts` what trials share.
    """

    def __init__(self, runs: Path, warm_starts: Path) -> None:
        self.runs, self.warm_starts = runs, warm_starts
        self.opened: tuple[tuple[object, ...], Dataset, dict[str, Any]] | None = None

    def open(self, trial: Trial) -> tuple[Dataset, dict[str, Any]]:
        """The dataset of the trial and what is known of it."""
        key = (trial.dataset, trial.action_range)
        if self.opened is None or self.opened[0] != key:
            self.opened = None
            dataset = find(trial.dataset, action_range=trial.action_range)
            self.opened = key, dataset, facts(dataset, trial.task)
        return self.opened[1:]

    def perform(self, trial: Trial, report: Report) -> Measured:
        began = time.perf_counter()
        dataset, data = self.open(trial)
        shown = relabel(dataset, label(trial.told), trial.seed)
        shown = filtered(shown, trial.filters)
        if isinstance(dataset.action_space, Discrete):
            if trial.task != "gridworld":
                raise BadInput("of discrete actions only the grid world can be judged")
            at = time.perf_counter()
            episodes = tabular.play(trial, shown)
            done = time.perf_counter()
            return Measured(
                episodes,
                data=data,
                training_seconds=done - at,
                seconds=done - began,
            )
        at = time.perf_counter()
        run = Run(
            shown,
            trial.configured(),
            trial.seed,
            trial.told,
            self.runs / trial.identity,
            trial.dataset,
        )
        outcome = train(run, warm_starts=self.warm_starts, report=report)
        trained = time.perf_counter()
        report(Progress("evaluation", 0, 1, {}))
        episodes = {} if outcome.failure else judge(trial, outcome, run, dataset)
        done = time.perf_counter()
        return Measured(
            episodes,
            curves=thinned(outcome),
            data=data,
            training_seconds=trained - at,
            evaluation_seconds=done - trained,
            seconds=done - began,
            failure=outcome.failure,
        )


def judge(
    trial: Trial, outcome: Outcome, run: Run, dataset: Dataset
) -> dict[str, tuple[float, ...]]:
    """Test episodes of the final policy, and how near it stays to the data."""
    weights = jax.tree.map(jnp.asarray, outcome.weights)
    policy = Policy(run.algorithm, weights, box_of(dataset), told_by(trial.told))
    if not trial.task:
        return {}
    task = find_task(trial.task)
    if policy.box != task.action_space:
        raise BadInput(
            f"{trial.dataset} has actions in {policy.box}, {task.name} in {task.action_space}"
        )
    return quantities(evaluate(policy, task, trial.episodes, episode_seed(trial.seed)))


def quantities(found: Evaluation) -> dict[str, tuple[float, ...]]:
    """What was measured in every test episode."""
    named = {
        "success": found.successes,
        "score": found.scores,
        "return": found.returns,
        "length": found.lengths,
        "cost": found.costs,
    }
    return {
        name: tuple(np.asarray(values, float).tolist())
        for name, values in named.items()
        if values is not None
    }


def thinned(outcome: Outcome) -> dict[str, tuple[float, ...]]:
    """At most `POINTS` of every metric, evenly spaced, the last among them."""
    if not outcome.metrics:
        return {}
    rows = len(next(iter(outcome.metrics.values())))
    keep = np.unique(np.linspace(0, rows - 1, min(rows, POINTS)).round().astype(int))
    return {
        name: tuple(float(value) for value in values[keep])
        for name, values in outcome.metrics.items()
    }
