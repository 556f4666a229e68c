"""Small studies: a dataset file, plans, the content of their stores, and fake workers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from instinct.data import Box, Dataset, write
from instinct.deep import StageProgress
from instinct.engine.local_executor import Event
from instinct.engine.notices import Notice
from instinct.engine.trial_runner import DatasetOpened
from instinct.errors import InstinctError
from instinct.study.findings import read_findings
from instinct.study.measurement import Measurement
from instinct.study.plan import Plan
from instinct.study.starts import Setting
from instinct.study.store import read_store
from instinct.study.trials import Trial

PENDULUM = "gym:InvertedPendulum-v5"
SMALL = {"layers": 1, "units": 8, "batch_size": 16, "steps": 20}
GAME = SMALL | {"warm_start_steps": 20}

Message = StageProgress | DatasetOpened | Notice | Measurement | str | InstinctError


def write_dataset(path: Path, seed: int = 0) -> str:
    """200 transitions of noise in ten episodes, with the shapes of the inverted pendulum."""
    random = np.random.default_rng(seed)
    observations = random.normal(size=(201, 4))
    terminals = np.arange(200) % 20 == 19
    write(
        Dataset(
            observations=observations[:-1],
            actions=random.uniform(-3, 3, size=(200, 1)),
            rewards=random.uniform(size=200),
            next_observations=observations[1:],
            terminals=terminals,
            timeouts=np.zeros(200, bool),
            action_space=Box((-3.0,), (3.0,)),
        ),
        path,
    )
    return str(path)


def deep_plan(dataset: str, *algorithms: str, **changes: Any) -> Plan:
    """Tiny agents; they are evaluated only if a task is given."""
    small = {"ATAC": GAME, "PSPI": GAME}
    settings = {name: small.get(name, SMALL) for name in algorithms}
    given: dict[str, Any] = {"labels": ("original",), "seeds": 2, "episodes": 2, "task": ""}
    given |= changes
    own = given.pop("settings", {})
    return Plan(
        name="tiny",
        datasets=(dataset,),
        algorithms=algorithms,
        settings={name: settings[name] | own.get(name, {}) for name in algorithms},
        **given,
    )


def grid_plan(**changes: Any) -> Plan:
    given: dict[str, Any] = {"algorithms": ("BC", "PEVI"), "seeds": 3, "episodes": 20}
    return Plan(name="grid", datasets=("gridworld",), **given | changes)


def ignore_progress(state: object) -> None:
    """Ignore progress."""


def table(folder: Path) -> dict[Any, Any]:
    """Return everything that a report needs, without times."""
    return {
        tuple(cell): (
            found.seeds,
            {name: means.tolist() for name, means in found.means.items()},
            {name: curve.tolist() for name, curve in found.curves.items()},
            dict(found.settings),
            found.missing,
        )
        for cell, found in read_findings(folder).results.items()
    }


def rows(folder: Path) -> dict[str, Any]:
    """Return the measurement of every trial, without times."""
    timeless = {"seconds": 0.0, "training_seconds": 0.0, "evaluation_seconds": 0.0}
    with read_store(folder) as store:
        return {
            identity: asdict(replace(each.measurement, **timeless))  # type: ignore[arg-type]
            for identity, each in store.ended().items()
        }


def stamps(folder: Path) -> dict[str, tuple[int, str]]:
    """Return when the rows were written."""
    with read_store(folder) as store:
        found = store.connection.execute("SELECT identity, rowid, ended FROM ended")
        return {identity: (number, ended) for identity, number, ended in found}


def fake_trial(trial: Trial) -> Iterator[Message]:
    """Send the messages of a trial without computing anything."""
    for stage in (*trial.warm_starts, trial.algorithm):
        yield StageProgress(stage, 1, 1, {})
    score = int(trial.identity[:8], 16) / 2**32
    yield Measurement({"score": (score, 2 * score)}, curves={"step": (1.0,)}, seconds=1.0)


class FakeExecutor:
    """Runs trials in this process, one message at a time.

    `turn` chooses which of the busy workers sends the next message.
    """

    takes_all = False

    def __init__(
        self,
        workers: int,
        run_trial: Callable[[Trial], Iterator[Message]] = fake_trial,
        turn: Callable[[int], int] = lambda busy: 0,
    ) -> None:
        self.workers = [*range(workers)]
        self.settings: dict[str, Setting] = {"executor": "fake", "workers": workers}
        self.run_trial, self.turn = run_trial, turn
        self.busy: dict[int, Iterator[Message]] = {}
        self.given: list[tuple[int, Trial]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.busy.clear()

    def submit(self, worker: int, trial: Trial) -> None:
        assert worker in self.workers
        assert worker not in self.busy
        self.given.append((worker, trial))
        self.busy[worker] = self.run_trial(trial)

    def wait(self) -> list[Event]:
        worker = [*self.busy][self.turn(len(self.busy))]
        what = next(self.busy[worker])
        if isinstance(what, Measurement | str):
            del self.busy[worker]
        return [Event(worker, what)]


def count_submissions(executor: FakeExecutor) -> Mapping[str, int]:
    """Count how often each trial was submitted to a worker."""
    count: dict[str, int] = {}
    for _, trial in executor.given:
        count[trial.identity] = count.get(trial.identity, 0) + 1
    return count
