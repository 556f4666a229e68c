"""Guess from recorded data whether a terminal is a fall or a goal.

Where nothing says what ends an episode, two things in the data can: whether longer episodes have
higher returns, and whether the terminal step has a reward of its own.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from instinct.data import Dataset
from instinct.data.summary import correlation
from instinct.tasks.simulation import End

CLEAR = 0.5
"""A correlation of length and return is evidence from this size on."""
DEVIATIONS, ROUNDING = 2.0, 1e-6
"""A terminal reward is unusual if it is more deviations than this from the mean of the others."""
MOST, SOME = 0.5, 0.1
"""Unusual rewards are evidence if most terminals have them; some of both kinds contradict."""


def terminal_facts(dataset: Dataset) -> dict[str, Any]:
    """Return the correlation of length and return, and how terminal rewards differ from others.

    `above` and `below` are the shares of terminals with an unusually high or low reward. Data
    without terminals, or with nothing else, have no terminal rewards to compare.
    """
    facts: dict[str, Any] = {"correlation": correlation(dataset.lengths, dataset.returns)}
    terminals = dataset.terminals
    if not dataset.has_rewards or not terminals.any() or terminals.all():
        return facts
    at, elsewhere = (dataset.rewards[rows].astype(np.float64) for rows in (terminals, ~terminals))
    mean = float(elsewhere.mean())
    margin = DEVIATIONS * float(elsewhere.std()) + ROUNDING * (1 + abs(mean))
    return facts | {
        "terminal_rewards": {
            "at_terminals": float(at.mean()),
            "elsewhere": mean,
            "above": float((at > mean + margin).mean()),
            "below": float((at < mean - margin).mean()),
        }
    }


def guess_end(facts: Mapping[str, Any]) -> End:
    """Return what the facts of a dataset say about its terminals, or "unknown".

    >>> guess_end({"correlation": 0.9})
    'fall'
    >>> guess_end({"correlation": None, "terminal_rewards": {"above": 1.0, "below": 0.0}})
    'goal'
    """
    signs: set[End] = set()
    along = facts.get("correlation")
    if along is not None and abs(along) >= CLEAR:
        signs.add("fall" if along > 0 else "goal")
    rewards = facts.get("terminal_rewards", {"above": 0.0, "below": 0.0})
    if min(rewards["above"], rewards["below"]) >= SOME:
        return "unknown"
    if max(rewards["above"], rewards["below"]) >= MOST:
        signs.add("goal" if rewards["above"] > rewards["below"] else "fall")
    return signs.pop() if len(signs) == 1 else "unknown"
