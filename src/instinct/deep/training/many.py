"""Many runs: on a CPU one single-threaded worker per core, on an accelerator one program."""

import multiprocessing
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import jax

from instinct.deep.training.compilation_cache import keep_programs
from instinct.deep.training.run_training import follow, stages, train, train_alike
from instinct.deep.training.runs import Outcome, Run
from instinct.deep.training.stage import PACE, Pace, Progress, Report
from instinct.util.cores import cores
from instinct.util.processes import process_pool

How = Literal["workers", "together"]
ReportOf = Callable[[int, Progress], None]


def train_many(
    runs: Sequence[Run],
    *,
    how: How | None = None,
    workers: int | None = None,
    warm_starts: Path | None = None,
    pace: Pace = PACE,
    report: ReportOf | None = None,
) -> list[Outcome]:
    """Train all runs; the same outcomes, up to rounding, whichever way.

    `workers` trains one run per core at a time, each in a process of its own; `together` trains
    runs that differ only in numbers as one program. By default the device decides. `report` is
    told the number of the run in the list.
    """
    for run in runs:
        run.check()
    if how is None:
        how = "workers" if jax.default_backend() == "cpu" else "together"
    if how == "together":
        return together(runs, warm_starts, pace, report)
    with TemporaryDirectory() as temporary:
        shared = Path(temporary) if warm_starts is None else warm_starts
        return in_workers(runs, workers or len(cores()), shared, pace, report)


def together(
    runs: Sequence[Run], warm_starts: Path | None, pace: Pace, report: ReportOf | None
) -> list[Outcome]:
    """Groups of runs alike, one after the other, each as one program."""
    groups: dict[Any, list[int]] = {}
    for i, run in enumerate(runs):
        groups.setdefault(shape_of(run), []).append(i)
    outcomes: dict[int, Outcome] = {}
    for members in groups.values():
        alike = train_alike(
            [runs[i] for i in members],
            warm_starts=warm_starts,
            pace=pace,
            reports=[numbered(report, i) for i in members],
        )
        outcomes |= dict(zip(members, alike, strict=True))
    return [outcomes[i] for i in range(len(runs))]


def shape_of(run: Run) -> Any:
    """What runs in one program must have in common."""
    chain = stages(run.algorithm)
    structure = tuple(jax.tree.structure(stage) for stage in chain)
    told = tuple(array.shape for array in run.data.told.values())
    return structure, tuple(stage.steps for stage in chain), run.rows_hash, told


def numbered(report: ReportOf | None, i: int) -> Report | None:
    return None if report is None else lambda progress: report(i, progress)


def in_workers(
    runs: Sequence[Run], workers: int, warm_starts: Path, pace: Pace, report: ReportOf | None
) -> list[Outcome]:
    """Warm starts that several runs share come first, then the runs."""
    messages = multiprocessing.get_context("spawn").SimpleQueue()
    with (
        passing_on(messages, report),
        process_pool(
            workers, begin=begin_worker, arguments=(messages,), work="the training of many runs"
        ) as pool,
    ):
        for depth, shared in shared_warm_starts(runs):
            jobs = [pool.submit(warm_up_one, i, runs[i], depth, warm_starts, pace) for i in shared]
            for job in jobs:
                job.result()
        trainings = [
            pool.submit(train_one, i, run, warm_starts, pace) for i, run in enumerate(runs)
        ]
        return [training.result() for training in trainings]


def shared_warm_starts(runs: Sequence[Run]) -> Iterator[tuple[int, list[int]]]:
    """For every depth of warm start, one run for each that two or more runs have in common."""
    chains = [stages(run.algorithm)[:-1] for run in runs]
    for depth in range(max(map(len, chains), default=0)):
        first: dict[str, int] = {}
        count: Counter[str] = Counter()
        for i, (run, chain) in enumerate(zip(runs, chains, strict=True)):
            if depth < len(chain):
                identity = run.identity(chain[depth])
                first.setdefault(identity, i)
                count[identity] += 1
        yield depth, [i for identity, i in first.items() if count[identity] > 1]


@contextmanager
def passing_on(messages: Any, report: ReportOf | None) -> Iterator[None]:
    """Give the workers' messages to `report` while the block runs."""

    def listen() -> None:
        while (message := messages.get()) is not None:
            if report is not None:
                report(*message)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield
    finally:
        messages.put(None)
        listener.join()


_MESSAGES: list[Any] = []


def begin_worker(messages: Any) -> None:
    keep_programs()
    _MESSAGES.append(messages)


def tell(i: int) -> Report:
    return lambda progress: _MESSAGES[0].put((i, progress))


def warm_up_one(i: int, run: Run, depth: int, warm_starts: Path, pace: Pace) -> None:
    follow([run], depth, warm_starts, pace, [tell(i)])


def train_one(i: int, run: Run, warm_starts: Path, pace: Pace) -> Outcome:
    return train(run, warm_starts=warm_starts, pace=pace, report=tell(i))
