"""Shards: the trials of one cluster job, and the log of what the job measured.

A shard is a folder on a file system that the job and the study share. `shard.json` lists the
trials. Every attempt of the job appends what it measures to a log of its own, one line of JSON per
message, from which the study reads while the job runs. Both files hold plain data only.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from instinct.engine.local_executor import LocalExecutor
from instinct.engine.notices import Notice
from instinct.engine.scheduler import StudyProgress, execute
from instinct.engine.trial_runner import DatasetOpened
from instinct.errors import InstinctError
from instinct.study.measurement import Measurement
from instinct.study.store import measurement_from_json, trial_from_json
from instinct.study.trials import Trial
from instinct.study.upgrade import FORMAT
from instinct.util.jsonio import write_json
from instinct.util.validation import read_document

SHARD, LOG = "shard.json", "attempt-{}.jsonl"


@dataclass(frozen=True)
class ShardContent:
    """The contents of `shard.json`: the study's folder, the trials as JSON, and how to run them."""

    folder: str
    trials: list[str]
    workers: int | None
    checkpoint_seconds: float


@dataclass(frozen=True)
class TrialEnded:
    """A trial of the shard and its measurement."""

    identity: str
    measurement: Measurement


Logged = TrialEnded | DatasetOpened | Notice | InstinctError


def write_shard(
    shard: Path,
    folder: Path,
    trials: Sequence[Trial],
    workers: int | None,
    checkpoint_seconds: float,
) -> None:
    """Write the trials of a job."""
    texts = [json.dumps(asdict(trial)) for trial in trials]
    content = ShardContent(str(folder.resolve()), texts, workers, checkpoint_seconds)
    write_json(shard / SHARD, asdict(content))


def run_shard(place: str, attempt: int) -> None:
    """Run the trials of a shard on all cores of this job; this is the whole job.

    A study that was killed and started again removes its old shards. Their jobs then end.
    """
    shard = Path(place)
    content = read_document(shard / SHARD, ShardContent)
    trials = [trial_from_json(text) for text in content.trials]
    earlier = (ShardReader(shard / LOG.format(n)) for n in range(1, attempt))
    messages = (message for log in earlier for message in log.read())
    ended = {each.identity for each in messages if isinstance(each, TrialEnded)}
    log = ShardLog(shard / LOG.format(attempt))

    def stop_if_removed(_: StudyProgress) -> None:
        if not log.path.exists():
            raise InstinctError(f"{shard}: was removed; the study has started again")

    with LocalExecutor(
        Path(content.folder), content.workers, (), content.checkpoint_seconds
    ) as workers:
        try:
            left = [trial for trial in trials if trial.identity not in ended]
            execute(left, log, workers, stop_if_removed)
        except InstinctError as error:
            log.append({"error": str(error)})
            raise


class ShardLog:
    """The results of one attempt of a job, written line by line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch(mode=0o600)

    def append(self, message: Mapping[str, Any]) -> None:
        """Write one line and wait until it is on the disk."""
        with self.path.open("r+b") as file:
            file.seek(0, os.SEEK_END)
            file.write(json.dumps(message).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def succeeded(self) -> Mapping[str, bool]:
        """Return nothing: a job is given only trials that have not ended."""
        return {}

    def deaths(self) -> dict[str, list[str]]:
        """Return nothing: attempts are counted within a job."""
        return {}

    def add(self, trial: Trial, measurement: Measurement) -> None:
        content = {**asdict(measurement), "format": FORMAT}
        self.append({"ended": trial.identity, "measurement": content})

    def add_dataset(self, name: str, facts: Mapping[str, Any]) -> None:
        self.append({"dataset": name, "facts": dict(facts)})

    def add_death(self, trial: Trial, reason: str) -> None:
        self.append({"warning": f"{trial}: {reason}"})

    def add_warning(self, warning: str) -> None:
        self.append({"warning": warning})


@dataclass
class ShardReader:
    """Reads the whole lines that a log has gained since the last time."""

    path: Path
    position: int = 0
    damaged: bool = field(default=False, init=False)

    def read(self) -> Iterator[Logged]:
        """Yield the new messages; what follows a damaged line is not read."""
        if self.damaged or not self.path.exists() or self.path.is_symlink():
            return
        with self.path.open("rb") as file:
            file.seek(self.position)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self.position += len(line)
                try:
                    yield parse(json.loads(line))
                except (ValueError, KeyError, TypeError, AttributeError, InstinctError):
                    self.damaged = True
                    yield Notice(f"{self.path}: is damaged; its remaining trials run again")
                    return


def parse(message: Any) -> Logged:
    """Return the message of one line."""
    if "ended" in message:
        measurement = measurement_from_json(json.dumps(message["measurement"]))
        return TrialEnded(str(message["ended"]), measurement)
    if "dataset" in message:
        return DatasetOpened(str(message["dataset"]), dict(message["facts"]))
    if "error" in message:
        return InstinctError(str(message["error"]))
    return Notice(str(message["warning"]))
