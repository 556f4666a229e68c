"""Write the curves of finished runs for TensorBoard, Weights & Biases or Trackio.

Every run folder becomes one run of the tracker: its settings, its metrics by step, and its
diagnostics as the final numbers. A run that was written once is not written again.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from instinct.data import Array
from instinct.deep.training.run_files import read_config
from instinct.deep.training.runs import load_outcome
from instinct.engine.trial_runner import RUNS
from instinct.errors import BadInput, Damaged, missing_extra
from instinct.util.atomic import write_atomically
from instinct.util.folders import folder_name

PROJECT = "instinct"
PACKAGES = {"tensorboard": "tensorboardX", "wandb": "wandb", "trackio": "trackio"}
"""The trackers, and the package that writes for each."""


@dataclass(frozen=True)
class TrackedRun:
    """A finished run as trackers take it."""

    name: str
    config: Mapping[str, Any]
    metrics: Mapping[str, Array]
    final: Mapping[str, float]

    def rows(self) -> Iterable[tuple[int, dict[str, float]]]:
        """Yield the steps with their metrics."""
        names = [name for name in self.metrics if name != "step"]
        for i, step in enumerate(self.metrics.get("step", ())):
            yield int(step), {name: float(self.metrics[name][i]) for name in names}


def check_tracker(name: str) -> None:
    """Reject a tracker that is unknown or not installed."""
    if name not in PACKAGES:
        raise BadInput(f"no tracker is called {name!r}; there are {', '.join(PACKAGES)}")
    try:
        import_module(PACKAGES[name])
    except ImportError:
        raise missing_extra(PACKAGES[name], name) from None


def export_runs(tracker: str, runs: Iterable[Path], folder: Path) -> int:
    """Write finished runs to the tracker; return how many were new.

    `folder` takes the tracker's own files, and notes which runs it has.
    """
    check_tracker(tracker)
    write, number = WRITERS[tracker], 0
    for run_folder in runs:
        note = folder / tracker / f"{run_folder.name}.written"
        if note.exists() or (run := tracked(run_folder)) is None:
            continue
        write(run, folder)
        write_atomically(note, b"")
        number += 1
    return number


def export_study(tracker: str, folder: Path) -> int:
    """Write the finished runs of a study or an audit to the tracker."""
    return export_runs(tracker, sorted((folder / RUNS).glob("*")), folder)


def tracked(folder: Path) -> TrackedRun | None:
    """Read a finished run; None if it is not finished, failed or is damaged."""
    try:
        config, outcome = read_config(folder), load_outcome(folder)
    except (BadInput, Damaged):
        return None
    if outcome.failure:
        return None
    parts = (Path(config.source).stem or "data", config.algorithm, config.label, str(config.seed))
    name = folder_name("-".join(parts)) + f"-{folder.name[:8]}"
    return TrackedRun(name, config.content(), outcome.metrics, outcome.diagnostics)


def to_tensorboard(run: TrackedRun, folder: Path) -> None:
    """Write an event file into a folder of the run's name."""
    from tensorboardX import SummaryWriter

    with SummaryWriter(str(folder / "tensorboard" / run.name)) as writer:
        writer.add_text("config", f"```\n{json.dumps(run.config, indent=2)}\n```")
        for step, metrics in run.rows():
            for name, value in metrics.items():
                writer.add_scalar(name, value, step)
        for name, value in run.final.items():
            writer.add_scalar(f"final/{name}", value)


def to_wandb(run: TrackedRun, folder: Path) -> None:
    """Write to Weights & Biases, or for later with WANDB_MODE=offline."""
    import wandb

    (folder / "wandb").mkdir(parents=True, exist_ok=True)
    with wandb.init(
        project=PROJECT, name=run.name, config=dict(run.config), dir=str(folder), reinit=True
    ) as writer:
        for step, metrics in run.rows():
            writer.log(metrics, step=step)
        writer.summary.update(dict(run.final))


def to_trackio(run: TrackedRun, folder: Path) -> None:
    """Write to Trackio's local database, where `trackio show` finds it."""
    del folder
    import trackio

    trackio.init(project=PROJECT, name=run.name, config=dict(run.config), embed=False)
    for step, metrics in run.rows():
        trackio.log(metrics, step=step)
    trackio.log({f"final/{name}": value for name, value in run.final.items()})
    trackio.finish()


WRITERS: dict[str, Callable[[TrackedRun, Path], None]] = {
    "tensorboard": to_tensorboard,
    "wandb": to_wandb,
    "trackio": to_trackio,
}
