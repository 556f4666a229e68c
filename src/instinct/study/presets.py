"""Presets: the paper's settings, or smaller ones that train within a minute.

`quick` keeps the algorithms and changes sizes: 3 × 64 networks, small batches, some ten thousand
steps. Every algorithm has its quick settings in its class (`QUICK`, `QUICK_UNDER_LABEL`); here are
those of families of tasks. docs/presets.md says how all of them were found.
"""

from collections.abc import Mapping

from instinct.deep import ALGORITHMS, find_algorithm
from instinct.deep.algorithms.actor_critic import QUICK_GAME
from instinct.deep.algorithms.settings import Setting, Settings, quick_settings
from instinct.errors import BadInput

PRESETS = ("paper", "quick")
QUICK: dict[str, Settings] = {
    name: quick_settings(algorithm) for name, algorithm in ALGORITHMS.items()
}


PAPER_METAWORLD: dict[str, Settings] = {
    "ATAC": {"discount": 0.998, "action_scale": 1.2},
    "PSPI": {"discount": 0.998, "action_scale": 1.2},
    "IQL": {"discount": 0.998, "scale_rewards": False},
    "CQL": {"discount": 0.998},
    "CQL3": {"discount": 0.998, "action_scale": 1.2},
    "DT": {"steps": 5_000},
}
GOALS = QUICK_GAME | {
    "steps": 20_000,
    "warm_start_steps": 60_000,
    "value_scale": 0.002,
    "beta": 500.0,
    "fast_rate": 5e-4,
    "slow_rate": 1e-6,
}
SEARCHED_METAWORLD: dict[str, Settings] = {
    **QUICK,
    "BC": {**QUICK["BC"], "held_out": 0.1},
    "ATAC": GOALS,
    "PSPI": GOALS,
}
QUICK_METAWORLD: dict[str, Settings] = {
    name: {**PAPER_METAWORLD.get(name, {}), **smaller}
    for name, smaller in SEARCHED_METAWORLD.items()
}
LIDARS: dict[str, Setting] = {
    "steps": 30_000,
    "warm_start_steps": 40_000,
    "beta": 100.0,
    "standardize": True,
}
QUICK_SAFETY: dict[str, Settings] = {
    **QUICK,
    "BC": {**QUICK["BC"], "standardize": True},
    "ATAC": QUICK_GAME | LIDARS,
    "PSPI": QUICK_GAME | LIDARS,
}
FAMILIES: dict[tuple[str, str], Mapping[str, Settings]] = {
    ("paper", "metaworld"): PAPER_METAWORLD,
    ("quick", "metaworld"): QUICK_METAWORLD,
    ("quick", "safety"): QUICK_SAFETY,
}
"""The presets of families of tasks that have their own."""


def preset(name: str, algorithm: str, label: str = "original", task: str = "") -> Settings:
    """Return the settings that a preset changes for an algorithm, a label and a task."""
    if name not in PRESETS:
        raise BadInput(f"no preset is called {name!r}; there are {', '.join(PRESETS)}")
    family = FAMILIES.get((name, task.partition(":")[0]), {})
    if algorithm in family:
        return family[algorithm]
    return quick_settings(find_algorithm(algorithm), label) if name == "quick" else {}
