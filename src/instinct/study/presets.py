"""Presets: the paper's settings, or smaller ones that train while somebody watches.

`quick` keeps the algorithms and changes sizes: 3 × 64 networks, small batches, some ten thousand
steps. ATAC and PSPI train with rewards of size at most one and values of order one (`unit_rewards`,
`value_scale` = 1 − γ), with a faster critic, and act with an average of the policy's weights. PSPI
told zero or negative rewards has settings of its own. docs/presets.md tells how all were found.
"""

from collections.abc import Mapping

from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput

Settings = Mapping[str, Setting]

SMALL: dict[str, Setting] = {"layers": 3, "units": 64, "batch_size": 128}
GAME = SMALL | {
    "batch_size": 64,
    "steps": 50_000,
    "warm_start_steps": 20_000,
    "value_scale": 0.01,
    "unit_rewards": True,
    "fast_rate": 2e-3,
    "slow_rate": 5e-6,
    "policy_average": 1e-4,
}
FEW_ACTIONS: dict[str, Setting] = {
    "units": 64,
    "batch_size": 64,
    "actions": 4,
    "rate": 1e-3,
    "alpha": 10.0,
    "steps": 40_000,
}

QUICK: dict[str, Settings] = {
    "BC": SMALL | {"steps": 40_000, "rate": 1e-3},
    "ATAC": GAME | {"beta": 100.0},
    "PSPI": GAME | {"beta": 300.0},
    "IQL": SMALL | {"steps": 40_000, "rate": 1e-3, "beta": 0.3},
    "CQL": FEW_ACTIONS,
    "CQL3": FEW_ACTIONS,
    "DT": {"units": 64, "batch_size": 32, "rate": 1e-3, "steps": 4_000},
}
PRESETS: dict[str, Mapping[str, Settings]] = {"paper": {}, "quick": QUICK}
SHORT = GAME | {"steps": 30_000, "slow_rate": 1e-5}
UNDER_LABEL: dict[tuple[str, str, str], Settings] = {
    ("quick", "PSPI", "zero"): SHORT | {"beta": 500.0, "epsilon": 1e-5, "entropy_weight": 0.01},
    ("quick", "PSPI", "negative"): SHORT | {"beta": 250.0, "fast_rate": 1e-3},
}


PAPER_METAWORLD: dict[str, Settings] = {
    "ATAC": {"discount": 0.998, "action_scale": 1.2},
    "PSPI": {"discount": 0.998, "action_scale": 1.2},
    "IQL": {"discount": 0.998, "scale_rewards": False},
    "CQL": {"discount": 0.998},
    "CQL3": {"discount": 0.998, "action_scale": 1.2},
    "DT": {"steps": 5_000},
}
GOALS = GAME | {
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
    "ATAC": GAME | LIDARS,
    "PSPI": GAME | LIDARS,
}
FAMILIES: dict[tuple[str, str], Mapping[str, Settings]] = {
    ("paper", "metaworld"): PAPER_METAWORLD,
    ("quick", "metaworld"): QUICK_METAWORLD,
    ("quick", "safety"): QUICK_SAFETY,
}
"""The presets of families of tasks that have their own."""


def preset(name: str, algorithm: str, label: str = "original", task: str = "") -> Settings:
    """What a preset changes for an algorithm told the rewards of a label and judged in a task."""
    if name not in PRESETS:
        raise BadInput(f"no preset is called {name!r}; there are {', '.join(PRESETS)}")
    family = task.partition(":")[0]
    if (name, family) in FAMILIES:
        return FAMILIES[name, family].get(algorithm, {})
    return UNDER_LABEL.get((name, algorithm, label), PRESETS[name].get(algorithm, {}))
