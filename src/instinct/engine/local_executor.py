"""Local workers: one single-threaded process per core, each performing one trial at a time."""

import contextlib
import signal
import socket
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Protocol, Self

from instinct.deep import Progress
from instinct.engine.trial_runner import Opened
from instinct.errors import InstinctError
from instinct.study.measured import Measured
from instinct.study.trials import Trial
from instinct.util.cores import cores

FAREWELL = 10.0
"""Seconds for a process that says nothing more to end by itself."""


@dataclass(frozen=True)
class Event:
    """What a worker says: how far it is, what it opened, what it measured.

    Words say why it died or what went wrong in it, and an error what stops the whole study.
    """

    worker: int
    what: Progress | Opened | Measured | str | InstinctError


class Executor(Protocol):
    """Workers that perform trials, wherever they are."""

    @property
    def workers(self) -> Collection[int]:
        """The numbers of those that there are at the moment, busy or not."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def give(self, worker: int, trial: Trial) -> None:
        """Have an idle worker perform a trial."""

    def wait(self) -> list[Event]:
        """What the workers said, once one of them said something or another has come.

        A worker that died is replaced by another with its number, if there is room for it.
        """


class LocalWorkers:
    """Processes on this machine, each kept on a core of its own, started when first needed."""

    def __init__(self, folder: Path, workers: int | None = None) -> None:
        self.folder = folder
        self.workers = range(workers or len(cores()))
        self.alive: dict[int, LocalWorker] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.alive.values():
            worker.end()

    def give(self, worker: int, trial: Trial) -> None:
        if worker in self.alive and self.alive[worker].process.poll() is not None:
            self.alive.pop(worker).end()
        if worker not in self.alive:
            self.alive[worker] = LocalWorker(self.folder, cores()[worker % len(cores())])
        self.alive[worker].give(trial)

    def wait(self) -> list[Event]:
        ready = wait([worker.connection for worker in self.alive.values()])
        return [
            self.hear(number)
            for number, worker in [*self.alive.items()]
            if worker.connection in ready
        ]

    def hear(self, worker: int) -> Event:
        try:
            return Event(worker, self.alive[worker].connection.recv())
        except (EOFError, OSError):
            dead = self.alive.pop(worker)
            with contextlib.suppress(subprocess.TimeoutExpired):
                dead.process.wait(FAREWELL)
            return Event(worker, why(dead.end()))


class LocalWorker:
    """One process, and the connection to it; it ends when the connection is closed."""

    def __init__(self, folder: Path, core: int) -> None:
        ours, theirs = socket.socketpair()
        self.process = subprocess.Popen(  # noqa: S603 - this interpreter and our own module
            [
                sys.executable,
                "-Pm",
                "instinct.engine.worker_main",
                str(theirs.fileno()),
                str(core),
                folder,
            ],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self.connection: Connection[Any, Any] = Connection(ours.detach())

    def give(self, trial: Trial) -> None:
        """A worker that dies before it takes the trial is heard of like any other."""
        with contextlib.suppress(BrokenPipeError):
            self.connection.send(trial)

    def end(self) -> int:
        """End the process if it has not ended; its exit code."""
        self.process.kill()
        self.connection.close()
        return self.process.wait()


def why(exit_code: int) -> str:
    """Why a process is no more."""
    if exit_code == -signal.SIGKILL:
        return "the worker was killed, perhaps for want of memory"
    if exit_code < 0:
        return f"the worker was ended by {signal.Signals(-exit_code).name}"
    return f"the worker ended with exit code {exit_code}"
