"""Workers on a Ray cluster: one actor for every CPU, on nodes that need not share a file system.

An actor performs its trials in a folder on its node, where checkpoints stay. Finished warm starts
and the files of a run that has ended come back to the study's folder, and an actor is given the
warm starts that it lacks.
"""

import logging
import os
import platform
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self

from instinct.deep import Progress, keep_programs
from instinct.engine.local_executor import FAREWELL, Event
from instinct.engine.run_plan import MakeExecutor
from instinct.engine.trial_runner import RUNS, WARM_STARTS, Desk, Opened, finished, warm_files
from instinct.engine.worker_main import attempt
from instinct.errors import BadInput, InstinctError
from instinct.study.measured import Measured
from instinct.study.trials import Trial
from instinct.util.atomic import write_atomically
from instinct.util.cores import use_one_thread
from instinct.util.folders import cache_folder
from instinct.util.hashing import hash_json
from instinct.util.versions import versions

try:
    import ray as raylib
except ImportError:
    raise BadInput("Ray is not installed; run: pip install 'instinct[ray]'") from None


@dataclass(frozen=True)
class Ready:
    """The actor has begun to work on a node that has these versions."""

    node: str
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Lacking:
    """Warm starts that the trial can use and that may be in the study's folder."""

    files: tuple[str, ...]


@dataclass(frozen=True)
class Files:
    """Files by their place in the folder of the study, or in the actor's own."""

    contents: Mapping[str, bytes]


Message = Ready | Lacking | Files | Progress | Opened | Measured | str | InstinctError


class RayWorker:
    """The actor; what it has to say is kept until it is asked for."""

    def __init__(self, study: str) -> None:
        use_one_thread()
        keep_programs()
        self.folder = cache_folder() / "ray" / study
        self.desk = Desk(self.folder)
        self.run = ""
        self.warm_starts: dict[str, str] = {}
        self.shared: set[str] = set()
        self.said: SimpleQueue[Message] = SimpleQueue()
        self.said.put(Ready(platform.node(), versions()))

    def listen(self) -> list[Message]:
        """All that it has said since it was last asked, at least one thing."""
        messages = [self.said.get()]
        while not self.said.empty():
            messages.append(self.said.get())
        return messages

    def begin(self, trial: Trial) -> None:
        """Open the data, and say which warm starts of the trial are not shared yet."""
        if self.run:
            shutil.rmtree(self.folder / self.run, ignore_errors=True)
        self.run = f"{RUNS}/{trial.identity}"
        self.said.put(attempt(lambda: self.lacking(trial)))

    def lacking(self, trial: Trial) -> Lacking:
        files = warm_files(self.desk.run(trial, self.said.put)) if trial.warm_starts else {}
        self.warm_starts = {stage: f"{WARM_STARTS}/{name}" for stage, name in files.items()}
        return Lacking(tuple({*self.warm_starts.values()} - self.shared))

    def perform(self, trial: Trial, warm_starts: Files) -> None:
        self.said.put(attempt(lambda: self.measure(trial, warm_starts)))

    def measure(self, trial: Trial, warm_starts: Files) -> Measured:
        """What the trial measured, after the files of its run have been said."""
        write_files(self.folder, warm_starts)
        self.shared |= {*warm_starts.contents}
        measured = self.desk.perform(trial, self.report)
        files = [file.name for file in (self.folder / self.run).glob("[!.]*")]
        self.said.put(read_files(self.folder, {f"{self.run}/{name}" for name in files}))
        return measured

    def report(self, what: Progress | Opened) -> None:
        """Tell how far it is; warm starts come first that have been finished by then."""
        if isinstance(what, Progress):
            new = {*finished(self.warm_starts, what.stage)} - self.shared
            if new:
                self.said.put(read_files(self.folder, new))
                self.shared |= new
        self.said.put(what)

    def clean(self) -> None:
        """Leave nothing on the node."""
        shutil.rmtree(self.folder, ignore_errors=True)


def read_files(folder: Path, names: Collection[str]) -> Files:
    """Those of the files that there are."""
    return Files({name: (folder / name).read_bytes() for name in names if (folder / name).exists()})


def write_files(folder: Path, files: Files) -> None:
    for name, content in files.contents.items():
        write_atomically(folder / name, content)


class RayWorkers:
    """Actors on the cluster at the address, or on the one that Ray finds or else starts here.

    A node that is lost takes its workers along; others come when the cluster has room for them.
    """

    def __init__(self, folder: Path, address: str | None = None) -> None:
        self.folder, self.address = folder, address
        self.study = hash_json([platform.node(), str(folder.resolve())])[:16]
        self.workers: set[int] = set()
        self.actors: dict[int, Any] = {}
        self.listening: dict[int, Any] = {}
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
            raylib.wait(cleaning, num_returns=len(cleaning), timeout=FAREWELL)
        for actor in self.actors.values():
            raylib.kill(actor)
        if self.connected:
            raylib.shutdown()

    def start(self, worker: int) -> None:
        """It is one of the workers as soon as it has said that it is ready."""
        actor = raylib.remote(RayWorker).options(num_cpus=1, max_concurrency=2)
        self.actors[worker] = actor.remote(self.study)
        self.listening[worker] = self.actors[worker].listen.remote()

    def give(self, worker: int, trial: Trial) -> None:
        self.trials[worker] = trial
        self.actors[worker].begin.remote(trial)

    def wait(self) -> list[Event]:
        ready, _ = raylib.wait([*self.listening.values()])
        heard = [worker for worker, ref in self.listening.items() if ref in ready]
        return [event for worker in heard for event in self.hear(worker)]

    def hear(self, worker: int) -> list[Event]:
        try:
            messages = raylib.get(self.listening[worker])
        except raylib.exceptions.RayError as error:
            return [Event(worker, self.replace(worker, error))]
        self.listening[worker] = self.actors[worker].listen.remote()
        return [event for message in messages for event in self.understand(worker, message)]

    def understand(self, worker: int, message: Message) -> list[Event]:
        """What of a message is the study's business; the rest is done here."""
        match message:
            case Ready():
                check_versions(message)
                self.workers.add(worker)
            case Lacking():
                found = read_files(self.folder, message.files)
                self.actors[worker].perform.remote(self.trials[worker], found)
            case Files():
                write_files(self.folder, message)
            case _:
                return [Event(worker, message)]
        return []

    def replace(self, worker: int, error: Exception) -> str:
        """Start another in the place of a worker that was lost; the reason."""
        reason = str(error).strip().partition("\n")[0]
        if getattr(error, "actor_init_failed", False):
            raise InstinctError(f"a worker cannot be started on the Ray cluster: {reason}")
        self.workers.discard(worker)
        raylib.kill(self.actors[worker])
        self.start(worker)
        return f"the worker or its node was lost: {reason}"


def connect(address: str | None) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        raylib.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise BadInput(f"cannot connect to a Ray cluster ({reason})", file=address) from error


def check_versions(ready: Ready) -> None:
    """Numbers may be put side by side only if the same programs have made them."""
    for name, mine in versions().items():
        if ready.versions.get(name) != mine:
            raise InstinctError(
                f"{ready.node} has {name} {ready.versions.get(name)}, this machine {mine}; install "
                "the same on all nodes"
            )


def ray(address: str | None = None) -> MakeExecutor:
    """Workers on a Ray cluster, one for every CPU."""
    return lambda folder: RayWorkers(folder, address)
