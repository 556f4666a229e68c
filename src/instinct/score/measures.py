"""Other measures of a dataset before training: other candidates, and baselines.

TQ and SACo are those of Schweighofer et al., "A Dataset Perspective on Offline Reinforcement
Learning" (arXiv 2111.04714).
"""

import math

import numpy as np
from scipy.signal import lfilter

from instinct.data import Array, Dataset
from instinct.data.discretize import cell_numbers, quantile_edges
from instinct.data.summary import correlation
from instinct.score.cells import DISCOUNT, Cells
from instinct.score.scale import Scale
from instinct.tabular.model import Model, row_ranks

BINS = 5
"""Bins per dimension in which SACo counts distinct pairs."""


def measure(cells: Cells, model: Model, scale: Scale) -> dict[str, float | None]:
    """Return all measures by name; None where one is not defined."""
    dataset = cells.dataset
    left = np.repeat(dataset.stops, dataset.lengths) - np.arange(len(dataset))
    Q = to_go(dataset, dataset.rewards, DISCOUNT)
    return {
        "lifetime": correlation(left.astype(np.float64), to_go(dataset, dataset.rewards, 1.0)),
        "survival": correlation(survival_values(dataset, scale.end == "fall"), Q),
        "coverage": float(model.support.mean()),
        "entropy": behavior_entropy(model),
        "TQ": float(scale.recorded(dataset).mean()),
        "SACo": distinct_pairs(dataset),
        "mean Q": scaled_mean(Q, dataset.rewards),
    }


def to_go(dataset: Dataset, rewards: Array, discount: float) -> Array:
    """Return Σ_k γ^k r_{t+k} over the rest of the episode, for every row t."""
    found = np.empty(len(dataset))
    values = rewards.astype(np.float64)
    for start, stop in zip(dataset.starts, dataset.stops, strict=True):
        found[start:stop] = lfilter([1.0], [1.0, -discount], values[start:stop][::-1])[::-1]
    return found


def survival_values(dataset: Dataset, falls: bool) -> Array:
    """Return the discounted time that is left before a fall; a recording that ends goes on."""
    after = ~dataset.terminals if falls else np.ones(len(dataset), np.bool_)
    rewards = np.where(dataset.ends & after, 1 / (1 - DISCOUNT), 1.0)
    return to_go(dataset, rewards, DISCOUNT)


def behavior_entropy(model: Model) -> float | None:
    """Return the mean entropy of μ(·|s) over the data; 1 is uniform."""
    if model.actions < 2:
        return None
    mu = model.behavior
    entropy = -(mu * np.log(np.where(mu > 0, mu, 1))).sum(axis=1)
    return float(model.distribution.sum(axis=1) @ entropy) / math.log(model.actions)


def distinct_pairs(dataset: Dataset) -> float:
    """Return SACo: distinct pairs of binned observations and actions, per transition.

    The paper divides by the number of a reference dataset, which a single dataset does not have.
    """
    actions = dataset.actions.reshape(len(dataset), -1)
    pairs = np.hstack([binned(dataset.observations), binned(actions)])
    return float(row_ranks(pairs).max() + 1) / len(dataset)


def binned(values: Array) -> Array:
    return (
        values if values.dtype.kind == "i" else cell_numbers(values, quantile_edges(values, BINS))
    )


def scaled_mean(Q: Array, rewards: Array) -> float | None:
    """Return the mean Q of the behavior on a scale from the lowest to the highest possible one."""
    low, high = min(float(rewards.min()), 0.0), max(float(rewards.max()), 0.0)
    return float((Q.mean() * (1 - DISCOUNT) - low) / (high - low)) if low < high else None
