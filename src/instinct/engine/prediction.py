"""What a plan will take on this machine, from a short measurement."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from instinct.benchmarks.catalog import size_of
from instinct.benchmarks.registry import find_task
from instinct.deep import Algorithm
from instinct.deep.training.compilation_cache import keep_programs
from instinct.deep.training.loop import advance
from instinct.deep.training.run_training import stages
from instinct.deep.training.synthetic import hopper_like, untrained
from instinct.study.plan import Plan, recorded_in
from instinct.study.trials import Trial
from instinct.tasks.simulation import action_box
from instinct.util.cores import cores
from instinct.util.processes import process_pool

MOMENT = 0.5
"""Seconds that are measured of each."""
LONGEST = 1000
"""Steps of a test episode in tasks that do not say how many there are at most."""
BASE_GIB = 0.6
"""A worker without data."""
COPIES = 3
"""A dataset as it was opened, as it is shown, and as it is sampled from."""


Report = Callable[[int, int, str], None]
"""Told how much has been measured, of how much, and what comes next."""


@dataclass(frozen=True)
class Prediction:
    """`core_hours` is for one core; warm starts that trials share are counted once."""

    core_hours: float
    workers: int
    memory_gib: float
    """Of all workers on this machine."""
    steps_per_second: dict[str, float]
    """Of one core, by algorithm."""

    def hours(self, machines: int = 1) -> float:
        return self.core_hours / (self.workers * machines)


def predict(plan: Plan, workers: int | None = None, report: Report = lambda *_: None) -> Prediction:
    """Measure a moment of every kind of training and of test episodes, and add up."""
    trials = all_trials(plan)
    workers = workers or len(cores())
    work = stages_of(trials)
    kinds = {kind_of(stage): stage for stage in work.values()}
    tasks = sorted({trial.task for trial in trials if trial.task not in ("", "gridworld")})
    with process_pool(1, begin=keep_programs, work="the measurement") as process:
        step: dict[str, float] = {}
        test: dict[str, float] = {}
        for kind, stage in kinds.items():
            report(len(step), len(kinds) + len(tasks), type(stage).__name__)
            step[kind] = process.submit(seconds_per_step, stage).result()
        for task in tasks:
            report(len(step) + len(test), len(kinds) + len(tasks), task)
            test[task] = process.submit(seconds_per_test_step, task).result()
    training = sum(stage.steps * step[kind_of(stage)] for stage in work.values())
    episode = {task: longest(task) * test[task] for task in tasks}
    testing = sum(trial.episodes * episode.get(trial.task, 0) for trial in trials)
    return Prediction(
        core_hours=(training + testing) / 3600,
        workers=workers,
        memory_gib=workers * (BASE_GIB + max(data_gib(name) for name in plan.datasets)),
        steps_per_second={
            type(stage).__name__: 1 / step[kind]
            for kind, stage in kinds.items()
            if type(stage).__name__ in plan.algorithms
        },
    )


def all_trials(plan: Plan) -> list[Trial]:
    """Those of tuning and those of the results, each once, whatever will be chosen."""
    first = {cell: plan.combinations(cell)[0] for cell in plan.cells()}
    trials = [*plan.tuning(), *plan.final(first)]
    return [*{trial.identity: trial for trial in trials}.values()]


def stages_of(trials: Sequence[Trial]) -> dict[str, Algorithm]:
    """Everything that has to be trained, each warm start once."""
    work: dict[str, Algorithm] = {}
    for trial in trials:
        if trial.task != "gridworld":
            names = [*trial.warm_starts.values(), trial.identity]
            work |= dict(zip(names, stages(trial.configured()), strict=True))
    return work


def kind_of(stage: Algorithm) -> str:
    """What programs of the same speed have in common: all but traced numbers."""
    return str(jax.tree.structure(stage))


def seconds_per_step(stage: Algorithm) -> float:
    """Of one core, on data like hopper's; the first step compiles and is not counted."""
    algorithm = jax.tree.map(jnp.asarray, stage)
    data = jax.tree.map(jnp.asarray, algorithm.prepare(hopper_like()))
    key = jax.random.key(0)
    state = untrained(algorithm, key, data)
    state, _, bad = advance(algorithm, state, data, key, 0, 1)
    bad.block_until_ready()
    seconds, n = 0.0, 1
    while seconds < MOMENT:
        n *= 2
        started = time.process_time()
        state, _, bad = advance(algorithm, state, data, key, 0, n)
        bad.block_until_ready()
        seconds = time.process_time() - started
    return seconds / n


def seconds_per_test_step(name: str) -> float:
    """Of one core, without the policy's own work."""
    task = find_task(name)
    box = action_box(task)
    middle = (np.array(box.low) + np.array(box.high)) / 2
    places = np.arange(8)
    simulation = task.simulation(len(places))
    for place in places:
        simulation.reset(int(place), int(place))
    started, n = time.process_time(), 0
    while time.process_time() - started < MOMENT:
        simulation.step(places, np.tile(middle, (len(places), 1)))
        n += len(places)
    return (time.process_time() - started) / n


def longest(name: str) -> int:
    """The steps of a test episode, at most."""
    return find_task(name).horizon or LONGEST


def data_gib(name: str) -> float:
    """What a dataset takes; of a file that is not made here, its size."""
    path = Path(name)
    if path.is_file():
        return COPIES * path.stat().st_size / 2**30
    task = recorded_in(name)
    if not size_of(name) or not task:
        return 0.1
    judged = find_task(task)
    numbers = 2 * judged.observation_size + action_box(judged).dimension + 3
    return COPIES * 4 * numbers * size_of(name) / 2**30
