"""Runs, their identities and their folders.

A run folder holds `config.json`, `metrics.csv`, `weights.safetensors`, `snapshots.safetensors` with
the policies along the way, and `result.json`, which has the diagnostics, and
`checkpoint.safetensors` until the run is finished. Nothing in it is ever executed.
"""

import csv
import io
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path

import jax
import numpy as np

from instinct.data import ActionSpace, Array, Dataset
from instinct.deep.algorithms.algorithm import Algorithm, Data, Weights
from instinct.deep.algorithms.registry import check_actions, find_algorithm
from instinct.deep.algorithms.settings import check, configure, identity_settings, settings_of
from instinct.deep.training.checkpoint import load_arrays, nest, nest_snapshots, save_tree
from instinct.deep.training.run_files import (
    CONFIG,
    RESULT,
    RunConfig,
    RunResult,
    describe_space,
    read_config,
    read_result,
)
from instinct.errors import BadInput, Damaged
from instinct.util.atomic import write_atomically
from instinct.util.hashing import hash_arrays, hash_bytes, hash_json
from instinct.util.jsonio import write_json
from instinct.util.reading import read_bytes, read_text

log = logging.getLogger(__name__)

METRICS = "metrics.csv"
CHECKPOINT = "checkpoint.safetensors"
WEIGHTS = "weights.safetensors"
SNAPSHOTS = "snapshots.safetensors"


@dataclass(frozen=True)
class Run:
    """One training: a dataset that is already labeled and filtered, an algorithm, a seed.

    `label` is the name of the label of the rewards, and `source` the name or file of the dataset.
    Training reads neither.
    """

    dataset: Dataset
    algorithm: Algorithm
    seed: int = 0
    label: str = "original"
    folder: Path | None = None
    source: str = ""

    @cached_property
    def data(self) -> Data:
        return self.algorithm.prepare(self.dataset)

    @cached_property
    def rows_hash(self) -> str:
        return hash_arrays(self.data.rows.items())

    @cached_property
    def rewards_hash(self) -> str:
        return hash_arrays(self.data.rewards.items())

    def identity(self, stage: Algorithm) -> str:
        """Return a hash of everything that determines the outcome of one stage."""
        rewards = self.rewards_hash if stage.READS_REWARDS else ""
        settings = identity_settings(type(stage), settings_of(stage), since=3)
        return hash_json([stage.NAME, settings, self.seed, self.rows_hash, rewards])

    def config(self) -> RunConfig:
        return RunConfig(
            algorithm=self.algorithm.NAME,
            settings=settings_of(self.algorithm),
            seed=self.seed,
            label=self.label,
            source=self.source,
            dataset=self.dataset.hash,
            observation_size=self.dataset.observations.shape[1],
            **describe_space(self.dataset.action_space),
            versions={"jax": jax.__version__, "numpy": np.__version__},
        )

    def check(self) -> None:
        """Reject data that cannot be trained on, or a folder that holds another run."""
        check_actions(type(self.algorithm), self.dataset.action_space)
        check(self.algorithm, len(self.dataset))
        there = self.stored_config()
        if there is not None and self.comparable(there) != self.comparable(self.config()):
            raise BadInput("holds another run; choose another folder", file=self.folder)

    def comparable(self, config: RunConfig) -> RunConfig:
        """Return what two configs of the same run have in common."""
        settings = identity_settings(type(self.algorithm), config.settings, since=3)
        return replace(config, settings=settings, versions={})

    def stored_config(self) -> RunConfig | None:
        """Return the config in the folder, or None if there is none or it is damaged."""
        if self.folder is None or not (self.folder / CONFIG).exists():
            return None
        try:
            return read_config(self.folder)
        except Damaged:
            return None


@dataclass(frozen=True)
class Outcome:
    """The result of a run: the weights of the final policy, and metrics as columns by name.

    Every row of the metrics is a mean over the steps since the row before. A run that failed has no
    weights; its `failure` says why, and at which step.
    """

    weights: Weights
    metrics: dict[str, Array]
    failure: str = ""
    snapshots: Mapping[int, Weights] = field(default_factory=dict)
    """The weights of earlier policies, by step."""
    diagnostics: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SavedRun:
    """The contents of a run folder."""

    algorithm: Algorithm
    outcome: Outcome
    action_space: ActionSpace
    label: str
    seed: int
    observation_size: int


