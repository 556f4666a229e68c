"""Time that a study still needs, and how busy its workers are, from what the workers report."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import jax

from instinct.deep import ALGORITHMS, Algorithm, StageProgress
from instinct.deep.training.run_training import stages
from instinct.study.trials import Trial

ENOUGH = 1.0
"""Seconds of training that are enough to know its speed."""
Running = Mapping[int, tuple[Trial, StageProgress | None]]


@dataclass
class Timekeeper:
    """Learns the seconds per step of every stage while trials run.

    `busy` divides the time in which workers had a trial by the time of all workers, from the first
    training step to the last report.
    """

    clock: Callable[[], float] = time.monotonic
    seconds: dict[str, float] = field(default_factory=dict)
    """Seconds in training, by the name of the stage."""
    steps: dict[str, int] = field(default_factory=dict)
    seen: dict[int, tuple[str, str, int, float]] = field(default_factory=dict)
    """By worker: the trial, its stage, the step of its last report, and when that came."""
    began: float | None = None
    last: float = 0.0
    busy_seconds: float = 0.0
    busy_now: int = 0

    def report(self, running: Running) -> None:
        """Learn from the present state of all workers."""
        now = self.clock()
        if self.began is not None:
            self.busy_seconds += self.busy_now * (now - self.last)
        elif any(stage is not None and stage.step for _, stage in running.values()):
            self.began = now
        self.busy_now, self.last = len(running), now
        for worker, (trial, stage) in running.items():
            if stage is not None:
                self.learn(worker, trial.identity, stage, now)

    def learn(self, worker: int, identity: str, stage: StageProgress, now: float) -> None:
        """Count the steps between two reports of the same stage."""
        trial, name, step, when = self.seen.get(worker, ("", "", 0, now))
        same = (trial, name) == (identity, stage.stage)
        if same and stage.step > step:
            self.seconds[name] = self.seconds.get(name, 0.0) + now - when
            self.steps[name] = self.steps.get(name, 0) + stage.step - step
        if not same or stage.step > step:
            self.seen[worker] = identity, stage.stage, stage.step, now

    def busy(self, workers: int) -> float | None:
        """Return the share of the workers' time in which they had a trial."""
        if self.began is None or self.last <= self.began or not workers:
            return None
        return self.busy_seconds / (workers * (self.last - self.began))

    def remaining(self, pending: Sequence[Trial], running: Running, workers: int) -> float | None:
        """Return the seconds until all trials will have ended; None before anything is known."""
        if not self.steps or not workers:
            return None
        mean = sum(self.seconds.values()) / sum(self.steps.values())
        left: dict[str, float] = {}
        for trial in pending:
            for key, stage in work_of(trial).items():
                left[key] = int(stage.steps) * self.per_step(stage.NAME, mean)
        for trial, progress in running.values():
            for key, steps, name in steps_left(trial, progress):
                left[key] = steps * self.per_step(name, mean)
        longest = max((left.get(trial.identity, 0.0) for trial in pending), default=0.0)
        return max(sum(left.values()) / workers, longest)

    def speeds(self, trials: Sequence[Trial]) -> dict[str, float]:
        """Return the seconds per step by kind, of stages that name one kind and ran for a while."""
        found: dict[str, set[str]] = {}
        for trial in trials:
            for stage in work_of(trial).values():
                found.setdefault(stage.NAME, set()).add(kind_of(stage))
        return {
            kind: self.seconds[name] / self.steps[name]
            for name, kinds in found.items()
            if len(kinds) == 1 and self.seconds.get(name, 0) >= ENOUGH
            for kind in kinds
        }

    def per_step(self, stage: str, mean: float) -> float:
        return self.seconds[stage] / self.steps[stage] if self.steps.get(stage) else mean


def steps_left(trial: Trial, progress: StageProgress | None) -> Iterator[tuple[str, int, str]]:
    """Yield the key of every stage of a running trial, the steps left of it, and its name."""
    reached = progress is None
    for key, stage in work_of(trial).items():
        steps = int(stage.steps) if reached else 0
        if progress is not None and progress.stage == stage.NAME:
            steps, reached = int(stage.steps) - progress.step, True
        yield key, steps, stage.NAME


def work_of(trial: Trial) -> dict[str, Algorithm]:
    """Return the stages of a trial in order; equal keys are trained once."""
    if trial.is_tabular or trial.algorithm not in ALGORITHMS:
        return {}
    names = [*trial.warm_starts.values(), trial.identity]
    return dict(zip(names, stages(trial.configured()), strict=True))


def kind_of(stage: Algorithm) -> str:
    """Return a key that programs of the same speed share: all but traced numbers."""
    return str(jax.tree.structure(stage))


def in_words(seconds: float) -> str:
    """Return a time in words.

    >>> in_words(50), in_words(100), in_words(5400), in_words(200 * 3600)
    ('50 s', '2 min', '1.5 h', '200 h')
    """
    if seconds < 60:
        return f"{math.ceil(seconds)} s"
    if seconds < 3600:
        return f"{math.ceil(seconds / 60)} min"
    hours = seconds / 3600
    return f"{hours:.1f} h" if hours < 20 else f"{hours:,.0f} h"
