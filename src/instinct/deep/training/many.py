"""Train many runs: on a CPU with one worker per core, on an accelerator as one program."""

import multiprocessing
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import jax

from instinct.deep.training.compilation_cache import cache_programs
from instinct.deep.training.run_training import stages, train, train_alike, train_stages
from instinct.deep.training.runs import Outcome, Run
from instinct.deep.training.stage import PACE, OnProgress, Pace, StageProgress
from instinct.util.cores import cores
from instinct.util.processes import process_pool

How = Literal["workers", "together"]
OnRunProgress = Callable[[int, StageProgress], None]
"""Called with the number of the run in the list."""


def train_many(
    runs: Sequence[Run],
    *,
    how: How | None = None,
    workers: int | None = None,
    warm_starts: Path | None = None,
    pace: Pace = PACE,
    on_progress: OnRunProgress | None = None,
) -> list[Outcome]:
    """Train all runs and return their outcomes in order.

    With `how="workers"` every core trains one run at a time, in a process of its own. With
    `"together"`, runs that differ only in numbers are trained as one program. By default the device
    decides. The outcomes are the same up to rounding.
    """
    for run in runs:
        run.check()
    if how is None:
        how = "workers" if jax.default_backend() == "cpu" else "together"
    if how == "together":
        return train_together(runs, warm_starts, pace, on_progress)
    with TemporaryDirectory() as temporary:
        shared = Path(temporary) if warm_starts is None else warm_starts
        return train_in_workers(runs, workers or len(cores()), shared, pace, on_progress)


def train_together(
    runs: Sequence[Run], warm_starts: Path | None, pace: Pace, on_progress: OnRunProgress | None
) -> list[Outcome]:
    """Train every group of runs that can share a program, one group after the other."""
    share_rows(runs)
    groups: dict[Any, list[int]] = {}
    for i, run in enumerate(runs):
        groups.setdefault(program_key(run), []).append(i)
    outcomes: dict[int, Outcome] = {}
    for members in groups.values():
        alike = train_alike(
            [runs[i] for i in members],
            warm_starts=warm_starts,
            pace=pace,
            callbacks=[with_number(on_progress, i) for i in members],
        )
        outcomes |= dict(zip(members, alike, strict=True))
    return [outcomes[i] for i in range(len(runs))]


def share_rows(runs: Sequence[Run]) -> None:
    """Keep the rows that runs have in common only once in memory."""
    rows: dict[str, dict[str, Any]] = {}
    for run in runs:
        common = rows.setdefault(run.rows_hash, run.data.rows)
        vars(run)["data"] = run.data._replace(rows=common)


def program_key(run: Run) -> Any:
    """Return what runs that share a program must have in common."""
    chain = stages(run.algorithm)
    structure = tuple(jax.tree.structure(stage) for stage in chain)
    rewards = tuple(array.shape for array in run.data.rewards.values())
    return structure, tuple(stage.steps for stage in chain), run.rows_hash, rewards


def with_number(on_progress: OnRunProgress | None, i: int) -> OnProgress | None:
    """Return the callback of run number `i`."""
    return None if on_progress is None else lambda progress: on_progress(i, progress)


def train_in_workers(
    runs: Sequence[Run],
    workers: int,
    warm_starts: Path,
    pace: Pace,
    on_progress: OnRunProgress | None,
) -> list[Outcome]:
    """Train the warm starts that runs share, then the runs, in worker processes."""
    messages = multiprocessing.get_context("spawn").SimpleQueue()
    with (
        forward_messages(messages, on_progress),
        process_pool(
            workers, begin=start_worker, arguments=(messages,), work="the training of many runs"
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
    """Yield for every depth one run of each warm start that two or more runs share."""
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
def forward_messages(messages: Any, on_progress: OnRunProgress | None) -> Iterator[None]:
    """Pass the workers' messages to `on_progress` while the block runs."""

    def listen() -> None:
        while (message := messages.get()) is not None:
            if on_progress is not None:
                on_progress(*message)

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield
    finally:
        messages.put(None)
        listener.join()


_MESSAGES: list[Any] = []
"""In a worker: the queue to the main process."""


def start_worker(messages: Any) -> None:
    cache_programs()
    _MESSAGES.append(messages)


def send_progress(i: int) -> OnProgress:
    """Return a callback that sends the progress of run number `i` to the main process."""
    return lambda progress: _MESSAGES[0].put((i, progress))


def warm_up_one(i: int, run: Run, depth: int, warm_starts: Path, pace: Pace) -> None:
    train_stages([run], depth, warm_starts, pace, [send_progress(i)])


def train_one(i: int, run: Run, warm_starts: Path, pace: Pace) -> Outcome:
    return train(run, warm_starts=warm_starts, pace=pace, on_progress=send_progress(i))
