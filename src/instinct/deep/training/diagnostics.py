"""Numbers about a trained agent that tell whether to trust it, from recorded states alone.

- `action_distance`: mean |π(s) − a| over dimensions, actions scaled to [−1, 1].
- `value_at_starts`, `value_before_ends`: the critics' value of the policy where episodes start, and
  of the recorded action before they end, in the units of the rewards.
- `disagreement`: mean |f₁ − f₂| at recorded pairs, in the units of the rewards.
- `live_units`: the share of units in the critics' last hidden layer that are ever active.

Values of IQL are in the units of its scaled rewards. A number that is not finite is left out.
"""

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Array, Dataset
from instinct.deep.algorithms.algorithm import Algorithm, State, box_of, to_unit
from instinct.deep.nn.networks import MLP, linear, mlp
from instinct.util.spacing import evenly_spaced

DIAGNOSTICS = {
    "action_distance": "distance from data",
    "value_at_starts": "value at starts",
    "value_before_ends": "value before ends",
    "disagreement": "disagreement",
    "live_units": "live units",
}
"""The diagnostics of an agent, with their column headings."""
LIVE_UNITS = 0.1
"""Critics with a smaller share of live units hardly tell actions apart."""
ROWS = 2000
"""At most so many recorded states are looked at."""


def diagnose(algorithm: Algorithm, state: State, dataset: Dataset) -> dict[str, float]:
    """Return the diagnostics that the algorithm allows for; empty if it needs a history."""
    found = measure(algorithm, state, dataset)
    return {name: value for name, value in found.items() if math.isfinite(value)}


def measure(algorithm: Algorithm, state: State, dataset: Dataset) -> dict[str, float]:
    weights = jax.tree.map(jnp.asarray, algorithm.weights(state))
    carry = algorithm.start(weights, 1, jax.random.key(0))
    if jax.tree.leaves(carry):
        return {}

    def policy(rows: Array) -> jax.Array:
        observations = jnp.asarray(dataset.observations[rows], jnp.float32)
        actions, _ = algorithm.act(weights, carry, observations, jnp.zeros(len(rows)))
        return actions

    box = box_of(dataset)
    rows = evenly_spaced(len(dataset), ROWS)
    recorded = to_unit(dataset.actions[rows], box)
    found = {"action_distance": float(jnp.abs(policy(rows) - recorded).mean())}
    critics = algorithm.critics_of(state)
    if critics is None:
        return found
    starts = dataset.starts[evenly_spaced(dataset.episodes, ROWS)]
    lasts = dataset.stops[evenly_spaced(dataset.episodes, ROWS)] - 1

    def values(rows: Array, actions: Array | jax.Array) -> Array:
        inputs = critics.inputs(dataset.observations[rows], actions)
        return np.stack([np.asarray(mlp(f, inputs)[:, 0]) for f in critics.heads]) / critics.scale

    first, second = values(rows, recorded)
    units = critics.inputs(dataset.observations[rows], recorded)
    return found | {
        "value_at_starts": float(values(starts, policy(starts)).mean()),
        "value_before_ends": float(values(lasts, to_unit(dataset.actions[lasts], box)).mean()),
        "disagreement": float(np.abs(first - second).mean()),
        "live_units": live_units(critics.heads, units),
    }


def live_units(heads: Sequence[MLP], inputs: jax.Array) -> float:
    """Return the share of units in the last hidden layers that are active for any input."""
    shares = []
    for *hidden, _ in heads:
        x = inputs
        for layer in hidden:
            x = jax.nn.relu(linear(layer, x))
        shares.append(float((x > 0).any(axis=0).mean()))
    return float(np.mean(shares))
