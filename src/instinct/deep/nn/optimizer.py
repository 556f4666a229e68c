"""Adam and AdamW as one pure step, and gradients of large batches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

MEAN_DECAY, SQUARE_DECAY, EPSILON = 0.9, 0.999, 1e-8

Loss = Callable[[Any, Any], tuple[jax.Array, Any]]
P = TypeVar("P")


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Adam:
    """The state of Adam: the number of steps, running means of the gradient and of its square."""

    count: jax.Array
    mean: Any
    square: Any


class Learner(NamedTuple, Generic[P]):
    """Trained parameters with the state of their optimizer."""

    params: P
    optimizer: Adam

    def step(
        self,
        rate: jax.Array | float,
        gradient: Any,
        *,
        decay: jax.Array | float = 0.0,
        epsilon: jax.Array | float = EPSILON,
    ) -> "Learner[P]":
        """Make one step of Adam down the gradient."""
        return Learner(*adam_step(rate, gradient, self.optimizer, self.params, decay, epsilon))


def new_learner(params: P) -> Learner[P]:
    """Return the parameters with a fresh optimizer."""
    return Learner(params, adam_init(params))


def mean_gradient(loss: Loss, parameters: Any, batch: Any, rows: int) -> tuple[Any, Any]:
    """Return ((loss, metrics), gradient) of a batch, computed over a few rows at a time.

    `loss` returns its value and metrics, all of them means over the rows of its batch. The batch is
    divided into parts of equal size, at most `rows` each. The arrays of one part fit into the
    processor's cache.
    """
    size = len(jax.tree.leaves(batch)[0])
    rows = max(n for n in range(1, rows + 1) if size % n == 0)
    parts = jax.tree.map(lambda x: x.reshape(-1, rows, *x.shape[1:]), batch)
    of_part = jax.jit(jax.value_and_grad(loss, has_aux=True))

    def add(total: Any, part: Any) -> tuple[Any, None]:
        return jax.tree.map(jnp.add, total, of_part(parameters, part)), None

    shapes = jax.eval_shape(of_part, parameters, jax.tree.map(lambda x: x[0], parts))
    zeros = jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), shapes)
    total, _ = jax.lax.scan(add, zeros, parts)
    mean: tuple[Any, Any] = jax.tree.map(lambda x: x * (rows / size), total)
    return mean


def adam_init(parameters: Any) -> Adam:
    """Return the state before the first step."""
    return Adam(
        count=jnp.zeros((), jnp.int32),
        mean=jax.tree.map(jnp.zeros_like, parameters),
        square=jax.tree.map(jnp.zeros_like, parameters),
    )


def adam_step(
    rate: jax.Array | float,
    gradient: Any,
    adam: Adam,
    parameters: Any,
    decay: jax.Array | float = 0.0,
    epsilon: jax.Array | float = EPSILON,
) -> tuple[Any, Adam]:
    """Return the parameters and the state after one step; `decay` is AdamW's weight decay.

    Gradients much smaller than `epsilon` change nothing. All others change the parameters by about
    `rate`, however small they are.
    """
    t = adam.count + 1
    mean = jax.tree.map(lambda m, g: m + (1 - MEAN_DECAY) * (g - m), adam.mean, gradient)
    square = jax.tree.map(lambda v, g: v + (1 - SQUARE_DECAY) * (g * g - v), adam.square, gradient)
    mean_scale = 1 / (1 - MEAN_DECAY**t)
    square_scale = 1 / (1 - SQUARE_DECAY**t)

    def step(p: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        change: jax.Array = mean_scale * m / (jnp.sqrt(square_scale * v) + epsilon)
        return p - rate * (change + decay * p)

    parameters = jax.tree.map(step, parameters, mean, square)
    return parameters, Adam(t, mean, square)


def rising(rate: jax.Array | float, optimizer: Adam, steps: jax.Array | float) -> jax.Array:
    """Return a rate that rises linearly from 0 over the first `steps` of an optimizer."""
    return rate * jnp.minimum(1, (optimizer.count + 1) / jnp.maximum(steps, 1))


def cosine(rate: jax.Array | float, adam: Adam, steps: jax.Array | int) -> jax.Array:
    """Return the learning rate after the steps so far; it falls from `rate` to 0 over `steps`."""
    share: jax.Array = adam.count / steps
    return 0.5 * rate * (1 + jnp.cos(jnp.pi * share))


def clip_norm(gradient: Any, limit: jax.Array | float) -> Any:
    """Scale the gradient down to a norm of at most `limit` over all its arrays."""
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(gradient)))
    scale = jnp.minimum(1, limit / (norm + 1e-6))
    return jax.tree.map(lambda g: scale * g, gradient)
