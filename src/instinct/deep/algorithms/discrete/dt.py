"""DT for discrete actions: it predicts which action comes next, by the cross entropy."""

from typing import ClassVar, Literal

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import Carry, Weights, hyperparameters
from instinct.deep.algorithms.dt import DT
from instinct.deep.nn.networks import expected


@hyperparameters
class DiscreteDT(DT):
    """Predicts actions from the returns-to-go, states and actions of the last K steps.

    It differs from the continuous one in the last layer: logits and their cross entropy instead of
    tanh and the squared error, as in the paper's Atari experiments. An action token is the
    embedding of its action: a linear layer of a one-hot row.
    """

    NAME: ClassVar[str] = "DT"
    ACTIONS: ClassVar[Literal["continuous", "discrete"]] = "discrete"

    def answer(self, outputs: jax.Array) -> jax.Array:
        """Return log π(·|history)."""
        return jax.nn.log_softmax(outputs)

    def action_error(
        self, predicted: jax.Array, actions: jax.Array, weight: jax.Array
    ) -> jax.Array:
        """Return the mean cross entropy over all steps, each with its weight."""
        return -jnp.mean(weight * expected(actions, predicted))

    def choose(self, predicted: jax.Array) -> jax.Array:
        """Return the most likely actions as one-hot rows."""
        return jax.nn.one_hot(jnp.argmax(predicted, axis=-1), predicted.shape[-1])

    def act(
        self, weights: Weights, carry: Carry, observations: jax.Array, rewards: jax.Array
    ) -> tuple[jax.Array, Carry]:
        """Return the most likely actions, as numbers."""
        actions, carry = super().act(weights, carry, observations, rewards)
        return jnp.argmax(actions, axis=-1), carry
