"""Run trials as jobs of a SLURM cluster, by submitit.

The trials are divided into shards, one per job. A job runs its shard on all cores that it was
given, with the same workers as on one machine, in the study's folder, which the nodes must share.
What it measures goes to the log of its shard, and from there into the one store of the study.

submitit pickles the function of a job and its arguments: the name of our own function, a path and a
number. It does so in a new folder that only the user can read, and this process unpickles nothing.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from instinct.engine.local_executor import Event
from instinct.engine.run_plan import MakeExecutor
from instinct.engine.scheduler import ATTEMPTS
from instinct.engine.shards import LOG, ShardReader, TrialEnded, run_shard, write_shard
from instinct.engine.trial_runner import CHECKPOINT_SECONDS
from instinct.errors import BadInput, InstinctError, missing_extra
from instinct.study.measurement import Measurement
from instinct.study.starts import Setting
from instinct.study.trials import Trial
from instinct.util.atomic import refuse_link
from instinct.util.text import one_line

try:
    import submitit
except ImportError:
    raise missing_extra("submitit", "slurm") from None

FOLDER = "slurm"
"""Where a study keeps its shards and the files of its jobs."""
POLL_SECONDS = 1.0
"""How often logs and jobs are looked at."""
MINUTES = 24 * 60
"""The time limit of a job unless the user says otherwise; what is left then runs in a new job."""
COMMON = ("name", "timeout_min", "mem_gb", "cpus_per_task", "gpus_per_node")
"""Parameters that submitit has for every kind of cluster; the others are SLURM's own."""


@dataclass
class Shard:
    """The trials of a job, by identity, and its present attempt."""

    folder: Path
    trials: dict[str, int]
    """The numbers of the trials that have not ended."""
    attempt: int
    idle: int
    """How many attempts in a row have ended without ending a trial."""
    job: Any
    log: ShardReader


class SlurmExecutor:
    """Runs trials in jobs of a cluster; a job that was killed is submitted again.

    `parameters` are those of submitit's executor: timeout_min, cpus_per_task, mem_gb, or without
    the prefix `slurm_` partition, account, qos and so on. The cluster is "slurm", or "local" for
    jobs on this machine.
    """

    takes_all = True

    def __init__(
        self,
        folder: Path,
        jobs: int,
        parameters: Mapping[str, str | int] | None = None,
        workers: int | None = None,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ) -> None:
        self.folder, self.jobs, self.workers_of_job = folder, jobs, workers
        self.parameters = dict(parameters or {})
        self.checkpoint_seconds = checkpoint_seconds
        self.workers: Sequence[int] = ()
        self.waiting: dict[int, Trial] = {}
        self.shards: list[Shard] = []
        self.known: dict[str, Measurement] = {}
        self.place = folder / FOLDER

    def __enter__(self) -> Self:
        refuse_link(self.folder / FOLDER)
        self.known = {
            message.identity: message.measurement
            for log in sorted((self.folder / FOLDER).glob("*/shard-*/*.jsonl"))
            for message in ShardReader(log).read()
            if isinstance(message, TrialEnded)
        }
        shutil.rmtree(self.folder / FOLDER, ignore_errors=True)
        (self.folder / FOLDER).mkdir(mode=0o700, parents=True)
        self.place = Path(tempfile.mkdtemp(dir=self.folder / FOLDER, prefix="start-")).resolve()
        self.cluster = open_cluster(self.place / "jobs", self.parameters)
        return self

    def __exit__(self, *raised: object) -> None:
        for shard in self.shards:
            shard.job.cancel(check=False)
        if not any(raised):
            shutil.rmtree(self.folder / FOLDER, ignore_errors=True)

    @property
    def settings(self) -> Mapping[str, Setting]:
        return {
            "executor": "slurm",
            "jobs": self.jobs,
            "workers": self.workers_of_job,
            "checkpoint_seconds": self.checkpoint_seconds,
            **{f"slurm_{name}": value for name, value in self.parameters.items()},
        }

    def submit(self, worker: int, trial: Trial) -> None:
        """Remember the trial; the next `wait` puts it into a shard."""
        self.waiting[worker] = trial

    def wait(self) -> list[Event]:
        events = [
            Event(number, self.known.pop(trial.identity))
            for number, trial in [*self.waiting.items()]
            if trial.identity in self.known
        ]
        for event in events:
            del self.waiting[event.worker]
        self.submit_jobs()
        while not events:
            events = [event for shard in [*self.shards] for event in self.look_at(shard)]
            if not events:
                time.sleep(POLL_SECONDS)
        return events

    def submit_jobs(self) -> None:
        """Divide the waiting trials over the jobs that are free; neighbors share warm starts."""
        order = sorted(self.waiting, key=lambda n: neighborhood(self.waiting[n]))
        free = max(1, self.jobs - len(self.shards))
        for part in parts(order, free):
            trials = {self.waiting[number].identity: number for number in part}
            folder = Path(tempfile.mkdtemp(dir=self.place, prefix="shard-"))
            members = [self.waiting.pop(number) for number in part]
            write_shard(folder, self.folder, members, self.workers_of_job, self.checkpoint_seconds)
            self.shards.append(self.start(Shard(folder, trials, 0, 0, None, ShardReader(folder))))

    def start(self, shard: Shard) -> Shard:
        """Submit the job of a shard."""
        shard.attempt += 1
        shard.log = ShardReader(shard.folder / LOG.format(shard.attempt))
        try:
            shard.job = self.cluster.submit(run_shard, str(shard.folder), shard.attempt)
        except submitit.core.utils.FailedJobError as error:
            raise BadInput(f"SLURM refused the job ({one_line(str(error))})") from error
        return shard

    def look_at(self, shard: Shard) -> Iterator[Event]:
        """Yield what a shard's job has measured; submit it again if it ended before its trials."""
        done = shard.job.done()
        for message in shard.log.read():
            if not isinstance(message, TrialEnded):
                yield Event(-1, message)
            elif message.identity in shard.trials:
                shard.idle = -1
                yield Event(shard.trials.pop(message.identity), message.measurement)
        if not shard.trials:
            self.shards.remove(shard)
        elif done:
            shard.idle += 1
            if shard.idle >= ATTEMPTS:
                raise InstinctError(
                    f"a job ended {ATTEMPTS} times without ending a run "
                    f"({last_line(shard.job.paths.stderr)}); its output is in {shard.folder.parent}"
                )
            self.start(shard)


