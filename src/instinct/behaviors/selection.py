"""Choosing, from the snapshots of a training, those that are shipped."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from instinct.behaviors.behavior import Behavior
from instinct.behaviors.shipped import Shipped, Snapshot
from instinct.deep.training.checkpoint import load_arrays, nest
from instinct.errors import BadInput
from instinct.tasks.evaluation import evaluate
from instinct.tasks.simulation import Task, action_box
from instinct.util.spacing import evenly_spaced

REPLAY = 8
"""Snapshots on the way to medium, the random and the medium one not counted."""

Report = Callable[[int, int, str], None]


def saved_policies(folder: Path) -> dict[int, Path]:
    """The policies that a training has left, by their step."""
    paths = sorted((folder / "policies").glob("*.safetensors"))
    if not paths:
        raise BadInput("holds no policies of a training", file=folder)
    return {int(path.stem): path for path in paths}


def load_network(path: Path) -> Any:
    """A saved policy as it is shipped: rounded to half precision."""
    arrays, _ = load_arrays(path)
    rounded = {name: a.astype(np.float16).astype(np.float32) for name, a in arrays.items()}
    return nest({f"policy/{name}": array for name, array in rounded.items()})["policy"]


def measure(
    task: Task, network: Any, name: str, step: int, episodes: int, seed: int = 0
) -> Snapshot:
    """Test episodes of a snapshot with its noise and without."""
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
    command: str,
    *,
    episodes: int = 100,
    sift: int = 10,
    report: Report | None = None,
) -> tuple[Shipped, dict[str, Any]]:
    """Random, medium and expert, and evenly spaced ones on the way to medium.

    All are sifted by a few episodes, and chosen from until medium and expert are such as have
    been tried for all `episodes`: luck in a few does not decide. The chosen are measured anew.
    """
    paths = saved_policies(folder)
    scores = {}
    for done, (step, path) in enumerate(paths.items(), start=1):
        scores[step] = sifted(task, load_network(path), sift)
        if report is not None:
            report(done, len(paths), f"step {step:,}: {scores[step][0]:.1f}")
    chosen = choose(scores, medium_score)
    tried: set[int] = set()
    while new := {chosen["medium"], chosen["expert"]} - tried:
        scores |= {step: sifted(task, load_network(paths[step]), episodes) for step in new}
        tried |= new
        chosen = choose(scores, medium_score)
    networks = {name: load_network(paths[step]) for name, step in chosen.items()}
    snapshots = tuple(
        measure(task, networks[name], name, step, episodes) for name, step in chosen.items()
    )
    return Shipped(task.name, command, snapshots), networks


def sifted(task: Task, network: Any, episodes: int) -> tuple[float, float]:
    """The score, or return where there is none, with noise and without."""
    snapshot = measure(task, network, "", 0, episodes, seed=1)
    if snapshot.score is None or snapshot.mode_score is None:
        return snapshot.mean_return, snapshot.mode_return
    return snapshot.score, snapshot.mode_score


def choose(scores: dict[int, tuple[float, float]], medium_score: float) -> dict[str, int]:
    """The steps of the snapshots to ship, by name and in the order of training.

    Expert is the best with its noise; medium comes, with noise and without, nearest to the wanted
    score: it is not to be an expert whose noise makes it stumble.
    """
    steps = sorted(scores)
    if len(steps) < 3:
        raise BadInput("a choice of behaviours needs a training with at least three snapshots")
    expert = max(steps[2:], key=lambda step: scores[step][0])
    between = [step for step in steps[1:] if step < expert]
    medium = min(between, key=lambda step: sum(abs(x - medium_score) for x in scores[step]))
    chosen = {"random": steps[0]}
    before = [step for step in between if step < medium]
    on_the_way = [before[i] for i in evenly_spaced(len(before), REPLAY)]
    chosen |= {f"replay-{i}": step for i, step in enumerate(on_the_way, start=1)}
    return chosen | {"medium": medium, "expert": expert}
