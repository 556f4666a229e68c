"""The study benchmark: what a study of many small runs loses outside of training and evaluation."""

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from instinct.data import Box, Dataset, write
from instinct.engine.local_executor import LocalExecutor
from instinct.engine.scheduler import StudyProgress, execute
from instinct.errors import BadInput
from instinct.study.plan import Plan
from instinct.study.store import open_store

EARLY = 20
"""After how many runs memory is measured for the first time."""


@dataclass(frozen=True)
class Overhead:
    """`outside` is the share of the workers' time that is neither training nor evaluation.

    Memory is in MB, that of the largest worker and that of the process that gives the work.
    """

    runs: int
    workers: int
    seconds: float
    seconds_per_run: float
    outside: float
    worker_memory_early: float
    worker_memory: float
    parent_memory_early: float
    parent_memory: float


def measure(
    runs: int = 200, workers: int | None = None, report: Callable[[int, int], None] | None = None
) -> Overhead:
    """BC with small networks on noise, judged in the inverted pendulum; `report` counts runs."""
    if runs <= EARLY:
        raise BadInput(f"memory is compared with that after {EARLY} runs; measure more")
    memory: dict[int, tuple[float, float]] = {}
    with (
        tempfile.TemporaryDirectory() as scratch,
        LocalExecutor(Path(scratch), workers) as executor,
    ):
        plan = noise_plan(Path(scratch) / "noise.npz", runs)

        def on_study_progress(state: StudyProgress) -> None:
            if state.ended in (EARLY, runs) and state.ended not in memory:
                pids = [worker.process.pid for worker in executor.alive.values()]
                memory[state.ended] = max(map(resident, pids)), resident(os.getpid())
            if report is not None:
                report(state.ended, runs)

        began = time.perf_counter()
        with open_store(Path(scratch), plan, {}) as store:
            execute(plan.final({}), store, executor, on_study_progress)
            seconds = time.perf_counter() - began
            busy = sum(
                each.measurement.training_seconds + each.measurement.evaluation_seconds
                for each in store.ended().values()
            )
    return Overhead(
        runs=runs,
        workers=len(executor.workers),
        seconds=seconds,
        seconds_per_run=busy / runs,
        outside=1 - busy / (seconds * len(executor.workers)),
        worker_memory_early=memory[EARLY][0],
        worker_memory=memory[runs][0],
        parent_memory_early=memory[EARLY][1],
        parent_memory=memory[runs][1],
    )


def noise_plan(path: Path, runs: int) -> Plan:
    """Runs that differ in their seeds, on 10,000 transitions of noise."""
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
    """The memory that a process holds at the moment, in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