def open_cluster(folder: Path, parameters: Mapping[str, str | int]) -> Any:
    """Return submitit's executor for the cluster that `parameters` name."""
    given = {"timeout_min": MINUTES, **parameters}
    cluster = given.pop("cluster", "slurm")
    named = {name if name in COMMON else f"slurm_{name}": given[name] for name in given}
    try:
        executor = submitit.AutoExecutor(folder, cluster=str(cluster))
        executor.update_parameters(**named)
    except (AssertionError, NameError, RuntimeError, TypeError, ValueError) as error:
        raise BadInput(f"no jobs can be submitted ({one_line(str(error))})") from error
    return executor


def neighborhood(trial: Trial) -> tuple[Any, ...]:
    """Return a key by which trials that share data and warm starts are neighbors."""
    return trial.dataset, trial.filters, trial.seed, [*trial.warm_starts.values()]


def parts(numbers: Sequence[int], most: int) -> list[Sequence[int]]:
    """Cut a list into at most so many parts of nearly equal length.

    >>> parts([1, 2, 3, 4, 5], 2), parts([1], 3)
    ([[1, 2, 3], [4, 5]], [[1]])
    """
    count = max(1, min(most, len(numbers)))
    ends = [-(-i * len(numbers) // count) for i in range(count + 1)]
    return [numbers[a:b] for a, b in pairwise(ends) if a < b]


def last_line(path: Path) -> str:
    """Return the last line of a job's errors."""
    lines = path.read_text(errors="replace").split("\n") if path.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "no output")


def slurm(
    jobs: int,
    parameters: Mapping[str, str | int] | None = None,
    workers: int | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> MakeExecutor:
    """Run trials in so many jobs of a SLURM cluster, each with one worker per core."""

    def make(folder: Path, extensions: Sequence[Any]) -> SlurmExecutor:
        if extensions:
            raise BadInput("own code runs on this machine or on Ray, not in SLURM jobs")
        return SlurmExecutor(folder, jobs, parameters, workers, checkpoint_seconds)

    return make
