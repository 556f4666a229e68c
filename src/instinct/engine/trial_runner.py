"""Performing a trial: open the data, show them with the label, train, judge."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from instinct.benchmarks.catalog import find
from instinct.benchmarks.registry import find_task, fitting
from instinct.data import Array, Dataset, Discrete, Label, find_filter, label, relabel, remove
from instinct.deep import Outcome, Policy, Progress, Run, told_by, train
from instinct.deep.algorithms.algorithm import box_of
from instinct.deep.training.run_training import stages
from instinct.engine.tabular_trials import play
from instinct.errors import BadInput, InstinctError
from instinct.study.facts import facts, removed
from instinct.study.measured import Measured, quantities
from instinct.study.trials import Trial
from instinct.tasks.evaluation import Evaluation, episode_seed, evaluate
from instinct.tasks.simulation import Task
from instinct.tasks.tabular import TabularTask
from instinct.util.spacing import evenly_spaced

RUNS, WARM_STARTS = "runs", "warm-starts"
STATES = 64
"""At how many recorded states it is noted what a policy does."""
POINTS = 100
"""How many points of a training curve are kept."""


@dataclass(frozen=True)
class Opened:
    """A dataset that was opened and what is known of it, or of what filters remove from it."""

    dataset: str
    facts: Mapping[str, Any]


Report = Callable[[Progress | Opened], None]


class Desk:
    """Where one worker performs its trials: it keeps the dataset that it opened last.

    The folder holds one in `runs` for every trial, from which a trial that was stopped goes on,
    and in `warm-starts` what trials share.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key: tuple[object, ...] = ()
        self.dataset: Dataset | None = None
        self.kept: dict[tuple[str, ...], tuple[Dataset, Array]] = {}

    def open(self, trial: Trial, report: Report) -> Dataset:
        """The dataset of the trial as it is found."""
        key = (trial.dataset, trial.action_range)
        if self.dataset is None or self.key != key:
            self.dataset = None
            self.kept = {}
            try:
                dataset = find(trial.dataset, action_range=trial.action_range)
            except BadInput as fault:
                raise InstinctError(str(fault)) from fault
            report(Opened(trial.dataset, facts(dataset, trial.task)))
            self.key, self.dataset = key, dataset
        return self.dataset

    def show(self, trial: Trial, report: Report) -> Dataset:
        """The dataset with the rewards that its label tells, without what the filters remove."""
        dataset = self.open(trial, report)
        if trial.filters not in self.kept:
            self.kept[trial.filters] = keep(dataset, trial.filters)
            if trial.filters:
                report(Opened(trial.shown, removed(dataset, *self.kept[trial.filters])))
        kept, rows = self.kept[trial.filters]
        whole = label(trial.told)
        told = Label(whole.name, lambda _, random: np.asarray(whole.rewards(dataset, random))[rows])
        return relabel(kept, told, trial.seed)

    def run(self, trial: Trial, report: Report) -> Run:
        return Run(
            self.show(trial, report),
            trial.configured(),
            trial.seed,
            trial.told,
            self.folder / RUNS / trial.identity,
            trial.dataset,
        )

    def perform(self, trial: Trial, report: Report) -> Measured:
        began = time.perf_counter()
        tabular = isinstance(self.open(trial, report).action_space, Discrete)
        measured = (self.play if tabular else self.train)(trial, report)
        return replace(measured, seconds=time.perf_counter() - began)

    def play(self, trial: Trial, report: Report) -> Measured:
        """Run a tabular algorithm and evaluate its policy."""
        task = find_task(trial.task) if trial.task else None
        if not isinstance(task, TabularTask):
            raise BadInput("discrete actions need a task with a list of states to be judged in")
        shown = self.show(trial, report)
        at = time.perf_counter()
        episodes = play(trial, task, shown)
        return Measured(episodes, training_seconds=time.perf_counter() - at)

    def train(self, trial: Trial, report: Report) -> Measured:
        """Train the run, from wherever it stopped before, and judge it."""
        run = self.run(trial, report)
        task = fitting(trial.task, run.dataset) if trial.task else None
        at = time.perf_counter()
        outcome = train(run, warm_starts=self.folder / WARM_STARTS, report=report)
        trained = time.perf_counter()
        report(Progress("evaluation", 0, 1, {}))
        episodes = judge(trial, outcome, run, task) if task and not outcome.failure else {}
        return Measured(
            episodes,
            curves=thinned(outcome),
            actions=() if outcome.failure else acts(run, outcome, self.open(trial, report)),
            training_seconds=trained - at,
            evaluation_seconds=time.perf_counter() - trained,
            failure=outcome.failure,
        )


def keep(dataset: Dataset, filters: tuple[str, ...]) -> tuple[Dataset, Array]:
    """What the filters leave of the dataset, and which rows these are."""
    rows = np.arange(len(dataset))
    for name in filters:
        removed = np.asarray(find_filter(name)(dataset))
        dataset, rows = remove(dataset, removed), rows[~removed]
    return dataset, rows


def warm_files(run: Run) -> dict[str, str]:
    """The files that its warm starts have in the folder that runs share, by stage."""
    return {
        type(stage).__name__: f"{run.identity(stage)}.safetensors"
        for stage in stages(run.algorithm)[:-1]
    }


def finished(warm_starts: Mapping[str, str], stage: str) -> list[str]:
    """Of what is there by stage, that of the stages which come before the one named."""
    names = [*warm_starts]
    return [warm_starts[name] for name in names[: names.index(stage) if stage in names else None]]


def judge(trial: Trial, outcome: Outcome, run: Run, task: Task) -> dict[str, tuple[float, ...]]:
    """Test episodes of the final policy."""
    weights = jax.tree.map(jnp.asarray, outcome.weights)
    policy = Policy(run.algorithm, weights, box_of(run.dataset), told_by(trial.told))
    return per_episode(evaluate(policy, task, trial.episodes, episode_seed(trial.seed)))


def acts(run: Run, outcome: Outcome, dataset: Dataset) -> tuple[tuple[float, ...], ...]:
    """The actions of the final policy at recorded states; none of one that needs a history."""
    states = jnp.asarray(dataset.observations[evenly_spaced(len(dataset), STATES)], jnp.float32)
    weights = jax.tree.map(jnp.asarray, outcome.weights)
    carry = run.algorithm.start(weights, len(states), jax.random.key(0))
    if jax.tree.leaves(carry):
        return ()
    actions, _ = run.algorithm.act(weights, carry, states, jnp.zeros(len(states)))
    return tuple(tuple(round(float(x), 5) for x in action) for action in np.asarray(actions))


def per_episode(found: Evaluation) -> dict[str, tuple[float, ...]]:
    """What was measured in every test episode."""
    named = quantities(found.returns, found.lengths, found.scores, found.successes, found.costs)
    return {name: tuple(np.asarray(values, float).tolist()) for name, values in named.items()}


def thinned(outcome: Outcome) -> dict[str, tuple[float, ...]]:
    """At most `POINTS` of every metric, evenly spaced, the last among them."""
    if not outcome.metrics:
        return {}
    rows = len(next(iter(outcome.metrics.values())))
    keep = evenly_spaced(rows, POINTS)
    return {
        name: tuple(float(value) for value in values[keep])
        for name, values in outcome.metrics.items()
    }
