"""Learning from standardised observations, and acting on observations as they are.

Where one sensor's numbers are a hundred times another's, a network learns from the loud one first.
With mean 0 and deviation 1 all are equally loud. The scaling ends up in the first layer of the
policy that is given away, so that whoever acts with it need not know.
"""

import jax
import numpy as np

from instinct.deep.algorithms.algorithm import Data, State
from instinct.deep.nn.networks import MLP

LEAST = 1e-3
"""A number that varies less is not blown up to a deviation of 1."""


def standardised(data: Data) -> Data:
    """All observations with mean 0 and deviation 1, and beside them what they were."""
    observations = data.rows["observations"]
    mean, std = observations.mean(axis=0), np.maximum(observations.std(axis=0), LEAST)
    rows = {
        name: (values - mean) / std if name.endswith("observations") else values
        for name, values in data.rows.items()
    }
    return Data(rows | {"mean": mean, "std": std}, data.told)


def scaling(data: Data) -> State:
    """The part of a state that says how its observations were scaled; nothing if they were not."""
    return {name: data.rows[name] for name in ("mean", "std") if name in data.rows}


def unscaled(network: MLP, state: State) -> MLP:
    """The network for observations as they are: x ↦ W·(x − mean)/std + b in its first layer."""
    if "mean" not in state:
        return network
    first, *rest = network
    weight: jax.Array = first["weight"] / state["std"][:, None]
    return ({"weight": weight, "bias": first["bias"] - state["mean"] @ weight}, *rest)
