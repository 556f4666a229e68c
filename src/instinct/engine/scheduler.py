"""Schedule trials over workers and write their measurements to the store."""

import itertools
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from instinct.deep import StageProgress
from instinct.engine.local_executor import Event, Executor
from instinct.engine.notices import Notice
from instinct.engine.speeds import remember
from instinct.engine.timekeeper import Timekeeper
from instinct.engine.trial_runner import DatasetOpened, warm_starts_before
from instinct.errors import InstinctError
from instinct.study.measurement import Measurement
from instinct.study.trials import Trial

log = logging.getLogger(__name__)

REFRESH = 1.0
"""Seconds after which the remaining time is predicted again."""
ATTEMPTS = 3
"""How often a trial is tried when its worker dies or raises an exception."""


@dataclass(frozen=True)
class StudyProgress:
    """The number of ended trials, and which trial each busy worker runs.

    `remaining` is the predicted time in seconds, once it is known. `busy` is the share of the
    workers' time since the first training step in which they had a trial.
    """

    ended: int
    trials: int
    running: dict[int, tuple[Trial, StageProgress | None]]
    remaining: float | None = None
    busy: float | None = None


OnStudyProgress = Callable[[StudyProgress], None]


class Results(Protocol):
    """Where measurements are written: the store of a study, or the log of one of its jobs."""

    def succeeded(self) -> Mapping[str, bool]:
        """Return for every ended trial, by identity, whether it succeeded."""

    def deaths(self) -> dict[str, list[str]]:
        """Return why workers died, by the identity of the trial that they ran."""

    def add(self, trial: Trial, measurement: Measurement) -> None:
        """Write the measurement of a trial."""

    def add_dataset(self, name: str, facts: Mapping[str, Any]) -> None:
        """Write the facts about a dataset."""

    def add_death(self, trial: Trial, reason: str) -> None:
        """Write that a worker died while it ran a trial."""

    def add_warning(self, warning: str) -> None:
        """Write a warning."""


@dataclass
class Scheduler:
    """Schedules trials over workers."""

    store: Results
    executor: Executor
    on_progress: OnStudyProgress
    trials: int
    deaths: dict[str, list[str]]
    pending: list[Trial] = field(default_factory=list)
    running: dict[int, Trial] = field(default_factory=dict)
    progress: dict[int, StageProgress] = field(default_factory=dict)
    open_datasets: dict[int, str] = field(default_factory=dict)
    finished_warm_starts: set[str] = field(default_factory=set)
    timekeeper: Timekeeper = field(default_factory=Timekeeper)
    clock: Callable[[], float] = time.monotonic
    due: float = 0.0
    remaining: float | None = None

    def assign(self) -> None:
        """Submit the best pending trial to every idle worker, or all to an executor of batches."""
        if self.executor.takes_all:
            numbers = (n for n in itertools.count() if n not in self.running)
            while self.pending:
                self.submit(next(numbers), self.pending.pop(0))
            return
        for worker in self.executor.workers:
            if worker in self.running:
                continue
            trial = self.choose_trial(worker)
            if trial is not None:
                self.pending.remove(trial)
                self.submit(worker, trial)

    def submit(self, worker: int, trial: Trial) -> None:
        """Give a trial to a worker."""
        self.running[worker], self.open_datasets[worker] = trial, trial.dataset
        self.executor.submit(worker, trial)

    def choose_trial(self, worker: int) -> Trial | None:
        """Prefer the dataset that the worker has open, then one that no other worker has open.

        A trial waits while another worker trains a warm start that it shares.
        """
        in_training = {key for trial in self.running.values() for key in trial.warm_starts.values()}
        in_training -= self.finished_warm_starts
        ready = [t for t in self.pending if in_training.isdisjoint(t.warm_starts.values())]
        mine = self.open_datasets.get(worker)
        others = {self.open_datasets[other] for other in self.running}
        return min(ready, key=lambda t: (t.dataset != mine, t.dataset in others), default=None)

    def handle(self, event: Event) -> None:
        """Process a worker's message. Ignore deaths of idle workers."""
        message = event.message
        if isinstance(message, InstinctError):
            raise message
        if isinstance(message, DatasetOpened):
            self.store.add_dataset(message.dataset, message.facts)
        elif isinstance(message, Notice):
            log.warning("%s", message.text)
            self.store.add_warning(message.text)
        elif isinstance(message, StageProgress):
            warm_starts = self.running[event.worker].warm_starts
            self.finished_warm_starts |= {*warm_starts_before(message.stage, warm_starts)}
            self.progress[event.worker] = message
        elif event.worker in self.running:
            self.progress.pop(event.worker, None)
            self.end_trial(event.worker, self.running.pop(event.worker), message)

    def end_trial(self, worker: int, trial: Trial, result: Measurement | str) -> None:
        """Store the measurement; after a death, store the reason and try again."""
        if isinstance(result, Measurement):
            self.store.add(trial, result)
        else:
            del self.open_datasets[worker]
            self.store.add_death(trial, result)
            self.deaths.setdefault(trial.identity, []).append(result)
            self.enqueue(trial)

    def enqueue(self, trial: Trial) -> None:
        """Add a trial to the queue, or store it as failed after `ATTEMPTS` deaths."""
        reasons = self.deaths.get(trial.identity, [])
        if len(reasons) < ATTEMPTS:
            self.pending.append(trial)
        else:
            failure = f"{reasons[-1]} ({len(reasons)} attempts)"
            self.store.add(trial, Measurement({}, failure=failure))

    def report_progress(self) -> None:
        running = {
            worker: (trial, self.progress.get(worker))
            for worker, trial in self.running.items()
            if worker in self.progress or not self.executor.takes_all
        }
        ended = self.trials - len(self.pending) - len(self.running)
        self.timekeeper.report(running)
        workers = len(self.executor.workers)
        if self.clock() >= self.due:
            self.due = self.clock() + REFRESH
            self.remaining = self.timekeeper.remaining(self.pending, running, workers)
        busy = self.timekeeper.busy(workers)
        self.on_progress(StudyProgress(ended, self.trials, running, self.remaining, busy))


def execute(
    trials: Sequence[Trial], store: Results, executor: Executor, on_progress: OnStudyProgress
) -> None:
    """Run the trials that have not ended yet.

    When a worker dies, only its trial is affected: it is tried again, and stored as failed after
    `ATTEMPTS` deaths.
    """
    unique, ended = {trial.identity: trial for trial in trials}, store.succeeded()
    scheduler = Scheduler(store, executor, on_progress, len(unique), store.deaths())
    for identity, trial in unique.items():
        if identity not in ended:
            scheduler.enqueue(trial)
    scheduler.report_progress()
    while scheduler.pending or scheduler.running:
        scheduler.assign()
        for event in executor.wait():
            scheduler.handle(event)
        scheduler.report_progress()
    if speeds := scheduler.timekeeper.speeds([*unique.values()]):
        remember(speeds)
