"""Categorical policies: what all algorithms for discrete actions share."""

import math
from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import Weights
from instinct.deep.nn.networks import MLP, expected, mlp, mlp_init

ENTROPY_SHARE = 0.1
"""The entropy that temperatures steer to, as a share of log |A|, the largest possible.

Discrete SAC has 0.98, to explore. Offline a policy that is nearly uniform would leave the data;
−dim(A), the target for continuous actions, is also that of a narrow policy.
"""


class Categorical:
    """The part of an algorithm that is its categorical policy; it stands before the algorithm.

    `layers` and `units` are those of the algorithm.
    """

    ACTIONS: ClassVar[Literal["continuous", "discrete"]] = "discrete"
    layers: int
    units: int

    def init_policy(self, key: jax.Array, observations: int, actions: int) -> Any:
        """Draw the network of the logits."""
        return mlp_init(key, [observations, *[self.units] * self.layers, actions])

    def log_likelihood(self, policy: Any, s: jax.Array, a: jax.Array) -> jax.Array:
        """Return log π(a|s) of every row."""
        return expected(a, log_policy(policy, s))

    def entropy_target(self, actions: int) -> float:
        """Return the entropy that the temperature steers to, for so many actions."""
        return ENTROPY_SHARE * math.log(actions)

    def mode(self, weights: Weights, observations: jax.Array) -> jax.Array:
        """Return the most likely actions, as numbers."""
        return jnp.argmax(mlp(weights["policy"], observations), axis=-1)


def log_policy(policy: MLP, s: jax.Array) -> jax.Array:
    """Return log π(·|s) of every state, [batch, |A|]."""
    return jax.nn.log_softmax(mlp(policy, s))


def negative_entropy(log_pi: jax.Array) -> jax.Array:
    """Return Σ over a of π(a)·log π(a) of every state."""
    return expected(jnp.exp(log_pi), log_pi)
