"""What the data alone tell: the behavior that recorded them, and their length bias."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from instinct.benchmarks.registry import find_task
from instinct.data import Array, Dataset, Discrete, measure_removal
from instinct.data.summary import correlation, summarize
from instinct.study.measurement import QUANTITIES, quantities
from instinct.util.spacing import evenly_spaced


def dataset_facts(dataset: Dataset, task: str) -> dict[str, Any]:
    """Counts, the mean of every quantity of the task over the recorded episodes, and the hash.

    Where reaching a goal is a terminal, an episode that ends by one has succeeded; data without any
    do not tell which have.
    """
    summary = summarize(dataset)
    scores, successes = None, None
    if task and not isinstance(dataset.action_space, Discrete):
        judged = find_task(task)
        scores = judged.scores(dataset.returns)
        if judged.end == "goal" and summary.terminals:
            successes = dataset.terminals[dataset.stops - 1]
    costs = None if dataset.costs is None else dataset.per_episode(dataset.costs)
    behavior = quantities(dataset.returns, dataset.lengths, scores, successes, costs)
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
        "points": points(behavior, "length"),
    } | ({} if costs is None else {"cost_points": points(behavior, "cost")})


def filter_facts(dataset: Dataset, after: Dataset, kept: Array) -> dict[str, Any]:
    """What filters have removed from a dataset, if `after` with the `kept` rows is left."""
    rows = np.ones(len(dataset), bool)
    rows[kept] = False
    return {"hash": after.hash, **asdict(measure_removal(dataset, rows, after))}


POINTS = 400


def points(behavior: Mapping[str, Array], along: str) -> list[list[float]]:
    """A quantity and the main one of some recorded episodes, evenly spaced, for a scatter plot."""
    main = next(name for name in QUANTITIES if name in behavior)
    keep = evenly_spaced(len(behavior[main]), POINTS)
    pairs = np.stack([behavior[along][keep], behavior[main][keep]], axis=1)
    rounded: list[list[float]] = pairs.astype(float).round(4).tolist()
    return rounded
