"""A small task with costs, data for it, and a worker in this process."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from instinct.benchmarks import registry
from instinct.benchmarks.benchmark import Benchmark
from instinct.data import KAPPA, Array, Box, Dataset, write
from instinct.engine.trial_runner import TrialRunner
from instinct.study.measurement import Measurement
from instinct.study.trials import Trial
from instinct.tasks.environments import Environment
from instinct.tasks.simulation import End, Step
from tests.study.problems import FakeExecutor, Message

TASK, STEPS = "toy:walk", 10
COST = 5.0


@dataclass(frozen=True)
class Walk:
    """Ten steps of at most 1 to either side, each with a cost of 5: the normalized cost is 50/κ."""

    name: str = TASK
    horizon: int = STEPS
    end: End = "timeout"
    cost_target: float = KAPPA

    @property
    def action_space(self) -> Box:
        return Box.of(1)

    @property
    def observation_size(self) -> int:
        return 2

    def environment(self) -> Environment:
        raise NotImplementedError

    def simulation(self, places: int) -> "Walks":
        return Walks(places)

    def scores(self, returns: Array) -> Array:
        """Divide by 10, the best return of ten steps."""
        return returns / 10


class ToyBenchmark(Benchmark):
    """A family of one task."""

    name, prefix, tasks = "toy", "toy:", (TASK,)
    cost_target = KAPPA
    score_name = "score"

    def task(self, name: str) -> Walk:
        return Walk(name)


class Walks:
    """Simulates walks; the reward of a step is the step."""

    def __init__(self, places: int) -> None:
        self.x, self.t = np.zeros(places), np.zeros(places, int)

    def reset(self, place: int, seed: int) -> Array:
        self.x[place], self.t[place] = 0.0, 0
        return np.zeros(2)

    def step(self, places: Array, actions: Array) -> Step:
        self.x[places] += actions[:, 0]
        self.t[places] += 1
        over = self.t[places] == STEPS
        seen = np.stack([self.x[places], self.t[places] / STEPS], axis=1)
        costs = np.full(len(places), COST)
        return Step(seen, actions[:, 0].astype(float), np.zeros_like(over), over, costs=costs)


def recorded(costs: bool = True) -> Dataset:
    """Twenty walks; every second one has a cost in steps 3 and 4."""
    random = np.random.default_rng(0)
    steps = random.uniform(-1, 1, size=(20, STEPS, 1)).astype(np.float32)
    x = np.concatenate([np.zeros((20, 1)), steps[..., 0].cumsum(axis=1)], axis=1)
    seen = np.stack([x, np.tile(np.arange(STEPS + 1) / STEPS, (20, 1))], axis=2)
    rows = np.arange(20 * STEPS)
    paid = (rows // STEPS % 2 == 0) & np.isin(rows % STEPS, [3, 4])
    return Dataset(
        observations=seen[:, :-1].reshape(-1, 2),
        next_observations=seen[:, 1:].reshape(-1, 2),
        actions=steps.reshape(-1, 1),
        rewards=steps.reshape(-1),
        terminals=np.zeros(len(rows), bool),
        timeouts=rows % STEPS == STEPS - 1,
        action_space=Box.of(1),
        costs=paid * 20.0 if costs else None,
    )


def write_walks(path: Path, costs: bool = True) -> Path:
    write(recorded(costs), path)
    return path


def add_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register the task in this process."""
    monkeypatch.setitem(registry.BENCHMARKS, "toy", ToyBenchmark())


def in_process(folder: Path, extensions: object = ()) -> FakeExecutor:
    """One worker in this process."""
    del extensions
    return FakeExecutor(1, run_in_process(folder))


def run_in_process(folder: Path) -> Callable[[Trial], Iterator[Message]]:
    runner = TrialRunner(folder)

    def run_trial(trial: Trial) -> Iterator[Message]:
        messages: list[Message] = []
        measured: Measurement = runner.run(trial, messages.append)
        yield from messages
        yield measured

    return run_trial
