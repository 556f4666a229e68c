"""Numbers about a trained agent that tell whether to trust it, from recorded states alone.

- `action_distance`: mean |π(s) − a| over dimensions, actions scaled to [−1, 1]. If they are
  discrete, the share of states in which the policy takes another action than the recorded one.
- `value_at_starts`, `value_before_ends`: the critics' value of the policy where episodes start, and
  of the recorded action before they end, in the units of the rewards.
- `disagreement`: mean |f₁ − f₂| at recorded pairs, in the units of the rewards.
- `live_units`: the share of units in the critics' last hidden layer that are ever active.

Values of IQL are in the units of its scaled rewards. A number that is not finite is left out.
"""

import math
from collections.abc import Iterable

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Array, Dataset, Discrete
from instinct.deep.algorithms.algorithm import Algorithm, State, encode
from instinct.deep.nn.networks import MLP, after_relu, linear
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

    space = dataset.action_space

    def policy(rows: Array) -> jax.Array:
        observations = jnp.asarray(dataset.observations[rows], jnp.float32)
        actions, _ = algorithm.act(weights, carry, observations, jnp.zeros(len(rows)))
        return jax.nn.one_hot(actions, space.n) if isinstance(space, Discrete) else actions

    rows = evenly_spaced(len(dataset), ROWS)
    recorded = encode(dataset.actions[rows], space)
    distance = jnp.abs(policy(rows) - recorded)
    if isinstance(space, Discrete):
        distance = distance.max(axis=-1)
    found = {"action_distance": float(distance.mean())}
    critics = algorithm.critics_of(state)
    if critics is None:
        return found
    starts = dataset.starts[evenly_spaced(dataset.episodes, ROWS)]
    lasts = dataset.stops[evenly_spaced(dataset.episodes, ROWS)] - 1
    s, last_actions = dataset.observations, encode(dataset.actions[lasts], space)
    values = critics.values(s[rows], recorded)
    return found | {
        "value_at_starts": float(critics.values(s[starts], policy(starts)).mean()),
        "value_before_ends": float(critics.values(s[lasts], last_actions).mean()),
        "disagreement": float(np.abs(values[::2] - values[1::2]).mean()),
        "live_units": live_units(critics.networks(s[rows], recorded)),
    }


def live_units(networks: Iterable[tuple[MLP, jax.Array]]) -> float:
    """Return the share of units in the last hidden layers that are active for any input."""
    shares = []
    for (*hidden, _), x in networks:
        active = x
        for layer in hidden:
            active = jax.nn.relu(linear(layer, x))
            x = after_relu(layer, active)
        shares.append(float((active > 0).any(axis=0).mean()))
    return float(np.mean(shares))
