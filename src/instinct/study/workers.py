"""Local workers: one single-threaded process per core, each performing one trial at a time."""

import multiprocessing
import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Protocol, Self

from instinct.deep import Progress, keep_programs
from instinct.deep.devices import cores, stay_on_core
from instinct.errors import InstinctError
from instinct.study.measured import Measured
from instinct.study.trials import Trial


@dataclass(frozen=True)
class Event:
    """What a worker says: how far it is, what it measured, or (in words) why it died."""

    worker: int
    what: Progress | Measured | str


class Executor(Protocol):
    """Workers that perform trials, wherever they are."""

    workers: int

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def give(self, worker: int, trial: Trial) -> None:
        """Have an idle worker perform a trial."""

    def wait(self) -> list[Event]:
        """What the workers said, once one of them said something.

        A worker that died is replaced by another with its number.
        """


class LocalWorkers:
    """Processes on this machine, each kept on a core of its own."""

    def __init__(self, runs: Path, warm_starts: Path, workers: int | None = None) -> None:
        self.places = runs, warm_starts
        self.workers = workers or len(cores())
        self.context = multiprocessing.get_context("spawn")
        self.processes: list[SpawnProcess] = []
        self.connections: list[Connection[Any, Any]] = []

    def __enter__(self) -> Self:
        for worker in range(self.workers):
            process, connection = self.start(worker)
            self.processes.append(process)
            self.connections.append(connection)
        return self

    def __exit__(self, *_: object) -> None:
        for process, connection in zip(self.processes, self.connections, strict=True):
            process.kill()
            process.join()
            connection.close()

    def start(self, worker: int) -> "tuple[SpawnProcess, Connection[Any, Any]]":
        ours, theirs = self.context.Pipe()
        core = cores()[worker % len(cores())]
        process = self.context.Process(target=work, args=(theirs, core, *self.places), daemon=True)
        process.start()
        theirs.close()
        return process, ours

    def give(self, worker: int, trial: Trial) -> None:
        self.connections[worker].send(trial)

    def wait(self) -> list[Event]:
        ready = wait(self.connections)
        return [
            self.hear(worker)
            for worker, connection in enumerate(self.connections)
            if connection in ready
        ]

    def hear(self, worker: int) -> Event:
        try:
            return Event(worker, self.connections[worker].recv())
        except (EOFError, OSError):
            process = self.processes[worker]
            process.join()
            self.connections[worker].close()
            self.processes[worker], self.connections[worker] = self.start(worker)
            return Event(worker, why(process.exitcode or 0))


def why(exit_code: int) -> str:
    """Why a process is no more."""
    if exit_code == -signal.SIGKILL:
        return "the worker was killed, perhaps for want of memory"
    if exit_code < 0:
        return f"the worker was ended by {signal.Signals(-exit_code).name}"
    return f"the worker ended with exit code {exit_code}"


def work(connection: "Connection[Any, Any]", core: int, runs: Path, warm_starts: Path) -> None:
    """The life of a worker; it ends with the process that gives it work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stay_on_core(core)
    keep_programs()
    from instinct.study.performing import Desk

    desk = Desk(runs, warm_starts)
    try:
        while True:
            connection.send(attempt(desk, connection.recv(), connection.send))
    except (EOFError, BrokenPipeError):
        return


def attempt(desk: Any, trial: Trial, report: Callable[[Progress], None]) -> Measured | str:
    """What the trial measured, or in words what went wrong."""
    try:
        measured: Measured = desk.perform(trial, report)
    except BrokenPipeError:
        raise
    except InstinctError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - a trial may fail in any way, the others go on
        return f"{type(error).__name__}: {error}"
    return measured
