"""Executing trials: who performs which one next, what to do with what comes back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from instinct.deep import Progress
from instinct.study.measured import Measured
from instinct.study.store import Store
from instinct.study.trials import Trial
from instinct.study.workers import Event, Executor

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
    pending: list[Trial]
    watch: Watch
    trials: int
    ended: int
    doing: dict[int, Trial] = field(default_factory=dict)
    said: dict[int, Progress] = field(default_factory=dict)
    opened: dict[int, str] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)

    def hand_out(self) -> None:
        """Give every idle worker the trial that suits it best, if there is one."""
        for worker in range(self.executor.workers):
            if worker in self.doing or not self.pending:
                continue
            trial = self.choose(worker)
            if trial is None:
                continue
            self.pending.remove(trial)
            self.doing[worker], self.opened[worker] = trial, trial.dataset
            self.said.pop(worker, None)
            self.executor.give(worker, trial)

    def choose(self, worker: int) -> Trial | None:
        """First a trial on the dataset that the worker has open, then one on a dataset of its own.

        A trial has to wait while another worker trains a warm start that it can share.
        """
        in_work = {key for busy in self.doing for key in self.warming(busy)}
        able = [t for t in self.pending if in_work.isdisjoint(t.warm_starts.values())]
        mine = self.opened.get(worker)
        others = {name for other, name in self.opened.items() if other in self.doing}
        return min(able, key=lambda t: (t.dataset != mine, t.dataset in others), default=None)

    def warming(self, worker: int) -> list[str]:
        """The warm starts that the worker has not finished yet."""
        warm_starts = self.doing[worker].warm_starts
        stages = [*warm_starts]
        stage = self.said[worker].stage if worker in self.said else ""
        if stage in stages:
            return [warm_starts[name] for name in stages[stages.index(stage) :]]
        return [] if stage else [*warm_starts.values()]

    def hear(self, event: Event) -> None:
        trial = self.doing[event.worker]
        if isinstance(event.what, Progress):
            self.said[event.worker] = event.what
            return
        del self.doing[event.worker]
        self.said.pop(event.worker, None)
        if isinstance(event.what, Measured):
            self.end(trial, event.what)
            return
        self.store.add_death(trial, event.what)
        self.tried[trial.identity] = self.tried.get(trial.identity, 0) + 1
        if self.tried[trial.identity] < ATTEMPTS:
            self.pending.insert(0, trial)
        else:
            self.end(trial, Measured({}, failure=f"{event.what} ({ATTEMPTS} attempts)"))

    def end(self, trial: Trial, measured: Measured) -> None:
        self.store.add(trial, measured)
        self.ended += 1

    def show(self) -> None:
        doing = {worker: (trial, self.said.get(worker)) for worker, trial in self.doing.items()}
        self.watch(State(self.ended, self.trials, doing))


def execute(trials: Sequence[Trial], store: Store, executor: Executor, watch: Watch) -> None:
    """Perform the trials that have not ended yet.

    A worker that dies costs only its trial, which is tried again, and at last written down as
    failed with the reason.
    """
    known = store.known()
    pending = [trial for trial in trials if trial.identity not in known]
    shift = Shift(store, executor, pending, watch, len(trials), len(trials) - len(pending))
    shift.show()
    while shift.pending or shift.doing:
        shift.hand_out()
        for event in executor.wait():
            shift.hear(event)
        shift.show()
