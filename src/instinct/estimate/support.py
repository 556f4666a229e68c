"""Where policies go that the data do not, and what the data cover.

A policy acts outside the data at a state if its action is more than `FAR` deviations of the
behavior away from the most likely one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from instinct.data import Array, Box
from instinct.deep import TrainedPolicy
from instinct.estimate.behavior import Behavior
from instinct.estimate.policies import actions_at
from instinct.estimate.problem import Problem

FAR = 3.0
MOST_OUTSIDE = 0.5
"""With a larger share of recorded states where a policy acts outside, nothing is estimated."""
ROWS = 4096
DETERMINISTIC = 0.02
"""A behavior with a smaller spread, in units of half the action range, is deterministic."""


@dataclass(frozen=True)
class Support:
    """The distance of a policy's actions from those of the data, at recorded states."""

    distance: float
    """The mean distance in deviations of the behavior."""
    outside: float
    """The share of recorded states where the policy acts outside."""

    @property
    def problem(self) -> str:
        """Say why the data cannot judge the policy; empty if they may."""
        if self.outside <= MOST_OUTSIDE:
            return ""
        return f"the policy acts outside the data at {self.outside:.0%} of the recorded states"


@dataclass(frozen=True)
class Coverage:
    """The states and actions that the data cover."""

    rows: int
    episodes: int
    spread: float
    """The behavior's deviation in units of half the action range; 1 − μ(likeliest) if discrete."""
    terminals: float
    """The share of episodes that end with a terminal; the others end with the recording."""
    cuts: float
    """The share of episodes after which transitions were removed."""
    volume: float
    """The share of pairs of observation dimensions' cells, 10 × 10 each, that have a row."""

    @property
    def is_deterministic(self) -> bool:
        return self.spread < DETERMINISTIC


def support(
    problem: Problem, behavior: Behavior, policies: Sequence[TrainedPolicy]
) -> list[Support]:
    """Return the support of every policy."""
    states = problem.observations[problem.rows(ROWS)]
    found = []
    for actions in actions_at(policies, states):
        distances = behavior.distance(problem, states, actions)
        found.append(Support(float(distances.mean()), float((distances > FAR).mean())))
    return found


def coverage(problem: Problem, behavior: Behavior) -> Coverage:
    """Return what the data cover."""
    data, rows = problem.dataset, problem.rows(ROWS)
    states, lasts = problem.observations[rows], data.stops - 1
    return Coverage(
        rows=len(data),
        episodes=data.episodes,
        spread=spread(problem, behavior, rows),
        terminals=float(data.terminals[lasts].mean()),
        cuts=0.0 if data.cuts is None else float(data.cuts[lasts].mean()),
        volume=volume(states),
    )


def spread(problem: Problem, behavior: Behavior, rows: Array) -> float:
    """Return how far recorded actions scatter around the most likely ones."""
    states, recorded = problem.observations[rows], problem.actions[rows]
    likely = behavior.most_likely(problem, states)
    if isinstance(problem.dataset.action_space, Box):
        return float(np.sqrt(np.mean((recorded - likely) ** 2)))
    return float(1 - np.exp(behavior.log_density(states, likely)).mean())


def volume(states: Array, cells: int = 10) -> float:
    """Return the mean share of filled cells over all pairs of dimensions; 1 dimension: of cells."""
    low, high = states.min(axis=0), states.max(axis=0)
    scaled = (states - low) / np.where(high > low, high - low, 1)
    index = np.minimum((scaled * cells).astype(int), cells - 1)
    size = states.shape[1]
    if size == 1:
        return len(np.unique(index)) / cells
    shares = [
        len(np.unique(cells * index[:, i] + index[:, j])) / cells**2
        for i in range(size)
        for j in range(i)
    ]
    return float(np.mean(shares))