def open_folder(run: Run) -> None:
    """Write the config of the run, unless it is there."""
    if run.folder is not None and run.stored_config() is None:
        if (run.folder / CONFIG).exists():
            log.warning("%s: is damaged; it is written again", run.folder / CONFIG)
        write_json(run.folder / CONFIG, run.config().content())


def close_folder(folder: Path, outcome: Outcome) -> None:
    """Write the outcome of a run; `result.json` comes last and marks the run as finished.

    It has the checksums of the files that belong to it.
    """
    if not outcome.failure:
        save_tree(folder / WEIGHTS, outcome.weights)
        if outcome.snapshots:
            snapshots = {str(step): weights for step, weights in outcome.snapshots.items()}
            save_tree(folder / SNAPSHOTS, snapshots)
    write_metrics(folder / METRICS, outcome.metrics)
    result = RunResult(
        "failed" if outcome.failure else "finished",
        outcome.failure,
        dict(outcome.diagnostics),
        {
            name: hash_bytes((folder / name).read_bytes())
            for name in (METRICS, WEIGHTS, SNAPSHOTS)
            if (folder / name).exists()
        },
    )
    write_json(folder / RESULT, asdict(result))
    for path in (folder / CHECKPOINT, *folder.glob("warm-start-*.safetensors")):
        path.unlink(missing_ok=True)


def load_run(folder: Path) -> SavedRun:
    """Read the folder of a finished or failed run."""
    config = read_config(folder)
    if not (folder / RESULT).exists():
        raise BadInput("the run has not finished; train it again to resume", file=folder)
    try:
        cls, space = find_algorithm(config.algorithm), config.action_space
        former = {*cls.FORMER, *cls.BRIEF}
        today = {name: v for name, v in config.settings.items() if name not in former}
        algorithm = configure(cls.NAME, today, space)
    except BadInput as fault:
        raise fault.in_file(folder / CONFIG) from None
    outcome = load_outcome(folder)
    return SavedRun(algorithm, outcome, space, config.label, config.seed, config.observation_size)


def load_outcome(folder: Path) -> Outcome:
    """Read what a run left; raise `Damaged` if a file is not as the run wrote it.

    Runs of earlier versions have neither snapshots nor diagnostics nor checksums.
    """
    result = read_result(folder)
    check_files(folder, result.files)
    arrays = {} if result.failure else load_arrays(folder / WEIGHTS)[0]
    snapshots = {}
    if (folder / SNAPSHOTS).exists():
        snapshots = nest_snapshots(load_arrays(folder / SNAPSHOTS)[0], folder / SNAPSHOTS)
    return Outcome(
        nest(arrays),
        read_metrics(folder / METRICS),
        result.failure,
        snapshots,
        dict(result.diagnostics),
    )


def outcome_if_sound(folder: Path) -> Outcome | None:
    """Return the outcome of a finished run, or None if there is none or it is damaged."""
    if not (folder / RESULT).exists():
        return None
    try:
        return load_outcome(folder)
    except Damaged as fault:
        log.warning("%s; the run is trained again", fault)
        (folder / RESULT).unlink()
        return None


def check_files(folder: Path, checksums: Mapping[str, str]) -> None:
    """Raise unless the files of a run have the checksums that its result names."""
    for name in {METRICS, WEIGHTS, SNAPSHOTS} & checksums.keys():
        try:
            found = hash_bytes(read_bytes(folder / name, most=2**40))
        except BadInput as fault:
            raise Damaged(fault.problem, file=folder / name) from None
        if found != checksums[name]:
            raise Damaged("is damaged: its checksum does not fit", file=folder / name)


def write_metrics(path: Path, metrics: dict[str, Array]) -> None:
    """Write one column per metric; numbers keep all their digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(metrics)
    writer.writerows(zip(*(column.tolist() for column in metrics.values()), strict=True))
    write_atomically(path, text.getvalue().encode())


def read_metrics(path: Path) -> dict[str, Array]:
    try:
        names, *rows = csv.reader(read_text(path).splitlines())
        table = np.array(rows, float).reshape(len(rows), len(names))
    except (BadInput, ValueError, csv.Error) as error:
        raise Damaged(f"is not a table of metrics ({error})", file=path) from None
    return dict(zip(names, table.T, strict=True))
