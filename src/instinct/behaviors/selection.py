"""Choose the snapshots of a training that are shipped."""

from pathlib import Path
from typing import Any

import numpy as np

from instinct.behaviors.behavior import Behavior
from instinct.behaviors.shipped import Shipped, Snapshot
from instinct.deep.training.checkpoint import load_arrays, nest
from instinct.errors import BadInput
from instinct.tasks.evaluation import evaluate
from instinct.tasks.simulation import Task, action_box
from instinct.util.progress import Progress, no_progress
from instinct.util.spacing import evenly_spaced

REPLAY = 8
"""Snapshots between the random and the medium one."""


def saved_policies(folder: Path) -> dict[int, Path]:
    """Return the saved policies of a training by step."""
    paths = sorted((folder / "policies").glob("*.safetensors"))
    if not paths:
        raise BadInput("holds no policies of a training", file=folder)
    return {int(path.stem): path for path in paths}


def load_network(path: Path) -> Any:
    """Load a saved policy rounded to half precision, as it is shipped."""
    arrays, _ = load_arrays(path)
    rounded = {name: a.astype(np.float16).astype(np.float32) for name, a in arrays.items()}
    return nest({f"policy/{name}": array for name, array in rounded.items()})["policy"]


def measure(
    task: Task, network: Any, name: str, step: int, episodes: int, seed: int = 0
) -> Snapshot:
    """Evaluate a snapshot with its noise and without."""
    noisy = evaluate(Behavior(network, action_box(task)), task, episodes, seed)
    mode = evaluate(Behavior(network, action_box(task), noisy=False), task, episodes, seed)
    return Snapshot(
        name,
        step,
        float(noisy.returns.mean()),
        None if noisy.scores is None else float(noisy.scores.mean()),
        float(noisy.lengths.mean()),
        float(mode.returns.mean()),
        None if mode.scores is None else float(mode.scores.mean()),
        float(mode.lengths.mean()),
        episodes,
    )


def select(
    task: Task,
    folder: Path,
    medium_score: float,
    name: str,
    command: str,
    *,
    episodes: int = 100,
    screening_episodes: int = 10,
    on_progress: Progress = no_progress,
) -> tuple[Shipped, dict[str, Any]]:
    """Choose random, medium and expert, and evenly spaced snapshots before medium.

    All snapshots are screened with a few episodes. Medium and expert are then evaluated for all
    `episodes` and chosen again until the choice no longer changes, so that luck in a few episodes
    does not decide. The chosen snapshots are measured once more.
    """
    paths = saved_policies(folder)
    scores = {}
    for done, (step, path) in enumerate(paths.items(), start=1):
        scores[step] = score_snapshot(task, load_network(path), screening_episodes)
        on_progress(done, len(paths), f"step {step:,}: {scores[step][0]:.1f}")
    chosen = choose(scores, medium_score)
    tried: set[int] = set()
    while new := {chosen["medium"], chosen["expert"]} - tried:
        scores |= {step: score_snapshot(task, load_network(paths[step]), episodes) for step in new}
        tried |= new
        chosen = choose(scores, medium_score)
    networks = {name: load_network(paths[step]) for name, step in chosen.items()}
    snapshots = tuple(
        measure(task, networks[name], name, step, episodes) for name, step in chosen.items()
    )
    return Shipped(task.name, name, command, snapshots), networks


def score_snapshot(task: Task, network: Any, episodes: int) -> tuple[float, float]:
    """Return the score with noise and without; the return if the task has no scores."""
    snapshot = measure(task, network, "", 0, episodes, seed=1)
    if snapshot.score is None or snapshot.mode_score is None:
        return snapshot.mean_return, snapshot.mode_return
    return snapshot.score, snapshot.mode_score


def choose(scores: dict[int, tuple[float, float]], medium_score: float) -> dict[str, int]:
    """Return the steps of the snapshots to ship, by name and in the order of training.

    Expert has the best score with noise. Medium is nearest to the wanted score both with noise and
    without, so that it is not an expert that only its noise makes fall.
    """
    steps = sorted(scores)
    if len(steps) < 3:
        raise BadInput("a choice of behaviors needs a training with at least three snapshots")
    expert = max(steps[2:], key=lambda step: scores[step][0])
    between = [step for step in steps[1:] if step < expert]
    medium = min(between, key=lambda step: sum(abs(x - medium_score) for x in scores[step]))
    chosen = {"random": steps[0]}
    before = [step for step in between if step < medium]
    on_the_way = [before[i] for i in evenly_spaced(len(before), REPLAY)]
    chosen |= {f"replay-{i}": step for i, step in enumerate(on_the_way, start=1)}
    return chosen | {"medium": medium, "expert": expert}
