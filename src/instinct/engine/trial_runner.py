"""Run one trial: open its dataset, apply filters and label, train, evaluate."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from instinct.benchmarks.registry import find_dataset, find_task, matching_task
from instinct.data import Array, Dataset, Label, find_filter, find_label, relabel, remove
from instinct.data.mapped import map_arrays, map_rows
from instinct.deep import Outcome, Pace, Run, StageProgress, TrainedPolicy, train
from instinct.deep.algorithms.algorithm import Weights
from instinct.deep.training.run_training import stages
from instinct.deep.training.stage import PACE
from instinct.engine.own_trials import run_own
from instinct.engine.tabular_trials import run_tabular
from instinct.errors import BadInput, InstinctError
from instinct.study.extensions import find_own
from instinct.study.facts import dataset_facts, filter_facts
from instinct.study.measurement import SNAPSHOT_EPISODES, Measurement, action_rows, per_episode
from instinct.study.trials import Trial
from instinct.tasks.evaluation import episode_seed, evaluate
from instinct.tasks.simulation import Task
from instinct.tasks.tabular import TabularTask
from instinct.util.spacing import evenly_spaced

RUNS, WARM_STARTS = "runs", "warm-starts"
CHECKPOINT_SECONDS = PACE.checkpoint_seconds
"""How often a training is written to the disk unless the user says otherwise."""
STATES = 64
"""At how many recorded states the actions of the final policy are stored."""
POINTS = 100
"""How many points of a training curve are stored."""


@dataclass(frozen=True)
class DatasetOpened:
    """A dataset, before or after filters, and the facts about it."""

    dataset: str
    facts: Mapping[str, Any]


OnEvent = Callable[[StageProgress | DatasetOpened], None]


class TrialRunner:
    """Runs the trials of one worker and keeps the last dataset open.

    In `folder`, `runs` has one folder per trial, from which a stopped trial resumes, and
    `warm-starts` has the warm starts that trials share.
    """

    def __init__(self, folder: Path, checkpoint_seconds: float = CHECKPOINT_SECONDS) -> None:
        self.folder, self.pace = folder, Pace(checkpoint_seconds=checkpoint_seconds)
        self.opened: tuple[object, ...] = ()
        self.dataset: Dataset | None = None
        self.filtered: dict[tuple[str, ...], tuple[Dataset, Array]] = {}

    def open_dataset(self, trial: Trial, on_event: OnEvent) -> Dataset:
        """Return the dataset of the trial without filters and with its own rewards."""
        key = (trial.dataset, trial.action_range, trial.task)
        if self.dataset is None or self.opened != key:
            self.dataset = None
            self.filtered = {}
            try:
                dataset = find_dataset(
                    trial.dataset, action_range=trial.action_range, task=trial.task
                )
            except BadInput as fault:
                raise InstinctError(str(fault)) from fault
            facts = dataset_facts(dataset, trial.task, trial.dataset)
            on_event(DatasetOpened(trial.dataset, facts))
            self.opened, self.dataset = key, map_rows(dataset)
        return self.dataset

    def prepare(self, trial: Trial, on_event: OnEvent) -> Dataset:
        """Return the dataset after the trial's filters, with the rewards of its label.

        The label sees the whole dataset, so that a row gets the same reward with and without
        filters.
        """
        dataset = self.open_dataset(trial, on_event)
        if trial.filters not in self.filtered:
            filtered, rows = apply_filters(dataset, trial.filters)
            self.filtered[trial.filters] = map_rows(filtered), rows
            if trial.filters:
                facts = filter_facts(dataset, *self.filtered[trial.filters])
                on_event(DatasetOpened(trial.filtered_name, facts))
        filtered, rows = self.filtered[trial.filters]
        whole = find_label(trial.reward_label)
        rewards = Label(
            whole.name,
            lambda _, random: np.asarray(whole.rewards(dataset, random))[rows],
            reads_rewards=whole.reads_rewards,
        )
        return relabel(filtered, rewards, trial.seed)

    def deep_run(self, trial: Trial, on_event: OnEvent) -> Run:
        """Return the training run of a trial of a deep algorithm."""
        dataset = self.prepare(trial, on_event)
        run = Run(
            dataset,
            trial.configured(dataset.action_space),
            trial.seed,
            trial.reward_label,
            self.folder / RUNS / trial.identity,
            trial.dataset,
        )
        vars(run)["data"] = run.data._replace(rows=map_arrays(run.data.rows, run.rows_hash))
        return run

    def run(self, trial: Trial, on_event: OnEvent) -> Measurement:
        """Run the trial, or resume it, and return its measurement."""
        began = time.perf_counter()
        run = self.run_tabular if trial.is_tabular else self.run_deep
        if find_own(trial.algorithm) is not None:
            run = self.run_own
        return replace(run(trial, on_event), seconds=time.perf_counter() - began)

    def run_own(self, trial: Trial, on_event: OnEvent) -> Measurement:
        """Train with the user's own function; there is no checkpoint to resume from."""
        own = find_own(trial.algorithm)
        assert own is not None
        dataset = self.prepare(trial, on_event)
        task = matching_task(trial.task, dataset) if trial.task else None
        on_event(StageProgress(own.name, 0, 1, {}))
        return run_own(trial, own, dataset, task)

    def run_tabular(self, trial: Trial, on_event: OnEvent) -> Measurement:
        task = find_task(trial.task) if trial.task else None
        if not isinstance(task, TabularTask):
            raise BadInput(f"{trial.task or 'no task'} is not a task for tabular algorithms")
        dataset = self.prepare(trial, on_event)
        started = time.perf_counter()
        episodes = run_tabular(trial, task, dataset)
        return Measurement(episodes, training_seconds=time.perf_counter() - started)

    def run_deep(self, trial: Trial, on_event: OnEvent) -> Measurement:
        """Train from the last checkpoint, then evaluate the final policy."""
        run = self.deep_run(trial, on_event)
        task = matching_task(trial.task, run.dataset) if trial.task else None
        started = time.perf_counter()
        outcome = train(
            run, warm_starts=self.folder / WARM_STARTS, pace=self.pace, on_progress=on_event
        )
        trained = time.perf_counter()
        on_event(StageProgress("evaluation", 0, 1, {}))
        dataset = self.open_dataset(trial, on_event)
        return judge(trial, run, outcome, task, dataset, trained - started)


