"""What the data alone tell: the behavior that recorded them, and their length bias."""

from typing import Any

import numpy as np

from instinct.data import Array, Dataset, Discrete
from instinct.data.summary import correlation, summarize
from instinct.tasks.registry import find_task


def facts(dataset: Dataset, task: str) -> dict[str, Any]:
    """Counts, the mean of every quantity of the task over the recorded episodes, and the hash.

    Where reaching a goal is a terminal, an episode that ends by one has succeeded; data without any
    do not tell which have.
    """
    summary = summarize(dataset)
    behavior: dict[str, Array] = {"return": dataset.returns, "length": dataset.lengths}
    if task and not isinstance(dataset.action_space, Discrete):
        judged = find_task(task)
        scores = judged.scores(dataset.returns)
        behavior |= {} if scores is None else {"score": scores}
        if getattr(judged, "goal_terminal", False) and summary.terminals:
            behavior["success"] = dataset.terminals[dataset.stops - 1]
    return {
        "hash": dataset.hash,
        "transitions": summary.transitions,
        "episodes": summary.episodes,
        "terminals": summary.terminals,
        "timeouts": summary.timeouts,
        "repairs": [*summary.repairs],
        "rewards": [float(dataset.rewards.min()), float(dataset.rewards.max())],
        "correlation": correlation(dataset.lengths, dataset.returns),
        "behavior": {name: float(np.mean(values)) for name, values in behavior.items()},
        "best_episode": {name: float(np.max(values)) for name, values in behavior.items()},
        "points": points(dataset, behavior),
    }


POINTS = 400


def points(dataset: Dataset, behavior: dict[str, Array]) -> list[list[float]]:
    """Length and main quantity of some recorded episodes, evenly spaced, for a scatter plot."""
    main = next(name for name in ("success", "score", "return") if name in behavior)
    keep = np.unique(np.linspace(0, dataset.episodes - 1, POINTS).round().astype(int))
    pairs = np.stack([dataset.lengths[keep], behavior[main][keep]], axis=1)
    rounded: list[list[float]] = pairs.astype(float).round(4).tolist()
    return rounded
