"""Run trials in worker processes on this machine: one single-threaded process per core."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Protocol, Self

from instinct.deep import StageProgress
from instinct.engine.notices import Notice
from instinct.engine.trial_runner import CHECKPOINT_SECONDS, DatasetOpened
from instinct.errors import InstinctError
from instinct.study.measurement import Measurement
from instinct.study.starts import Setting
from instinct.study.trials import Trial
from instinct.util.cores import cores

EXIT_TIMEOUT = 10.0
"""Seconds to wait for a process that should end by itself."""


@dataclass(frozen=True)
class Event:
    """A message from a worker.

    The message is progress, an opened dataset, a warning, or the measurement that ends a trial. A
    string is the reason why the worker died or the trial raised an exception. An `InstinctError`
    stops the whole study.
    """

    worker: int
    message: StageProgress | DatasetOpened | Notice | Measurement | str | InstinctError


class Executor(Protocol):
    """A set of workers that run trials."""

    @property
    def takes_all(self) -> bool:
        """Whether it wants all trials at once and decides itself which of them run when.

        Then every trial has a number of its own in place of a worker's.
        """

    @property
    def workers(self) -> Collection[int]:
        """The numbers of the workers available now, busy or idle."""

    @property
    def settings(self) -> Mapping[str, Setting]:
        """The settings to record at a start; results do not depend on them."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def submit(self, worker: int, trial: Trial) -> None:
        """Start a trial on an idle worker."""

    def wait(self) -> list[Event]:
        """Wait for events and return them.

        Return as well when a new worker is available. A worker that died is replaced by a new one
        with the same number if there is room for it.
        """


class LocalExecutor:
    """Runs trials in processes on this machine, each pinned to one core.

    A process starts when its first trial is submitted. It first receives the user's own objects,
    `extensions`, so that trials can name them.
    """

    takes_all = False

    def __init__(
        self,
        folder: Path,
        workers: int | None = None,
        extensions: Sequence[Any] = (),
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> None:
        self.folder, self.extensions = folder, extensions
        self.workers = range(workers or len(cores()))
        self.checkpoint_seconds = checkpoint_seconds
        self.alive: dict[int, LocalWorker] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.alive.values():
            worker.end()

    @property
    def settings(self) -> Mapping[str, Setting]:
        return {
            "executor": "local",
            "workers": len(self.workers),
            "checkpoint_seconds": self.checkpoint_seconds,
        }

    def submit(self, worker: int, trial: Trial) -> None:
        if worker in self.alive and self.alive[worker].process.poll() is not None:
            self.alive.pop(worker).end()
        if worker not in self.alive:
            core = cores()[worker % len(cores())]
            self.alive[worker] = LocalWorker(
                self.folder, core, self.extensions, self.checkpoint_seconds
            )
        self.alive[worker].submit(trial)

    def wait(self) -> list[Event]:
        ready = wait([worker.connection for worker in self.alive.values()])
        return [
            self.receive(number)
            for number, worker in [*self.alive.items()]
            if worker.connection in ready
        ]

    def receive(self, worker: int) -> Event:
        """Receive one message; a closed connection becomes an event with the reason."""
        try:
            return Event(worker, self.alive[worker].connection.recv())
        except (EOFError, OSError):
            dead = self.alive.pop(worker)
            with contextlib.suppress(subprocess.TimeoutExpired):
                dead.process.wait(EXIT_TIMEOUT)
            return Event(worker, describe_exit_code(dead.end()))


class LocalWorker:
    """A worker process and the connection to it; the process ends when the connection closes."""

    def __init__(
        self,
        folder: Path,
        core: int,
        extensions: Sequence[Any] = (),
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> None:
        ours, theirs = socket.socketpair()
        self.process = subprocess.Popen(  # noqa: S603 - this interpreter and our own module
            [
                sys.executable,
                "-Pm",
                "instinct.engine.worker_main",
                str(theirs.fileno()),
                str(core),
                folder,
                str(checkpoint_seconds),
            ],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self.connection: Connection[Any, Any] = Connection(ours.detach())
        with contextlib.suppress(BrokenPipeError):
            self.connection.send([os.path.abspath(place) for place in sys.path])  # noqa: PTH100 - "" is here
            self.connection.send([*extensions])

    def submit(self, trial: Trial) -> None:
        """Send a trial; if the worker has died, the next `wait` reports it."""
        with contextlib.suppress(BrokenPipeError):
            self.connection.send(trial)

    def end(self) -> int:
        """Kill the process if it still runs and return its exit code."""
        self.process.kill()
        self.connection.close()
        return self.process.wait()


def describe_exit_code(exit_code: int) -> str:
    if exit_code == -signal.SIGKILL:
        return "the worker was killed, perhaps because memory ran out"
    if exit_code < 0:
        return f"the worker was ended by {signal.Signals(-exit_code).name}"
    return f"the worker ended with exit code {exit_code}"
