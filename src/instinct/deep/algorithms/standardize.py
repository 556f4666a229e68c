"""Learn from standardized observations, and act on observations as the task gives them.

A network learns first from the observations with the largest numbers. With mean 0 and standard
deviation 1 all have the same size. The scaling is folded into the first layer of the final policy,
so that the policy takes unscaled observations.
"""

from typing import NamedTuple

import jax
import numpy as np

from instinct.deep.algorithms.algorithm import Data
from instinct.deep.nn.networks import MLP

LEAST = 1e-3
"""The smallest standard deviation to divide by."""


class Scaling(NamedTuple):
    """Mean and standard deviation of the observations in the data."""

    mean: jax.Array
    std: jax.Array


def standardized(data: Data) -> Data:
    """Return the data with observations of mean 0 and deviation 1, and both numbers beside them."""
    observations = data.rows["observations"]
    mean, std = observations.mean(axis=0), np.maximum(observations.std(axis=0), LEAST)
    rows = {
        name: (values - mean) / std if name.endswith("observations") else values
        for name, values in data.rows.items()
    }
    return Data(rows | {"mean": mean, "std": std}, data.rewards)


def scaling_of(data: Data) -> Scaling | None:
    """Return how the observations were scaled; None if they were not."""
    return Scaling(data.rows["mean"], data.rows["std"]) if "mean" in data.rows else None


def unscaled(network: MLP, scaling: Scaling | None) -> MLP:
    """Fold the scaling into the first layer: x ↦ W·(x − mean)/std + b."""
    if scaling is None:
        return network
    first, *rest = network
    weight: jax.Array = first["weight"] / scaling.std[:, None]
    return ({"weight": weight, "bias": first["bias"] - scaling.mean @ weight}, *rest)
