"""Translate measurements and dataset facts that an earlier version wrote.

Format 1 has no format number. It divided every cost by κ = 34.29, whatever the task, and called
the normalized return `reward` where there were costs. In format 2, costs are raw and the normalized
return is always `score`.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from instinct.data import KAPPA

FORMAT = 2
OLD_SCORE = "reward"
DECIMALS = 9
"""Costs are rounded after they are multiplied by κ, so that they are exactly what they were."""

T = TypeVar("T")


def format_of(content: Mapping[str, Any]) -> int:
    """Return the format number of stored data; refuse data from a later version."""
    number = content.get("format", 1)
    if number not in (1, FORMAT):
        raise ValueError(f"format {number!r} is not known; a later version may have written it")
    return int(number)


def upgrade_quantities(values: Mapping[str, T], scale: Callable[[T], T]) -> dict[str, T]:
    """Rename `reward` to `score` and turn normalized costs into raw ones with `scale`."""
    return {
        "score" if name == OLD_SCORE else name: scale(value) if name == "cost" else value
        for name, value in values.items()
    }


def upgrade_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Upgrade the facts of a dataset; facts about filters have no such quantities."""
    upgraded = dict(facts)
    for name in ("behavior", "best_episode"):
        if name in upgraded:
            upgraded[name] = upgrade_quantities(upgraded[name], raw_cost)
    if "cost_points" in upgraded:
        upgraded["cost_points"] = [[raw_cost(cost), y] for cost, y in upgraded["cost_points"]]
    return upgraded


def raw_cost(normalized: float) -> float:
    return round(normalized * KAPPA, DECIMALS)
