"""Train one stage of one run, or of several runs side by side in one program."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Array
from instinct.deep.algorithms.algorithm import Algorithm, Data, State, Weights
from instinct.deep.training.checkpoint import (
    load_arrays,
    named_leaves,
    nest_snapshots,
    restore,
    save_tree,
    take,
)
from instinct.deep.training.devices import Devices
from instinct.deep.training.loop import (
    LIMIT,
    advance,
    advance_together,
    begin,
    begin_together,
)
from instinct.deep.training.old_checkpoints import rename_leaves
from instinct.errors import BadInput, Damaged

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StageProgress:
    """The progress of a stage; the metrics are means over the steps since the last report."""

    stage: str
    step: int
    steps: int
    metrics: Mapping[str, float]


OnProgress = Callable[[StageProgress], None]


@dataclass(frozen=True)
class Pace:
    """The intervals of reports, in steps, and of checkpoints, in seconds."""

    report_steps: int = 1000
    checkpoint_seconds: float = 60.0


PACE = Pace()
PARTS = 4
"""Policies are kept after so many equal parts of a training, except for the last."""


@dataclass
class StageTraining:
    """The training of one stage of one run."""

    algorithm: Algorithm
    data: Data
    key: jax.Array
    identity: str
    warm: State | None = None
    checkpoint: Path | None = None
    on_progress: OnProgress | None = None
    keeps_snapshots: bool = False
    step: int = 0
    state: State | None = None
    rows: list[dict[str, float]] = field(default_factory=list)
    snapshots: dict[int, Weights] = field(default_factory=dict)
    """The weights of the policy by step, along the training."""
    failure: str = ""

    @property
    def metrics(self) -> dict[str, Array]:
        """Return the recorded rows as columns."""
        names = sorted(self.rows[0], key=lambda name: (name != "step", name)) if self.rows else []
        return {name: np.array([row[name] for row in self.rows]) for name in names}

    def record(self, step: int, means: Mapping[str, Array], bad: int) -> None:
        """Record the mean metrics of the steps up to `step`, and report them."""
        row = {name: float(mean) for name, mean in means.items()}
        self.step = step
        self.rows.append({"step": float(step)} | row)
        name = self.algorithm.NAME
        if bad >= 0:
            self.failure = f"{name} diverged at step {bad}: {describe_divergence(row)}"
        if self.on_progress is not None:
            self.on_progress(StageProgress(name, step, self.algorithm.steps, row))

    def take_snapshot(self, state: State) -> None:
        """Keep the policy if one more part of the training has passed."""
        if len(self.snapshots) < self.step * PARTS // int(self.algorithm.steps) < PARTS:
            weights = self.algorithm.weights(state)
            self.snapshots[self.step] = jax.tree.map(np.array, weights)

    def save(self) -> None:
        """Write the checkpoint."""
        if self.checkpoint is not None:
            notes = {"identity": self.identity, "step": str(self.step), "failure": self.failure}
            key = np.asarray(jax.random.key_data(self.key))
            snapshots = {str(step): weights for step, weights in self.snapshots.items()}
            tree = {
                "state": self.state,
                "metrics": self.metrics,
                "key": key,
                "snapshots": snapshots,
            }
            save_tree(self.checkpoint, tree, notes)

    def resume(self) -> None:
        """Continue from the checkpoint if there is one; begin again if it is damaged."""
        if self.checkpoint is None or not self.checkpoint.exists():
            return
        try:
            self.load(self.checkpoint)
        except Damaged as fault:
            log.warning("%s; %s is trained from its beginning", fault, self.algorithm.NAME)

    def load(self, checkpoint: Path) -> None:
        """Take over everything from a checkpoint, or nothing if it is damaged."""
        arrays, notes = load_arrays(checkpoint)
        if notes.get("identity") != self.identity:
            raise BadInput("is the checkpoint of another run", file=checkpoint)
        state, columns = take(arrays, "state/"), take(arrays, "metrics/")
        template = jax.eval_shape(begin, stack([self.algorithm]), self.key, self.data, self.warm)
        state = rename_leaves(state, [name for name, _ in named_leaves(template)])
        restored = restore(template, state, checkpoint)
        snapshots = nest_snapshots(take(arrays, "snapshots/"), checkpoint)
        try:
            table = zip(*(column.tolist() for column in columns.values()), strict=True)
            rows = [dict(zip(columns, map(float, row), strict=True)) for row in table]
            self.step, self.failure = int(notes["step"]), notes["failure"]
        except (KeyError, TypeError, ValueError):
            raise Damaged("is not a whole checkpoint", file=checkpoint) from None
        self.state, self.snapshots, self.rows = restored, snapshots, rows


def describe_divergence(row: Mapping[str, float]) -> str:
    """Say which metrics are not finite or too large."""
    wild = [name for name, mean in row.items() if not abs(mean) <= LIMIT]
    return f"{', '.join(wild) or 'a metric'} not finite or beyond {LIMIT:g}"


def train_stage(trainings: Sequence[StageTraining], pace: Pace) -> None:
    """Train one stage of several runs to its end; all must share one program.

    Runs that were interrupted at different steps are trained in groups, one after the other.
    """
    for training in trainings:
        training.resume()
    for step in sorted({training.step for training in trainings}):
        train_group([training for training in trainings if training.step == step], pace)


def train_group(trainings: Sequence[StageTraining], pace: Pace) -> None:
    """Train runs that are at the same step, as one program."""
    together = len(trainings) > 1
    step, steps = trainings[0].step, int(trainings[0].algorithm.steps)
    if step == steps or all(training.failure for training in trainings):
        return
    devices = Devices(together)
    members = devices.fill(trainings)
    algorithm = devices.spread(stack([training.algorithm for training in members]))
    key = devices.spread(stack([training.key for training in members]))
    data = Data(
        devices.copy(jax.tree.map(to_device, trainings[0].data.rows)),
        devices.spread(stack([training.data.rewards for training in members])),
    )
    if trainings[0].state is None:
        warm = devices.spread(stack([training.warm for training in members]))
        state = (begin_together if together else begin)(algorithm, key, data, warm)
    else:
        state = stack([training.state for training in members])
    state = devices.spread(state)
    program = advance_together if together else advance
    saved_at = time.monotonic()
    while step < steps and not all(training.failure for training in trainings):
        start, step = step, min(step + pace.report_steps, steps)
        state, means, bad = program(algorithm, state, data, key, start, step)
        means, bad = jax.device_get(means), np.atleast_1d(bad)
        due = step == steps or time.monotonic() - saved_at >= pace.checkpoint_seconds
        for i, training in enumerate(trainings):
            if training.failure:
                continue
            training.record(step, unstack(means, i, together), int(bad[i]))
            if training.keeps_snapshots:
                training.take_snapshot(unstack(state, i, together))
            if due or training.failure:
                training.state = jax.tree.map(np.array, unstack(state, i, together))
                training.save()
        saved_at = time.monotonic() if due else saved_at


def to_device(array: Array) -> jax.Array:
    """Move an array to the device; on a CPU, use the memory of one that cannot change."""
    if isinstance(array, np.ndarray) and not array.flags.writeable:
        aliased: jax.Array = jax.device_put(array, may_alias=True)
        return aliased
    return jnp.asarray(array)


def stack(trees: Sequence[Any]) -> Any:
    """Move trees to the device; stack several leaf by leaf."""
    if len(trees) == 1:
        return jax.tree.map(jnp.asarray, trees[0])
    return jax.tree.map(lambda *leaves: jnp.stack([jnp.asarray(leaf) for leaf in leaves]), *trees)


def unstack(tree: Any, i: int, together: bool) -> Any:
    """Return the i-th of several stacked trees."""
    return jax.tree.map(lambda leaf: leaf[i], tree) if together else tree
