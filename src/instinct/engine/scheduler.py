"""Executing trials: who performs which one next, what to do with what comes back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from instinct.deep import Progress
from instinct.engine.local_executor import Event, Executor
from instinct.engine.trial_runner import Opened, finished
from instinct.errors import InstinctError
from instinct.study.measured import Measured
from instinct.study.store import Store
from instinct.study.trials import Trial

ATTEMPTS = 3
"""How often a trial is tried whose worker dies or fails."""


@dataclass(frozen=True)
class State:
    """How far a study is: how many of its trials have ended, and what the workers do."""

    ended: int
    trials: int
    doing: dict[int, tuple[Trial, Progress | None]]


Watch = Callable[[State], None]


@dataclass
class Shift:
    """The trials that remain, and who is at which."""

    store: Store
    executor: Executor
    watch: Watch
    trials: int
    deaths: dict[str, list[str]]
    pending: list[Trial] = field(default_factory=list)
    doing: dict[int, Trial] = field(default_factory=dict)
    said: dict[int, Progress] = field(default_factory=dict)
    opened: dict[int, str] = field(default_factory=dict)
    warm: set[str] = field(default_factory=set)
    """The warm starts that are known to be there."""

    def hand_out(self) -> None:
        """Give every idle worker the trial that suits it best, if there is one."""
        for worker in self.executor.workers:
            if worker in self.doing:
                continue
            trial = self.choose(worker)
            if trial is not None:
                self.pending.remove(trial)
                self.doing[worker], self.opened[worker] = trial, trial.dataset
                self.executor.give(worker, trial)

    def choose(self, worker: int) -> Trial | None:
        """First a trial on the dataset that the worker has open, then one on a dataset of its own.

        A trial has to wait while another worker trains a warm start that it can share.
        """
        in_work = {key for trial in self.doing.values() for key in trial.warm_starts.values()}
        in_work -= self.warm
        able = [t for t in self.pending if in_work.isdisjoint(t.warm_starts.values())]
        mine = self.opened.get(worker)
        others = {self.opened[other] for other in self.doing}
        return min(able, key=lambda t: (t.dataset != mine, t.dataset in others), default=None)

    def hear(self, event: Event) -> None:
        """Take down what a worker says; that one died which had nothing to do is no matter."""
        if isinstance(event.what, InstinctError):
            raise event.what
        if isinstance(event.what, Opened):
            self.store.add_dataset(event.what.dataset, event.what.facts)
        elif isinstance(event.what, Progress):
            warm_starts = self.doing[event.worker].warm_starts
            self.warm |= {*finished(warm_starts, event.what.stage)}
            self.said[event.worker] = event.what
        elif event.worker in self.doing:
            self.said.pop(event.worker, None)
            self.end(event.worker, self.doing.pop(event.worker), event.what)

    def end(self, worker: int, trial: Trial, what: Measured | str) -> None:
        if isinstance(what, Measured):
            self.store.add(trial, what)
        else:
            del self.opened[worker]
            self.store.add_death(trial, what)
            self.deaths.setdefault(trial.identity, []).append(what)
            self.line_up(trial)

    def line_up(self, trial: Trial) -> None:
        """Have the trial performed, or written down as failed if it has been tried enough."""
        reasons = self.deaths.get(trial.identity, [])
        if len(reasons) < ATTEMPTS:
            self.pending.append(trial)
        else:
            failure = f"{reasons[-1]} ({len(reasons)} attempts)"
            self.store.add(trial, Measured({}, failure=failure))

    def show(self) -> None:
        doing = {worker: (trial, self.said.get(worker)) for worker, trial in self.doing.items()}
        self.watch(State(self.trials - len(self.pending) - len(doing), self.trials, doing))


def execute(trials: Sequence[Trial], store: Store, executor: Executor, watch: Watch) -> None:
    """Perform the trials that have not ended yet.

    A worker that dies costs only its trial, which is tried again, and at last written down as
    failed with the reason.
    """
    different, known = {trial.identity: trial for trial in trials}, store.known()
    shift = Shift(store, executor, watch, len(different), store.deaths())
    for identity, trial in different.items():
        if identity not in known:
            shift.line_up(trial)
    shift.show()
    while shift.pending or shift.doing:
        shift.hand_out()
        for event in executor.wait():
            shift.hear(event)
        shift.show()
