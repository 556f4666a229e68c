"""Predict the time and memory of a plan on this machine from a short measurement."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from instinct.benchmarks.registry import find_task, size_of
from instinct.deep import Algorithm
from instinct.deep.training.compilation_cache import cache_programs
from instinct.deep.training.loop import advance
from instinct.deep.training.synthetic import hopper_like, untrained
from instinct.engine.speeds import key_of, recall, remember
from instinct.engine.timekeeper import in_words, kind_of, work_of
from instinct.study.plan import Plan, recorded_task
from instinct.study.trials import Trial
from instinct.tasks.simulation import action_box
from instinct.util.cores import cores
from instinct.util.processes import process_pool
from instinct.util.progress import Progress, no_progress

MEASURED_SECONDS = 0.5
"""How long each kind of training and each task is measured."""
DEFAULT_HORIZON = 1000
"""Assumed steps of a test episode in tasks without a horizon."""
BASE_GIB = 0.6
"""Memory of a worker without data."""
COPIES = 3
"""A worker holds a dataset as opened, as filtered, and as sampled from."""


@dataclass(frozen=True)
class Prediction:
    """Hours on one core and memory; shared warm starts are counted once."""

    core_hours: float
    workers: int
    memory_gib: float
    """Memory of all workers on this machine."""
    steps_per_second: dict[str, float]
    """Training steps per second of one core, by algorithm."""
    runs: int = 0

    def hours(self, machines: int = 1) -> float:
        return self.core_hours / (self.workers * machines)

    def describe(self) -> str:
        """Return the estimate as a sentence.

        >>> Prediction(0.5, 2, 1.0, {}, 33).describe()
        '33 runs need about 30.0 core-minutes: 15 min on 2 cores of this machine.'
        """
        cores = "1 core" if self.workers == 1 else f"{self.workers} cores"
        return (
            f"{self.runs:,} runs need about {60 * self.core_hours:,.1f} core-minutes: "
            f"{in_words(3600 * self.hours())} on {cores} of this machine."
        )


def predict(
    plan: Plan, workers: int | None = None, on_progress: Progress = no_progress
) -> Prediction:
    """Measure every kind of training and of test episodes for a moment, and add up."""
    work = stages_of(all_trials(plan))
    kinds = {kind_of(stage): stage for stage in work.values()}
    tasks = tasks_of(plan)
    with process_pool(1, begin=cache_programs, work="the measurement") as process:
        seconds: dict[str, float] = {}
        for kind, stage in kinds.items():
            on_progress(len(seconds), len(kinds) + len(tasks), stage.NAME)
            seconds[kind] = process.submit(seconds_per_step, stage).result()
        for task in tasks:
            on_progress(len(seconds), len(kinds) + len(tasks), task)
            seconds[task] = process.submit(seconds_per_test_step, task).result()
    remember(seconds)
    return add_up(plan, seconds, workers)


def predict_from_memory(plan: Plan, workers: int | None = None) -> Prediction | None:
    """Predict from what earlier studies and measurements took; None if a kind is not known."""
    known = recall()
    kinds = {kind_of(stage) for stage in stages_of(all_trials(plan)).values()}
    seconds = {kind: known[key] for kind in kinds if (key := key_of(kind)) in known}
    if not kinds or len(seconds) < len(kinds):
        return None
    for task in tasks_of(plan):
        seconds[task] = known.get(key_of(task)) or seconds_per_test_step(task)
    return add_up(plan, seconds, workers)


def add_up(plan: Plan, seconds: Mapping[str, float], workers: int | None = None) -> Prediction:
    """Add up the time of all trials from the seconds per step of trainings and tasks."""
    trials = all_trials(plan)
    workers = workers or len(cores())
    work = stages_of(trials)
    training = sum(int(stage.steps) * seconds[kind_of(stage)] for stage in work.values())
    episode = {task: horizon_of(task) * seconds[task] for task in tasks_of(plan)}
    testing = sum(trial.episodes * episode.get(trial.task, 0) for trial in trials)
    return Prediction(
        core_hours=(training + testing) / 3600,
        workers=workers,
        memory_gib=workers * (BASE_GIB + max(data_gib(name) for name in plan.datasets)),
        steps_per_second={
            stage.NAME: 1 / seconds[kind_of(stage)]
            for stage in work.values()
            if stage.NAME in plan.algorithms
        },
        runs=len(trials),
    )


def tasks_of(plan: Plan) -> list[str]:
    """Return the tasks in which deep agents are tested."""
    trials = all_trials(plan)
    return sorted({trial.task for trial in trials if trial.task and not trial.is_tabular})


def all_trials(plan: Plan) -> list[Trial]:
    """Return the trials of tuning and of the results, each once, whatever tuning will choose."""
    first = {cell: plan.combinations(cell)[0] for cell in plan.cells()}
    trials = [*plan.tuning(), *plan.final(first)]
    return [*{trial.identity: trial for trial in trials}.values()]


def stages_of(trials: Sequence[Trial]) -> dict[str, Algorithm]:
    """Return everything that has to be trained, each warm start once."""
    work: dict[str, Algorithm] = {}
    for trial in trials:
        work |= work_of(trial)
    return work


def seconds_per_step(stage: Algorithm) -> float:
    """Time a training step on one core with data like hopper's, without compilation."""
    algorithm = jax.tree.map(jnp.asarray, stage)
    data = jax.tree.map(jnp.asarray, algorithm.prepare(hopper_like()))
    key = jax.random.key(0)
    state = untrained(algorithm, key, data)
    state, _, bad = advance(algorithm, state, data, key, 0, 1)
    bad.block_until_ready()
    seconds, n = 0.0, 1
    while seconds < MEASURED_SECONDS:
        n *= 2
        started = time.process_time()
        state, _, bad = advance(algorithm, state, data, key, 0, n)
        bad.block_until_ready()
        seconds = time.process_time() - started
    return seconds / n


def seconds_per_test_step(name: str) -> float:
    """Time a step of a task on one core, without the policy."""
    task = find_task(name)
    box = action_box(task)
    middle = (np.array(box.low) + np.array(box.high)) / 2
    places = np.arange(8)
    simulation = task.simulation(len(places))
    for place in places:
        simulation.reset(int(place), int(place))
    started, n = time.process_time(), 0
    while time.process_time() - started < MEASURED_SECONDS:
        step = simulation.step(places, np.tile(middle, (len(places), 1)))
        n += len(places)
        for place in np.flatnonzero(step.terminals | step.timeouts):
            simulation.reset(int(place), n + int(place))
    return (time.process_time() - started) / n


def horizon_of(name: str) -> int:
    """Return the largest number of steps of a test episode."""
    return find_task(name).horizon or DEFAULT_HORIZON


def data_gib(name: str) -> float:
    """Return the memory that a dataset takes in a worker."""
    path = Path(name)
    if path.is_file():
        return COPIES * path.stat().st_size / 2**30
    task = recorded_task(name)
    if not size_of(name) or not task:
        return 0.1
    found = find_task(task)
    numbers = 2 * found.observation_size + action_box(found).dimension + 3
    return COPIES * 4 * numbers * size_of(name) / 2**30
