"""Measure an audit against the same agents in plain loops, one after the other, in one run.

The audit is a quick one of all its cells, from starting its processes and compiling its programs to
the last test episode. Making the dataset and writing the page are not part of it. The plain loops
are of the usual kind: one process, one Python call per training step, every agent from its first
step, one environment of Gymnasium's per episode. One loop is written in PyTorch, as the codes of
papers are, and is measured where PyTorch is installed. The other calls the compiled step of this
package.

An agent of one algorithm takes as many steps under every label and seed. So the loops train one
agent per algorithm, and the time of all agents is calculated from it, unless every agent is asked
for.
"""

import importlib.util
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan, require_task
from instinct.bench import plain_loop
from instinct.bench.empty_cache import empty_cache
from instinct.benchmarks.registry import find_dataset, find_task
from instinct.data import Dataset, write
from instinct.deep import Algorithm
from instinct.engine.run_plan import local, run_plan
from instinct.engine.scheduler import StudyProgress
from instinct.engine.trial_runner import TrialRunner
from instinct.errors import InstinctError
from instinct.study.measurement import SNAPSHOT_EPISODES
from instinct.study.plan import Plan
from instinct.study.presets import preset
from instinct.study.store import read_store
from instinct.study.trials import Trial
from instinct.util.cores import cores
from instinct.util.progress import Progress, no_progress

FRACTION = 0.5
"""The share of the preset's steps and episodes unless another is asked for."""


@dataclass(frozen=True)
class LoopSpeed:
    """A plain loop: what was measured, and what all agents of the audit would take.

    `calculated_seconds` adds up the mean training time of every algorithm times its agents, and the
    time of one test step times the test steps that the audit played. `speedup` divides it by the
    seconds of the audit.
    """

    loop: str
    threads: int
    measured_agents: int
    measured_training_seconds: float
    measured_test_steps: int
    measured_test_seconds: float
    calculated_agents: int
    calculated_seconds: float
    calculated_agents_per_hour: float
    speedup: float


@dataclass(frozen=True)
class AuditSpeed:
    """An audit, measured, and the plain loops beside it; `speedup` is that over `speedup_over`.

    `utilisation` is the share of the workers' time in which they had a trial, from the first
    training step to the last evaluation.
    """

    agents: int
    fraction: float
    test_steps: int
    workers: int
    seconds: float
    agents_per_hour: float
    utilisation: float
    speedup: float
    speedup_over: str
    loops: tuple[LoopSpeed, ...]


class Loop(NamedTuple):
    """A plain loop: `warm_up` is called before the time of an agent is taken."""

    name: str
    threads: int
    warm_up: Callable[[Algorithm, Dataset], object]
    train: Callable[[Algorithm, Dataset, int], Any]
    play: Callable[[Any, Any, int], Iterator[tuple[float, int]]]


class AgentTime(NamedTuple):
    """The times of one agent in a plain loop."""

    algorithm: str
    training_seconds: float
    test_steps: int
    test_seconds: float


class Audit(NamedTuple):
    """The time, the utilisation and the test steps of an audit."""

    seconds: float
    utilisation: float
    test_steps: int


def measure(
    dataset: str = "hopper-medium",
    fraction: float = FRACTION,
    seeds: int = 3,
    workers: int | None = None,
    *,
    every_agent: bool = False,
    on_progress: Progress = no_progress,
) -> AuditSpeed:
    """Run the audit of a dataset, with a fraction of the quick preset's steps, and the loops."""
    rows, task = find_dataset(dataset, on_progress=on_progress), require_task(dataset)
    with TemporaryDirectory() as name, empty_cache(Path(name) / "cache"):
        write(rows, Path(name) / "data.npz")
        plan = scaled_audit(str(Path(name) / "data.npz"), task, fraction, seeds)
        trials = plan.final({})
        chosen = trials if every_agent else first_of_each(trials)
        total = len(trials) + (1 + has_torch()) * len(chosen)
        audit = run_audit(
            plan, Path(name), workers, lambda ended: on_progress(ended, total, "the audit")
        )
        runner, measured = TrialRunner(Path(name) / "plain"), []
        done = count(len(trials))
        for loop in plain_loops(chosen):
            times = []
            for trial in chosen:
                on_progress(next(done), total, loop.name)
                times.append(train_and_play(loop, trial, runner))
            measured.append(loop_speed(loop, times, trials, audit))
    return AuditSpeed(
        agents=len(trials),
        fraction=fraction,
        test_steps=audit.test_steps,
        workers=workers or len(cores()),
        seconds=audit.seconds,
        agents_per_hour=3600 * len(trials) / audit.seconds,
        utilisation=audit.utilisation,
        speedup=measured[0].speedup,
        speedup_over=measured[0].loop,
        loops=tuple(measured),
    )


