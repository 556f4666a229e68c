"""Presets: the paper's settings, or smaller ones that train while somebody watches.

`quick` keeps the algorithms and changes sizes: 3 × 64 networks, small batches, some ten thousand
steps. ATAC and PSPI train with rewards of size at most one and values of order one (`unit_rewards`,
`value_scale` = 1 − γ), with a faster critic, and act with an average of the policy's weights. The
settings are the same for every label. docs/presets.md tells how they were found.
"""

from collections.abc import Mapping

from instinct.deep.settings import Setting
from instinct.errors import BadInput

SMALL: dict[str, Setting] = {"layers": 3, "units": 64, "batch_size": 128}
GAME = SMALL | {
    "batch_size": 64,
    "steps": 50_000,
    "warm_start_steps": 20_000,
    "value_scale": 0.01,
    "unit_rewards": True,
    "beta": 300.0,
    "fast_rate": 2e-3,
    "slow_rate": 5e-6,
    "policy_average": 1e-4,
}

QUICK: dict[str, Mapping[str, Setting]] = {
    "BC": SMALL | {"steps": 20_000},
    "ATAC": GAME | {"beta": 3000.0},
    "PSPI": GAME,
    "IQL": SMALL | {"steps": 60_000},
    "CQL": {"units": 64, "batch_size": 128, "steps": 20_000},
    "CQL3": {"units": 64, "batch_size": 128, "steps": 20_000},
    "DT": {"steps": 3_000, "batch_size": 64},
}
PRESETS: dict[str, Mapping[str, Mapping[str, Setting]]] = {"paper": {}, "quick": QUICK}


def preset(name: str, algorithm: str) -> Mapping[str, Setting]:
    """The settings that a preset changes for an algorithm."""
    if name not in PRESETS:
        raise BadInput(f"no preset is called {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name].get(algorithm, {})
