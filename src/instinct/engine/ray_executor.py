"""Run trials on a Ray cluster: one actor per CPU, on nodes that need not share a file system.

An actor runs its trials in a folder on its node and keeps checkpoints there. It sends finished
warm starts and the files of ended runs to the study's folder, and receives the warm starts that
its node does not have.
"""

import logging
import os
import platform
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self

from instinct.deep import StageProgress, cache_programs
from instinct.engine.local_executor import EXIT_TIMEOUT, Event
from instinct.engine.notices import Notice, forward_warnings
from instinct.engine.run_plan import MakeExecutor
from instinct.engine.trial_runner import (
    CHECKPOINT_SECONDS,
    RUNS,
    WARM_STARTS,
    DatasetOpened,
    TrialRunner,
    warm_start_files,
    warm_starts_before,
)
from instinct.engine.worker_main import attempt
from instinct.errors import BadInput, InstinctError, missing_extra
from instinct.study.extensions import register
from instinct.study.measurement import Measurement
from instinct.study.starts import Setting
from instinct.study.trials import Trial
from instinct.util.atomic import write_atomically
from instinct.util.cores import use_one_thread
from instinct.util.folders import cache_folder
from instinct.util.hashing import hash_json
from instinct.util.versions import versions

try:
    import ray as raylib
except ImportError:
    raise missing_extra("Ray", "ray") from None


@dataclass(frozen=True)
class WorkerReady:
    """The actor is ready on a node with these versions."""

    node: str
    versions: Mapping[str, str]


@dataclass(frozen=True)
class WarmStartsNeeded:
    """Warm starts of a trial that the node does not have; the study's folder may have them."""

    files: tuple[str, ...]


@dataclass(frozen=True)
class Files:
    """Contents of files, by path relative to the study's folder or the actor's folder."""

    contents: Mapping[str, bytes]


Message = (
    WorkerReady
    | WarmStartsNeeded
    | Files
    | StageProgress
    | DatasetOpened
    | Notice
    | Measurement
    | str
    | InstinctError
)


