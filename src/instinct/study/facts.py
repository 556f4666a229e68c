"""Facts about a dataset: counts, the behavior that recorded it, and its length bias."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from instinct.benchmarks.benchmark import episode_terminals
from instinct.benchmarks.registry import find_benchmark, find_task
from instinct.data import Array, Dataset, Discrete, measure_removal
from instinct.data.summary import summarize
from instinct.study.ends import terminal_facts
from instinct.study.measurement import QUANTITIES, add_normalized_cost, quantities
from instinct.util.spacing import evenly_spaced

POINTS = 400
"""How many recorded episodes are stored for scatter plots."""


PER_1000 = {
    "reward": "reward_per_1000",
    "reward_after": "reward_per_1000_after",
    "cost": "cost_per_1000",
    "cost_after": "cost_per_1000_after",
}
"""Stored facts about filters that are means per 1,000 transitions, and their keys in documents."""


def dataset_facts(dataset: Dataset, task: str, name: str = "") -> dict[str, Any]:
    """Return counts, the hash, and mean and maximum of every quantity over recorded episodes.

    A dataset with a name that is made here also has `recorded_from`: the policies.

    Where a terminal means that the goal is reached, an episode that ends by one is a success. Data
    without terminals do not tell which episodes are successes.
    """
    summary, space = summarize(dataset), dataset.action_space
    scores, successes = None, None
    returns = dataset.returns if dataset.has_rewards else None
    if task:
        known_task = find_task(task)
        scores = None if returns is None else known_task.scores(returns)
        counts_successes = find_benchmark(task).score_name == "success"
        if counts_successes and known_task.end == "goal" and summary.terminals:
            successes = episode_terminals(dataset)
    costs = None if dataset.costs is None else dataset.per_episode(dataset.costs)
    source = find_benchmark(name).recorded_from(name)
    behavior = quantities(returns, dataset.lengths, scores, successes, costs)
    return {
        "hash": dataset.hash,
        **({"recorded_from": source} if source else {}),
        **({} if dataset.has_rewards else {"has_rewards": False}),
        **({"discrete_actions": space.n} if isinstance(space, Discrete) else {}),
        "transitions": summary.transitions,
        "episodes": summary.episodes,
        "terminals": summary.terminals,
        "timeouts": summary.timeouts,
        "repairs": [*summary.repairs],
        "rewards": [float(dataset.rewards.min()), float(dataset.rewards.max())],
        **terminal_facts(dataset),
        "behavior": {name: float(np.mean(values)) for name, values in behavior.items()},
        "best_episode": {name: float(np.max(values)) for name, values in behavior.items()},
        "points": points(behavior, "length"),
    } | ({} if costs is None else {"cost_points": points(behavior, "cost")})


def filter_facts(dataset: Dataset, after: Dataset, kept: Array) -> dict[str, Any]:
    """Return what filters removed from a dataset; `after` consists of the `kept` rows."""
    rows = np.ones(len(dataset), bool)
    rows[kept] = False
    return {"hash": after.hash, **asdict(measure_removal(dataset, rows, after))}


def removal_numbers(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts about a filter under the keys of documents, where `cost` is per episode."""
    return {PER_1000.get(name, name): value for name, value in facts.items()}


def points(behavior: Mapping[str, Array], along: str) -> list[list[float]]:
    """Return one quantity and the main one of evenly spaced episodes, for scatter plots."""
    main = next(name for name in QUANTITIES if name in behavior)
    keep = evenly_spaced(len(behavior[main]), POINTS)
    pairs = np.stack([behavior[along][keep], behavior[main][keep]], axis=1)
    rounded: list[list[float]] = pairs.astype(float).round(4).tolist()
    return rounded


def add_normalized_costs(facts: Mapping[str, Any], cost_target: float | None) -> dict[str, Any]:
    """Add `normalized_cost` to the recorded quantities of a task with a cost target."""
    recorded = {
        name: add_normalized_cost(facts[name], cost_target)
        for name in ("behavior", "best_episode")
        if name in facts
    }
    return {**facts, **recorded}
