"""Measure how the time of a study grows with its transitions, its runs and the cores."""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from instinct.bench.empty_cache import empty_cache
from instinct.bench.study import noise_plan
from instinct.data import write
from instinct.deep.training.synthetic import hopper_like
from instinct.engine.local_executor import LocalExecutor
from instinct.engine.scheduler import StudyProgress, execute
from instinct.errors import BadInput, InstinctError
from instinct.study.measurement import Measurement
from instinct.study.plan import Plan
from instinct.study.store import open_store
from instinct.util.cores import cores
from instinct.util.folders import cache_folder
from instinct.util.progress import Progress, no_progress

TRANSITIONS = (10_000, 100_000, 1_000_000, 10_000_000)
RUNS = (10, 100, 1000)
ROWS, GAMES, LONGER = 20_000, 8, 5
"""Transitions and runs of the curve over cores; they train so many times longer."""
Curve = Literal["transitions", "runs", "cores"]
OnEnded = Callable[[int], None]
"""Called with the number of runs that have ended."""


@dataclass(frozen=True)
class ScalingPoint:
    """A study: `seconds` from its first process to its last result.

    `training_seconds` and `evaluation_seconds` are sums over its runs; the rest of the workers'
    time is starting, opening the data and waiting. Programs were compiled before; the data are
    opened for the first time.
    """

    curve: Curve
    transitions: int
    runs: int
    cores: int
    seconds: float
    training_seconds: float
    evaluation_seconds: float
    runs_per_hour: float


class Study(NamedTuple):
    """A study to be timed, as a point of a curve."""

    curve: Curve
    transitions: int
    runs: int
    cores: int


def measure(
    transitions: Sequence[int] = TRANSITIONS,
    runs: Sequence[int] = RUNS,
    workers: Sequence[int] | None = None,
    steps: int = 2000,
    on_progress: Progress = no_progress,
) -> Iterator[ScalingPoint]:
    """Yield the points of all curves.

    PSPI is trained with `steps` steps per stage on random data like hopper's: one run per core over
    the transitions; over the cores always the same runs, with more steps. The curve over the runs
    is that of small runs of BC.
    """
    most = len(cores())
    workers = range(1, most + 1) if workers is None else workers
    if max(workers, default=1) > most:
        raise BadInput(f"there are {most} cores", option="cores")
    studies = [Study("transitions", rows, most, most) for rows in transitions]
    studies += [Study("runs", 10_000, number, most) for number in runs]
    studies += [Study("cores", ROWS, GAMES, number) for number in workers]
    total = sum(study.runs for study in studies)
    done = 0
    for study in studies:

        def watch(ended: int, before: int = done, study: Study = study) -> None:
            on_progress(before + ended, total, study.curve)

        with TemporaryDirectory() as scratch, empty_cache(Path(scratch) / "cache"):
            point = time_study(study, steps, Path(scratch), watch)
        yield point
        done += study.runs


def time_study(study: Study, steps: int, scratch: Path, watch: OnEnded) -> ScalingPoint:
    """Run one trial, so that programs are compiled; forget the data; then time the study."""
    plan = make_plan(study, steps, scratch)
    run(plan, 1, scratch / "before", 1)
    shutil.rmtree(cache_folder() / "datasets", ignore_errors=True)
    seconds, measured = run(plan, study.runs, scratch / "study", study.cores, watch)
    return ScalingPoint(
        *study,
        seconds,
        sum(each.training_seconds for each in measured),
        sum(each.evaluation_seconds for each in measured),
        3600 * study.runs / seconds,
    )


def make_plan(study: Study, steps: int, scratch: Path) -> Plan:
    """Write the data of a study and return its plan."""
    if study.curve == "runs":
        return noise_plan(scratch / "data.npz", study.runs)
    write(hopper_like(study.transitions), scratch / "data.npz")
    stages = ("steps", "cloning_steps", "warm_start_steps")
    longer = LONGER if study.curve == "cores" else 1
    return Plan(
        name="scaling",
        datasets=(str(scratch / "data.npz"),),
        algorithms=("PSPI",),
        labels=("original",),
        preset="quick",
        seeds=study.runs,
        episodes=1,
        task="hopper",
        remove_terminals=False,
        settings={"PSPI": dict.fromkeys(stages, steps * longer)},
    )


def run(
    plan: Plan, runs: int, folder: Path, workers: int, watch: OnEnded | None = None
) -> tuple[float, list[Measurement]]:
    """Run the first trials of a plan; return the seconds and what was measured."""

    def on_progress(state: StudyProgress) -> None:
        if watch is not None:
            watch(state.ended)

    began = time.perf_counter()
    with LocalExecutor(folder, workers) as executor, open_store(folder, plan, {}) as store:
        execute(plan.final({})[:runs], store, executor, on_progress)
        seconds = time.perf_counter() - began
        measured = [each.measurement for each in store.ended().values()]
    if failed := [each.failure for each in measured if each.failure]:
        raise InstinctError(f"a run of the benchmark failed: {failed[0]}")
    return seconds, measured
