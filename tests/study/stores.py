"""Stores with made-up measurements."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from instinct.study.measurement import Measurement
from instinct.study.plan import Plan
from instinct.study.store import open_store
from instinct.study.trials import Trial
from instinct.study.tuning import choose_settings

FACTS: Mapping[str, Any] = {
    "hash": "c0ffee" * 10,
    "transitions": 1000,
    "episodes": 4,
    "terminals": 3,
    "timeouts": 1,
    "repairs": [],
    "rewards": [0.0, 1.0],
    "correlation": 0.9,
    "behavior": {"return": 1000.0, "length": 300.0, "score": 40.0},
    "best_episode": {"return": 2000.0, "length": 600.0, "score": 80.0},
    "points": [[100, 10], [300, 40], [600, 80]],
}

Measure = Callable[[Trial], Measurement | None]


def scores(trial: Trial, score: float, length: float = 500.0) -> Measurement:
    """Two test episodes around a score."""
    return Measurement(
        {"score": (score - 1, score + 1), "length": (length, length)},
        curves={"step": (1.0, 2.0), "loss": (score, score / 2)},
        seconds=1.0,
    )


def store_with(folder: Path, plan: Plan, measure: Measure) -> None:
    """Fill a store with measurements; a trial whose measurement is None has not ended."""
    with open_store(folder, plan, {"instinct": "0"}) as store:
        for dataset in plan.datasets:
            store.add_dataset(dataset, FACTS)
        for trials in (plan.tuning, lambda: plan.final(choose_settings(plan, store))):
            for trial in trials():
                measured = measure(trial)
                if measured is not None:
                    store.add(trial, measured)
