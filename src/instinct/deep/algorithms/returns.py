"""Discounted Monte-Carlo returns of recorded episodes, which critics can be fitted to."""

import numpy as np

from instinct.data import Array, Dataset


def monte_carlo_returns(dataset: Dataset, discount: float, after_cut: float) -> Array:
    """Return G = r + γ·r′ + γ²·r″ + … of every transition, to the end of its episode.

    What follows an end has the value 0 after a terminal, `after_cut` where transitions were
    removed, and mean reward/(1 − γ) after any other timeout, where the world went on as before.
    """
    last = dataset.stops - 1
    mean = mean_value(dataset, discount)
    after = np.where(cuts_of(dataset)[last], after_cut, mean)
    following = np.where(dataset.terminals[last], 0.0, after)
    returns = np.zeros(len(dataset))
    rows, starts = last.copy(), dataset.starts
    while len(rows):
        following = dataset.rewards[rows] + discount * following
        returns[rows] = following
        more = rows > starts
        rows, starts, following = rows[more] - 1, starts[more], following[more]
    return np.asarray(returns, np.float32)


def cuts_of(dataset: Dataset) -> Array:
    """Return which transitions an episode was cut after."""
    return np.zeros(len(dataset), bool) if dataset.cuts is None else dataset.cuts


def mean_value(dataset: Dataset, discount: float) -> float:
    """Return mean reward/(1 − γ), the value of a world that goes on as before."""
    return float(dataset.rewards.mean(dtype=np.float64)) / (1 - discount)