def run_audit(
    plan: Plan, folder: Path, workers: int | None, on_ended: Callable[[int], None]
) -> Audit:
    """Run all trials of the plan in worker processes."""
    last: list[StudyProgress] = []

    def watch(state: StudyProgress) -> None:
        last[:] = [state]
        on_ended(state.ended)

    began = time.perf_counter()
    run_plan(plan, folder / "audit", watch, local(workers))
    seconds = time.perf_counter() - began
    return Audit(seconds, last[0].busy or 0.0, played_steps(folder / "audit", plan.episodes))


def scaled_audit(path: str, task: str, fraction: float, seeds: int) -> Plan:
    """Return the plan of a quick audit with a fraction of all steps and test episodes."""
    plan = audit_plan(path, AuditOptions(preset="quick", seeds=seeds, env=task))
    settings = {
        algorithm: {
            name: max(1, round(fraction * value))
            for name, value in preset("quick", algorithm, task).items()
            if name.endswith("steps") and isinstance(value, int)
        }
        for algorithm in plan.algorithms
    }
    return replace(plan, settings=settings, episodes=max(1, round(fraction * plan.episodes)))


def first_of_each(trials: Sequence[Trial]) -> list[Trial]:
    """Return the first trial of every algorithm."""
    return [*{trial.algorithm: trial for trial in reversed(trials)}.values()]


def plain_loops(trials: Sequence[Trial]) -> list[Loop]:
    """Return the loop in PyTorch, if it is installed, and the one over the compiled step."""
    compiled = Loop(
        "compiled steps, one call each",
        len(cores()),
        plain_loop.warm_up,
        plain_loop.train,
        plain_loop.play,
    )
    if not has_torch():
        return [compiled]
    from instinct.bench import torch_loop

    deepest = max(trials, key=lambda trial: len(trial.warm_starts)).configured()
    threads = torch_loop.fastest_threads(deepest, len(cores()))
    eager = Loop(torch_loop.name(), threads, lambda *_: None, torch_loop.train, torch_loop.play)
    return [eager, compiled]


def has_torch() -> bool:
    """Tell whether PyTorch can be imported."""
    return importlib.util.find_spec("torch") is not None


def played_steps(folder: Path, episodes: int) -> int:
    """Return the steps of all test episodes of the audit, those along the trainings included."""
    with read_store(folder) as store:
        measured = [each.measurement for each in store.ended().values()]
    if failed := [each.failure for each in measured if each.failure]:
        raise InstinctError(f"an agent of the audit failed: {failed[0]}")
    along = min(episodes, SNAPSHOT_EPISODES)
    return round(
        sum(
            sum(each.episodes["length"]) + along * sum(each.progress.get("length", ()))
            for each in measured
        )
    )


def train_and_play(loop: Loop, trial: Trial, runner: TrialRunner) -> AgentTime:
    """Train an agent step by step, play its test episodes, and time both."""
    dataset = runner.prepare(trial, lambda _: None)
    algorithm = trial.configured(dataset.action_space)
    loop.warm_up(algorithm, dataset)
    began = time.perf_counter()
    policy = loop.train(algorithm, dataset, trial.seed)
    trained = time.perf_counter()
    environment = find_task(trial.task).environment()
    steps = sum(length for _, length in loop.play(policy, environment, trial.episodes))
    return AgentTime(trial.algorithm, trained - began, steps, time.perf_counter() - trained)


def loop_speed(
    loop: Loop, times: Sequence[AgentTime], trials: Sequence[Trial], audit: Audit
) -> LoopSpeed:
    """Calculate the time that all trials and test steps of the audit would take."""
    training = sum(each.training_seconds for each in times)
    played = sum(each.test_steps for each in times)
    testing = sum(each.test_seconds for each in times)
    agents, sample = (Counter(each.algorithm for each in group) for group in (trials, times))
    calculated = audit.test_steps * testing / played + sum(
        each.training_seconds * agents[each.algorithm] / sample[each.algorithm] for each in times
    )
    return LoopSpeed(
        loop=loop.name,
        threads=loop.threads,
        measured_agents=len(times),
        measured_training_seconds=training,
        measured_test_steps=played,
        measured_test_seconds=testing,
        calculated_agents=len(trials),
        calculated_seconds=calculated,
        calculated_agents_per_hour=3600 * len(trials) / calculated,
        speedup=calculated / audit.seconds,
    )
