"""Mixtures of two kinds of episodes of a dataset, in a given share."""

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset
from instinct.data.predicates import require_rewards
from instinct.errors import BadInput


def outside_mixture(dataset: Dataset, marked: Array, share: float) -> Array:
    """Mark the transitions outside a mixture in which a share of the episodes is marked.

    Every share gives as many episodes as the rarer kind has, in a fixed order at random. So a
    larger share only exchanges episodes.
    """
    number = int(min(marked.sum(), (~marked).sum()))
    if number == 0:
        raise BadInput("all episodes are of the same kind, so there is nothing to mix")
    order = np.random.default_rng(0).permutation(dataset.episodes)
    taken = round(share * number)
    kept = np.zeros(dataset.episodes, np.bool_)
    kept[order[marked[order]][:taken]] = True
    kept[order[~marked[order]][: number - taken]] = True
    return np.repeat(~kept, dataset.lengths)


def outside_bad_mixture(dataset: Dataset, share: float = 0.5) -> Array:
    """Mix the better half of the episodes with the worse one, by return.

    The worse ones are below the median; if none is, they are those at the median.
    """
    require_rewards(dataset)
    returns = dataset.returns
    worse = returns < np.median(returns)
    return outside_mixture(dataset, worse if worse.any() else returns <= np.median(returns), share)


def outside_early_mixture(dataset: Dataset, share: float = 0.5) -> Array:
    """Mix episodes that end by a timeout with those that end early, by a terminal."""
    return outside_mixture(dataset, dataset.terminals[dataset.stops - 1], share)
