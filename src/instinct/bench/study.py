"""Measure how much time a study of many small runs spends outside training and evaluation."""

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from instinct.data import Box, Dataset, write
from instinct.engine.local_executor import LocalExecutor
from instinct.engine.scheduler import StudyProgress, execute
from instinct.errors import BadInput
from instinct.study.plan import Plan
from instinct.study.store import open_store
from instinct.util.progress import Progress, no_progress

EARLY = 20
"""Memory is first measured after this many runs."""


@dataclass(frozen=True)
class Overhead:
    """`outside` is the share of the workers' time that is neither training nor evaluation.

    `outside_later` is the same after the first runs, one per worker, have ended: processes have
    started then, and programs are compiled. `parent_cpu` is the share of one core that scheduling
    takes. Memory is in MB, for the largest worker and for the process that schedules the trials.
    """

    runs: int
    workers: int
    seconds: float
    seconds_per_run: float
    outside: float
    outside_later: float
    parent_cpu: float
    worker_memory_early: float
    worker_memory: float
    parent_memory_early: float
    parent_memory: float


def measure(
    runs: int = 200, workers: int | None = None, on_progress: Progress = no_progress
) -> Overhead:
    """Run BC with small networks on noise and evaluate it in the inverted pendulum."""
    if runs <= EARLY:
        raise BadInput(f"memory is compared with that after {EARLY} runs; measure more runs")
    memory: dict[int, tuple[float, float]] = {}
    warm: list[float] = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        LocalExecutor(Path(scratch), workers) as executor,
    ):
        plan = noise_plan(Path(scratch) / "noise.npz", runs)

        def on_study_progress(state: StudyProgress) -> None:
            if not warm and state.ended >= len(executor.workers):
                warm.append(time.perf_counter() - began)
            if state.ended in (EARLY, runs) and state.ended not in memory:
                pids = [worker.process.pid for worker in executor.alive.values()]
                memory[state.ended] = max(map(resident, pids)), resident(os.getpid())
            on_progress(state.ended, runs, "ended")

        began, cpu = time.perf_counter(), time.process_time()
        with open_store(Path(scratch), plan, {}) as store:
            execute(plan.final({}), store, executor, on_study_progress)
            seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
            busy = [
                each.measurement.training_seconds + each.measurement.evaluation_seconds
                for each in store.ended().values()
            ]
    number = len(executor.workers)
    return Overhead(
        runs=runs,
        workers=number,
        seconds=seconds,
        seconds_per_run=sum(busy) / runs,
        outside=1 - sum(busy) / (seconds * number),
        outside_later=1 - sum(busy[number:]) / ((seconds - warm[0]) * number),
        parent_cpu=cpu / seconds,
        worker_memory_early=memory[EARLY][0],
        worker_memory=memory[runs][0],
        parent_memory_early=memory[EARLY][1],
        parent_memory=memory[runs][1],
    )


def noise_plan(path: Path, runs: int) -> Plan:
    """Make a plan of runs that differ in their seeds, on 10,000 transitions of noise."""
    random, n = np.random.default_rng(0), 10_000
    observations = random.normal(size=(n + 1, 4))
    write(
        Dataset(
            observations=observations[:-1],
            actions=random.uniform(-3, 3, size=(n, 1)),
            rewards=random.uniform(size=n),
            next_observations=observations[1:],
            terminals=np.arange(n) % 100 == 99,
            timeouts=np.zeros(n, bool),
            action_space=Box((-3.0,), (3.0,)),
        ),
        path,
    )
    return Plan(
        name="overhead",
        datasets=(str(path),),
        algorithms=("BC",),
        labels=("original",),
        seeds=runs,
        episodes=10,
        task="gym:InvertedPendulum-v5",
        settings={"BC": {"layers": 3, "units": 64, "batch_size": 128, "steps": 5000}},
    )


def resident(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
