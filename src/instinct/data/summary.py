"""Summarize a dataset: counts, and statistics over its episodes."""

from dataclasses import dataclass

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset


@dataclass(frozen=True, repr=False)
class Summary:
    """Counts and statistics over the episodes of a dataset.

    `length_return_correlation` is Pearson's correlation, which measures the length bias. It is
    None if all episodes have the same length or the same return.

    >>> import instinct
    >>> instinct.inspect("gridworld")
    Summary(4,500 transitions, 500 episodes: mean return -0.68, mean length 9)
    """

    transitions: int
    episodes: int
    terminals: int
    timeouts: int
    observation_dimension: int
    action_space: str
    mean_return: float
    std_return: float
    min_return: float
    max_return: float
    mean_length: float
    std_length: float
    min_length: int
    max_length: int
    length_return_correlation: float | None
    mean_cost: float | None
    repairs: tuple[str, ...]
    hash: str

    def __repr__(self) -> str:
        return (
            f"Summary({self.transitions:,} transitions, {self.episodes:,} episodes: "
            f"mean return {self.mean_return:.4g}, mean length {self.mean_length:.4g})"
        )


def summarize(dataset: Dataset) -> Summary:
    returns, lengths = dataset.returns, dataset.lengths
    costs = None if dataset.costs is None else dataset.per_episode(dataset.costs)
    return Summary(
        transitions=len(dataset),
        episodes=dataset.episodes,
        terminals=int(dataset.terminals.sum()),
        timeouts=int(dataset.timeouts.sum()),
        observation_dimension=dataset.observations.shape[1],
        action_space=str(dataset.action_space),
        mean_return=float(returns.mean()),
        std_return=float(returns.std()),
        min_return=float(returns.min()),
        max_return=float(returns.max()),
        mean_length=float(lengths.mean()),
        std_length=float(lengths.std()),
        min_length=int(lengths.min()),
        max_length=int(lengths.max()),
        length_return_correlation=correlation(lengths, returns),
        mean_cost=None if costs is None else float(costs.mean()),
        repairs=dataset.repairs,
        hash=dataset.hash,
    )


def correlation(x: Array, y: Array) -> float | None:
    """Return Pearson's correlation, or None if one of the two is constant up to rounding."""
    x, y = x - x.mean(), y - y.mean()
    scale = np.abs(x).max(), np.abs(y).max()
    if min(scale) <= 1e-12 * max(1.0, *scale):
        return None
    x, y = x / scale[0], y / scale[1]
    return float(np.clip((x @ y) / np.sqrt((x @ x) * (y @ y)), -1, 1))
