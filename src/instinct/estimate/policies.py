"""Actions of many trained policies at the same states, without noise.

Policies with the same networks are stacked, so that one program acts for all of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import ActionSpace, Array, Discrete
from instinct.deep import Algorithm, TrainedPolicy, Weights


class Group(NamedTuple):
    """Policies that share a program: their places in the list, and their stacked arrays."""

    places: list[int]
    stacked: tuple[Algorithm, Weights]


def has_memory(policy: TrainedPolicy) -> bool:
    """Tell whether the policy reads more than the last observation."""
    carry = policy.algorithm.start(policy.weights, 1, jax.random.key(0))
    return bool(jax.tree.leaves(carry))


def group(policies: Sequence[TrainedPolicy]) -> Iterator[Group]:
    """Yield the groups of policies that differ in numbers only."""
    trees = [jax.tree.map(jnp.asarray, (each.algorithm, each.weights)) for each in policies]
    places: dict[Any, list[int]] = {}
    for place, tree in enumerate(trees):
        shapes = tuple(leaf.shape for leaf in jax.tree.leaves(tree))
        places.setdefault((jax.tree.structure(tree), shapes), []).append(place)
    for members in places.values():
        yield Group(members, jax.tree.map(lambda *x: jnp.stack(x), *[trees[i] for i in members]))


def mode(pair: tuple[Algorithm, Weights], observations: jax.Array, space: ActionSpace) -> jax.Array:
    """Return the actions of one policy as networks take them: in [−1, 1], or one-hot rows."""
    algorithm, weights = pair
    actions, _ = algorithm.act(weights, (), observations, jnp.zeros(len(observations)))
    return jax.nn.one_hot(actions, space.n) if isinstance(space, Discrete) else actions


def actions_at(policies: Sequence[TrainedPolicy], observations: Array) -> Array:
    """Return the actions of all policies at all states, [policies, states, size]."""
    found: dict[int, Array] = {}
    for places, stacked in group(policies):
        space = policies[places[0]].action_space
        act = jax.jit(jax.vmap(lambda pair, s: mode(pair, s, space), in_axes=(0, None)))  # noqa: B023
        found |= dict(zip(places, np.asarray(act(stacked, jnp.asarray(observations))), strict=True))
    return np.stack([found[place] for place in range(len(policies))])
