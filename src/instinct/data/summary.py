"""Summarize a dataset: counts, and statistics over its episodes."""

from dataclasses import dataclass

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset


@dataclass(frozen=True, repr=False)
class Summary:
    """Counts and statistics over the episodes of a dataset.

    `length_return_correlation` is Pearson's correlation, which measures the length bias. It is
    None if all episodes have the same length or the same return. Data without rewards have no
    returns.

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
    mean_return: float | None
    std_return: float | None
    min_return: float | None
    max_return: float | None
    mean_length: float
    std_length: float
    min_length: int
    max_length: int
    length_return_correlation: float | None
    mean_cost: float | None
    repairs: tuple[str, ...]
    hash: str

    def __repr__(self) -> str:
        mean = "no rewards"
        if self.mean_return is not None:
            mean = f"mean return {self.mean_return:.4g}"
        return (
            f"Summary({self.transitions:,} transitions, {self.episodes:,} episodes: "
            f"{mean}, mean length {self.mean_length:.4g})"
        )


def summarize(dataset: Dataset) -> Summary:
    returns, lengths, known = dataset.returns, dataset.lengths, dataset.has_rewards
    costs = None if dataset.costs is None else dataset.per_episode(dataset.costs)
    return Summary(
        transitions=len(dataset),
        episodes=dataset.episodes,
        terminals=int(dataset.terminals.sum()),
        timeouts=int(dataset.timeouts.sum()),
        observation_dimension=dataset.observations.shape[1],
        action_space=str(dataset.action_space),
        mean_return=float(returns.mean()) if known else None,
        std_return=float(returns.std()) if known else None,
        min_return=float(returns.min()) if known else None,
        max_return=float(returns.max()) if known else None,
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