def judge(
    trial: Trial,
    run: Run,
    outcome: Outcome,
    task: Task | None,
    dataset: Dataset,
    training_seconds: float,
) -> Measurement:
    """Evaluate the policies of a finished training; `dataset` is that before the filters."""
    began = time.perf_counter()
    episodes, progress = {}, {}
    if task is not None and not outcome.failure:
        episodes = play_episodes(trial, outcome.weights, run, task)
        progress = play_snapshots(trial, outcome, run, task)
    return Measurement(
        episodes,
        curves=thin_curves(outcome),
        progress=progress,
        diagnostics=outcome.diagnostics,
        actions=() if outcome.failure else recorded_state_actions(run, outcome, dataset),
        training_seconds=training_seconds,
        evaluation_seconds=time.perf_counter() - began,
        failure=outcome.failure,
    )


def apply_filters(dataset: Dataset, filters: tuple[str, ...]) -> tuple[Dataset, Array]:
    """Return the filtered dataset and the numbers of the rows that remain."""
    rows = np.arange(len(dataset))
    for name in filters:
        removed = np.asarray(find_filter(name)(dataset))
        dataset, rows = remove(dataset, removed), rows[~removed]
    return dataset, rows


def warm_start_files(run: Run) -> dict[str, str]:
    """Return the names of the files of a run's warm starts in `WARM_STARTS`, by stage."""
    return {
        stage.NAME: f"{run.identity(stage)}.safetensors" for stage in stages(run.algorithm)[:-1]
    }


def warm_starts_before(stage: str, warm_starts: Mapping[str, str]) -> list[str]:
    """Return the warm starts finished before `stage`; all of them if it is not a warm start."""
    names = [*warm_starts]
    return [warm_starts[name] for name in names[: names.index(stage) if stage in names else None]]


def play_episodes(
    trial: Trial, weights: Weights, run: Run, task: Task, episodes: int | None = None
) -> dict[str, tuple[float, ...]]:
    """Play test episodes with a policy and return every quantity per episode."""
    policy = TrainedPolicy(
        run.algorithm,
        jax.tree.map(jnp.asarray, weights),
        run.dataset.action_space,
        find_label(trial.reward_label),
    )
    number = trial.episodes if episodes is None else episodes
    return per_episode(evaluate(policy, task, number, episode_seed(trial.seed)))


def play_snapshots(
    trial: Trial, outcome: Outcome, run: Run, task: Task
) -> dict[str, tuple[float, ...]]:
    """Return the mean of every quantity along the training, in a few test episodes each."""
    number = min(trial.episodes, SNAPSHOT_EPISODES)
    played = [
        play_episodes(trial, weights, run, task, number) for weights in outcome.snapshots.values()
    ]
    if not played:
        return {}
    steps = tuple(map(float, outcome.snapshots))
    return {"step": steps} | {
        name: tuple(float(np.mean(each[name])) for each in played) for name in played[0]
    }


def recorded_state_actions(
    run: Run, outcome: Outcome, dataset: Dataset
) -> tuple[tuple[float, ...], ...]:
    """Return the final policy's actions at recorded states; empty if it needs a history."""
    states = jnp.asarray(dataset.observations[evenly_spaced(len(dataset), STATES)], jnp.float32)
    weights = jax.tree.map(jnp.asarray, outcome.weights)
    carry = run.algorithm.start(weights, len(states), jax.random.key(0))
    if jax.tree.leaves(carry):
        return ()
    actions, _ = run.algorithm.act(weights, carry, states, jnp.zeros(len(states)))
    return action_rows(np.asarray(actions))


def thin_curves(outcome: Outcome) -> dict[str, tuple[float, ...]]:
    """Return at most `POINTS` evenly spaced points of every metric, the last one included."""
    if not outcome.metrics:
        return {}
    rows = len(next(iter(outcome.metrics.values())))
    points = evenly_spaced(rows, POINTS)
    return {
        name: tuple(float(value) for value in values[points])
        for name, values in outcome.metrics.items()
    }
