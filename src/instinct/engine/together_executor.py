"""Run trials that differ only in numbers as one program, on all devices of this machine.

A thread trains one chunk of trials after the other, as many as fit into memory. Another judges the
trained policies meanwhile. Every trial keeps its own run folder and checkpoint.
"""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, Self

import jax

from instinct.benchmarks.registry import matching_task
from instinct.data import Dataset
from instinct.deep import Outcome, Run, StageProgress, cache_programs, train_many
from instinct.deep.training.devices import runs_at_once
from instinct.deep.training.run_training import stages
from instinct.engine.local_executor import Event
from instinct.engine.notices import forward_warnings
from instinct.engine.run_plan import MakeExecutor
from instinct.engine.trial_runner import CHECKPOINT_SECONDS, WARM_STARTS, TrialRunner, judge
from instinct.engine.worker_main import attempt
from instinct.study.extensions import find_own
from instinct.study.measurement import Measurement
from instinct.study.starts import Setting
from instinct.study.trials import Trial
from instinct.tasks.simulation import Task

Numbered = tuple[int, Trial]


class Prepared(NamedTuple):
    """A trial that can be trained, and what judging it needs."""

    number: int
    trial: Trial
    run: Run
    task: Task | None
    dataset: Dataset
    """The dataset before the filters."""


class Stopping(BaseException):
    """Ends the training thread in the middle of a training."""


class TogetherExecutor:
    """Trains chunks of similar trials in this process and evaluates them at the same time.

    `most` limits the trials of a chunk further than the memory does. Trials of a chunk that raised
    an exception are tried again one by one.
    """

    takes_all = True
    workers: Sequence[int] = ()

    def __init__(
        self,
        folder: Path,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
        most: int | None = None,
    ) -> None:
        self.folder, self.most = folder, most
        self.runner = TrialRunner(folder, checkpoint_seconds)
        self.settings: Mapping[str, Setting] = {
            "executor": "together",
            "devices": jax.local_device_count(),
            "checkpoint_seconds": checkpoint_seconds,
        }
        self.waiting: list[Numbered] = []
        self.alone: set[str] = set()
        self.batches: SimpleQueue[list[Numbered] | None] = SimpleQueue()
        self.events: SimpleQueue[Event] = SimpleQueue()
        self.stopping = threading.Event()
        self.trainer = threading.Thread(target=self.train_batches, daemon=True)
        self.judges = ThreadPoolExecutor(1)

    def __enter__(self) -> Self:
        cache_programs()
        self.trainer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.batches.put(None)
        self.trainer.join()
        self.judges.shutdown(cancel_futures=True)

    def submit(self, worker: int, trial: Trial) -> None:
        """Remember the trial; the next `wait` hands all of them to the training thread."""
        self.waiting.append((worker, trial))

    def wait(self) -> list[Event]:
        if self.waiting:
            self.batches.put(self.waiting)
            self.waiting = []
        events = [self.events.get()]
        while not self.events.empty():
            events.append(self.events.get())
        return events

    def send(self, number: int, message: Any) -> None:
        self.events.put(Event(number, message))

    def train_batches(self) -> None:
        """Train what is submitted until the executor ends."""
        try:
            with forward_warnings(partial(self.send, -1)):
                while (batch := self.batches.get()) is not None:
                    for chunk in self.chunks(batch):
                        self.train_chunk(chunk)
        except Stopping:
            return

    def chunks(self, batch: Sequence[Numbered]) -> Iterator[list[Prepared]]:
        """Yield groups of trials that can share a program and fit into memory.

        What is not a deep algorithm of this package runs at once, on its own.
        """
        groups: dict[Any, list[Numbered]] = {}
        for number, trial in batch:
            if trial.is_tabular or find_own(trial.algorithm) is not None:
                report = partial(self.report, number)
                self.send(number, attempt(partial(self.runner.run, trial, report)))
            else:
                lonely = trial.identity if trial.identity in self.alone else ""
                groups.setdefault((program_of(trial), lonely), []).append((number, trial))
        for members in groups.values():
            yield from self.cut(members)

    def cut(self, members: Sequence[Numbered]) -> Iterator[list[Prepared]]:
        """Prepare trials one by one and yield them as soon as no more fit into memory."""
        chunk: list[Prepared] = []
        room = 0
        for number, trial in members:
            found = attempt(partial(self.prepare, number, trial))
            if not isinstance(found, Prepared):
                self.send(number, found)
                continue
            room = room or min(runs_at_once(found.run), self.most or len(members))
            chunk.append(found)
            if len(chunk) == room:
                yield chunk
                chunk = []
        if chunk:
            yield chunk

    def prepare(self, number: int, trial: Trial) -> Prepared:
        """Open the data of a trial and check everything that can be checked before training."""
        report = partial(self.report, number)
        run = self.runner.deep_run(trial, report)
        run.check()
        task = matching_task(trial.task, run.dataset) if trial.task else None
        return Prepared(number, trial, run, task, self.runner.open_dataset(trial, report))

    def train_chunk(self, chunk: Sequence[Prepared]) -> None:
        """Train a chunk as one program, and let its policies be judged."""
        began = time.perf_counter()
        outcomes = attempt(
            partial(
                train_many,
                [each.run for each in chunk],
                how="together",
                warm_starts=self.folder / WARM_STARTS,
                pace=self.runner.pace,
                on_progress=lambda i, progress: self.report(chunk[i].number, progress),
            )
        )
        seconds = (time.perf_counter() - began) / len(chunk)
        if not isinstance(outcomes, list):
            self.alone |= {each.trial.identity for each in chunk}
            for each in chunk:
                self.send(each.number, outcomes)
            return
        for each, outcome in zip(chunk, outcomes, strict=True):
            self.judges.submit(self.judge, each, outcome, seconds)

    def judge(self, each: Prepared, outcome: Outcome, seconds: float) -> None:
        """Evaluate a policy and send the measurement."""
        self.send(each.number, StageProgress("evaluation", 0, 1, {}))
        found = attempt(
            partial(judge, each.trial, each.run, outcome, each.task, each.dataset, seconds)
        )
        if isinstance(found, Measurement):
            found = replace(found, seconds=seconds + found.evaluation_seconds)
        self.send(each.number, found)

    def report(self, number: int, message: Any) -> None:
        """Send what happens during a training, or end the training."""
        if self.stopping.is_set():
            raise Stopping
        self.send(number, message)


def program_of(trial: Trial) -> tuple[Any, ...]:
    """Return what trials must have in common to share a program: all but numbers."""
    chain = stages(trial.configured())
    return (
        *(trial.dataset, trial.filters, trial.action_range, trial.task, trial.algorithm),
        tuple(jax.tree.structure(stage) for stage in chain),
        tuple(stage.steps for stage in chain),
    )


def together(
    checkpoint_seconds: float = CHECKPOINT_SECONDS, most: int | None = None
) -> MakeExecutor:
    """Run trials that differ only in numbers as one program, at most so many at once."""
    return lambda folder, _: TogetherExecutor(folder, checkpoint_seconds, most)
