"""One stage of training for one run, or for several side by side in one program."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Array
from instinct.deep.algorithms.algorithm import Algorithm, Data, State
from instinct.deep.training.checkpoint import load_arrays, nest, save_tree
from instinct.deep.training.loop import (
    LIMIT,
    advance,
    advance_together,
    begin,
    begin_together,
)
from instinct.errors import BadInput


@dataclass(frozen=True)
class Progress:
    """How far a stage is: the metrics are means over the steps since the last report."""

    stage: str
    step: int
    steps: int
    metrics: Mapping[str, float]


Report = Callable[[Progress], None]


@dataclass(frozen=True)
class Pace:
    """How often to report, in steps, and to write a checkpoint, in seconds."""

    report_steps: int = 1000
    checkpoint_seconds: float = 60.0


PACE = Pace()


@dataclass
class Lane:
    """One stage of one run on its way."""

    algorithm: Algorithm
    data: Data
    key: jax.Array
    identity: str
    warm: State | None = None
    checkpoint: Path | None = None
    report: Report | None = None
    step: int = 0
    state: State | None = None
    rows: list[dict[str, float]] = field(default_factory=list)
    failure: str = ""

    @property
    def metrics(self) -> dict[str, Array]:
        """The rows reported so far, as columns."""
        names = sorted(self.rows[0], key=lambda name: (name != "step", name)) if self.rows else []
        return {name: np.array([row[name] for row in self.rows]) for name in names}

    def note(self, step: int, means: Mapping[str, Array], bad: int) -> None:
        """Take down what the steps up to `step` gave."""
        row = {name: float(mean) for name, mean in means.items()}
        self.step = step
        self.rows.append({"step": float(step)} | row)
        name = self.algorithm.NAME
        if bad >= 0:
            self.failure = f"{name} diverged at step {bad}: {worst(row)}"
        if self.report is not None:
            self.report(Progress(name, step, self.algorithm.steps, row))

    def save(self) -> None:
        if self.checkpoint is not None:
            notes = {"identity": self.identity, "step": str(self.step), "failure": self.failure}
            key = np.asarray(jax.random.key_data(self.key))
            tree = {"state": self.state, "metrics": self.metrics, "key": key}
            save_tree(self.checkpoint, tree, notes)

    def resume(self) -> None:
        """Go on from the checkpoint if there is one."""
        if self.checkpoint is None or not self.checkpoint.exists():
            return
        arrays, notes = load_arrays(self.checkpoint)
        if notes.get("identity") != self.identity:
            raise BadInput("is the checkpoint of another run", file=self.checkpoint)
        saved = nest(arrays)
        self.state, columns = saved["state"], saved.get("metrics", {})
        self.rows = [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ]
        self.step, self.failure = int(notes["step"]), notes["failure"]


def worst(row: Mapping[str, float]) -> str:
    """Which metrics have left the range of numbers that mean something."""
    wild = [name for name, mean in row.items() if not abs(mean) <= LIMIT]
    return f"{', '.join(wild) or 'a metric'} not finite or beyond {LIMIT:g}"


def train_lanes(lanes: Sequence[Lane], pace: Pace) -> None:
    """Train every lane to its end; several run as one program, and all must share its shape.

    Lanes that stand at different steps after a resume run one group after the other.
    """
    for lane in lanes:
        lane.resume()
    for step in sorted({lane.step for lane in lanes}):
        drive([lane for lane in lanes if lane.step == step], pace)


def drive(lanes: Sequence[Lane], pace: Pace) -> None:
    together = len(lanes) > 1
    step, steps = lanes[0].step, int(lanes[0].algorithm.steps)
    if step == steps or all(lane.failure for lane in lanes):
        return
    algorithm = pack([lane.algorithm for lane in lanes])
    key = pack([lane.key for lane in lanes])
    data = Data(
        jax.tree.map(jnp.asarray, lanes[0].data.rows), pack([lane.data.told for lane in lanes])
    )
    if lanes[0].state is None:
        warm = pack([lane.warm for lane in lanes])
        state = (begin_together if together else begin)(algorithm, key, data, warm)
    else:
        state = pack([lane.state for lane in lanes])
    program = advance_together if together else advance
    saved_at = time.monotonic()
    while step < steps and not all(lane.failure for lane in lanes):
        start, step = step, min(step + pace.report_steps, steps)
        state, means, bad = program(algorithm, state, data, key, start, step)
        means, bad = jax.device_get(means), np.atleast_1d(bad)
        due = step == steps or time.monotonic() - saved_at >= pace.checkpoint_seconds
        for i, lane in enumerate(lanes):
            if lane.failure:
                continue
            lane.note(step, unpack(means, i, together), int(bad[i]))
            if due or lane.failure:
                lane.state = jax.tree.map(np.array, unpack(state, i, together))
                lane.save()
        saved_at = time.monotonic() if due else saved_at


def pack(trees: Sequence[Any]) -> Any:
    """One tree on the device: the only one as it is, several stacked leaf by leaf."""
    if len(trees) == 1:
        return jax.tree.map(jnp.asarray, trees[0])
    return jax.tree.map(lambda *leaves: jnp.stack([jnp.asarray(leaf) for leaf in leaves]), *trees)


def unpack(tree: Any, i: int, together: bool) -> Any:
    return jax.tree.map(lambda leaf: leaf[i], tree) if together else tree