class RayWorker:
    """The actor; its messages wait in `outbox` until the executor asks for them."""

    def __init__(
        self,
        study: str,
        extensions: Sequence[Any] = (),
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> None:
        register(*extensions)
        use_one_thread()
        cache_programs()
        self.folder = cache_folder() / "ray" / study
        self.runner = TrialRunner(self.folder, checkpoint_seconds)
        self.run_folder = ""
        self.warm_starts: dict[str, str] = {}
        self.shared: set[str] = set()
        self.outbox: SimpleQueue[Message] = SimpleQueue()
        self.outbox.put(WorkerReady(platform.node(), versions()))

    def messages(self) -> list[Message]:
        """Wait for at least one message and return all that are there."""
        messages = [self.outbox.get()]
        while not self.outbox.empty():
            messages.append(self.outbox.get())
        return messages

    def begin(self, trial: Trial) -> None:
        """Open the dataset and ask for the warm starts that the node does not have."""
        if self.run_folder:
            shutil.rmtree(self.folder / self.run_folder, ignore_errors=True)
        self.run_folder = f"{RUNS}/{trial.identity}"
        self.outbox.put(attempt(lambda: self.needed_warm_starts(trial)))

    def needed_warm_starts(self, trial: Trial) -> WarmStartsNeeded:
        files: dict[str, str] = {}
        if trial.warm_starts:
            files = warm_start_files(self.runner.deep_run(trial, self.outbox.put))
        self.warm_starts = {stage: f"{WARM_STARTS}/{name}" for stage, name in files.items()}
        return WarmStartsNeeded(tuple({*self.warm_starts.values()} - self.shared))

    def run(self, trial: Trial, warm_starts: Files) -> None:
        self.outbox.put(attempt(lambda: self.measure(trial, warm_starts)))

    def measure(self, trial: Trial, warm_starts: Files) -> Measurement:
        """Run the trial, send the files of its run, and return its measurement."""
        write_files(self.folder, warm_starts)
        self.shared |= {*warm_starts.contents}
        with forward_warnings(self.outbox.put):
            measurement = self.runner.run(trial, self.on_event)
        files = [file.name for file in (self.folder / self.run_folder).glob("[!.]*")]
        self.outbox.put(read_files(self.folder, {f"{self.run_folder}/{name}" for name in files}))
        return measurement

    def on_event(self, event: StageProgress | DatasetOpened) -> None:
        """Send an event, preceded by the warm starts that have been finished by then."""
        if isinstance(event, StageProgress):
            new = {*warm_starts_before(event.stage, self.warm_starts)} - self.shared
            if new:
                self.outbox.put(read_files(self.folder, new))
                self.shared |= new
        self.outbox.put(event)

    def clean(self) -> None:
        """Remove the actor's folder from the node."""
        shutil.rmtree(self.folder, ignore_errors=True)


def read_files(folder: Path, names: Collection[str]) -> Files:
    """Read the files that exist."""
    return Files({name: (folder / name).read_bytes() for name in names if (folder / name).exists()})


def write_files(folder: Path, files: Files) -> None:
    for name, content in files.contents.items():
        write_atomically(folder / name, content)


class RayExecutor:
    """Runs trials in actors on a Ray cluster.

    Without an address, Ray finds a running cluster or starts one on this machine. When a node is
    lost, its workers are lost; new ones start when the cluster has room for them.
    """

    takes_all = False

    def __init__(
        self,
        folder: Path,
        address: str | None = None,
        extensions: Sequence[Any] = (),
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> None:
        self.extensions, self.checkpoint_seconds = extensions, checkpoint_seconds
        self.folder, self.address = folder, address
        self.study = hash_json([platform.node(), str(folder.resolve())])[:16]
        self.workers: set[int] = set()
        self.actors: dict[int, Any] = {}
        self.inboxes: dict[int, Any] = {}
        self.trials: dict[int, Trial] = {}
        self.connected = False

    def __enter__(self) -> Self:
        if not raylib.is_initialized():
            connect(self.address)
            self.connected = True
        cpus = int(raylib.cluster_resources().get("CPU", 0))  # type: ignore[no-untyped-call]
        if not cpus:
            raise BadInput("the Ray cluster has no CPU")
        for worker in range(cpus):
            self.start(worker)
        return self

    def __exit__(self, *raised: object) -> None:
        if self.workers and not any(raised):
            cleaning = [self.actors[worker].clean.remote() for worker in self.workers]
            raylib.wait(cleaning, num_returns=len(cleaning), timeout=EXIT_TIMEOUT)
        for actor in self.actors.values():
            raylib.kill(actor)
        if self.connected:
            raylib.shutdown()

    @property
    def settings(self) -> Mapping[str, Setting]:
        return {
            "executor": "ray",
            "workers": len(self.actors),
            "ray_address": self.address,
            "checkpoint_seconds": self.checkpoint_seconds,
        }

    def start(self, worker: int) -> None:
        """Start an actor; it joins `workers` when it reports that it is ready."""
        actor = raylib.remote(RayWorker).options(num_cpus=1, max_concurrency=2)
        self.actors[worker] = actor.remote(self.study, self.extensions, self.checkpoint_seconds)
        self.inboxes[worker] = self.actors[worker].messages.remote()

    def submit(self, worker: int, trial: Trial) -> None:
        self.trials[worker] = trial
        self.actors[worker].begin.remote(trial)

    def wait(self) -> list[Event]:
        ready, _ = raylib.wait([*self.inboxes.values()])
        workers = [worker for worker, ref in self.inboxes.items() if ref in ready]
        return [event for worker in workers for event in self.receive(worker)]

    def receive(self, worker: int) -> list[Event]:
        try:
            messages = raylib.get(self.inboxes[worker])
        except raylib.exceptions.RayError as error:
            return [Event(worker, self.replace(worker, error))]
        self.inboxes[worker] = self.actors[worker].messages.remote()
        return [event for message in messages for event in self.handle(worker, message)]

    def handle(self, worker: int, message: Message) -> list[Event]:
        """Handle messages between actor and executor here; return the others as events."""
        match message:
            case WorkerReady():
                check_versions(message)
                self.workers.add(worker)
            case WarmStartsNeeded():
                found = read_files(self.folder, message.files)
                self.actors[worker].run.remote(self.trials[worker], found)
            case Files():
                write_files(self.folder, message)
            case _:
                return [Event(worker, message)]
        return []

    def replace(self, worker: int, error: Exception) -> str:
        """Start a new actor for a lost worker and return the reason of the loss."""
        reason = str(error).strip().partition("\n")[0]
        if getattr(error, "actor_init_failed", False):
            raise InstinctError(f"a worker cannot be started on the Ray cluster: {reason}")
        self.workers.discard(worker)
        raylib.kill(self.actors[worker])
        self.start(worker)
        return f"the worker or its node was lost: {reason}"


def connect(address: str | None) -> None:
    """Connect to a cluster, or start one on this machine that only holders of its token may use.

    Ray listens on all network interfaces and runs what it is sent.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address is None and not os.environ.get("RAY_ADDRESS"):
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    try:
        raylib.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise BadInput(f"cannot connect to a Ray cluster ({reason})", file=address) from error


def check_versions(ready: WorkerReady) -> None:
    """Refuse a node with other versions: numbers are comparable only from the same programs."""
    for name, mine in versions().items():
        if ready.versions.get(name) != mine:
            raise InstinctError(
                f"{ready.node} has {name} {ready.versions.get(name)}, this machine {mine}; install "
                "the same on all nodes"
            )


def ray(address: str | None = None, checkpoint_seconds: float = CHECKPOINT_SECONDS) -> MakeExecutor:
    """Run trials on a Ray cluster with one worker per CPU."""
    return lambda folder, extensions: RayExecutor(folder, address, extensions, checkpoint_seconds)
