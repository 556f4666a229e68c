"""A causal transformer as pure functions of plain trees of arrays."""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from instinct.deep.nn.networks import draw_arrays, linear, norm, norm_init

MASKED = -1e9
"""The attention score of a token that must not be seen."""


class Dropout(NamedTuple):
    """Sets a share of the values to 0 and scales up the others; every step has its own `key`."""

    rate: jax.Array | float
    key: jax.Array

    def __call__(self, x: jax.Array, place: int) -> jax.Array:
        """Apply dropout to `x`; every place in the network has its own number."""
        bits = hashed_bits(jax.random.fold_in(self.key, place), x.shape)
        threshold = jnp.uint32(self.rate * 2.0**32)
        return jnp.where(bits >= threshold, x / (1 - self.rate), 0)


def hashed_bits(key: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """Return 32 bits per element: its index and the key, mixed by two multiplications.

    This costs a twentieth of JAX's own generator and is good enough for dropout.
    """
    first, second = jax.random.key_data(key)
    x: jax.Array = jax.lax.iota(jnp.uint32, math.prod(shape)).reshape(shape) + first
    x = (x ^ (x >> 16)) * jnp.uint32(0x7FEB352D) + second
    x = (x ^ (x >> 15)) * jnp.uint32(0x846CA68B)
    return x ^ (x >> 16)


def transformer_init(key: jax.Array, layers: int, width: int) -> dict[str, Any]:
    """Draw blocks of attention and of a ReLU network four times as wide.

    Weights are from N(0, 0.02²), biases are 0.
    """
    linears = {
        "query": (width, width),
        "key_value": (width, 2 * width),
        "attended": (width, width),
        "widen": (width, 4 * width),
        "narrow": (4 * width, width),
    }
    weights = draw_arrays(jax.random.normal, key, [*linears.values()] * layers)
    blocks = []
    for i in range(layers):
        block = {"before_attention": norm_init(width), "before_network": norm_init(width)}
        for j, (name, (_, fan_out)) in enumerate(linears.items()):
            weight = 0.02 * weights[i * len(linears) + j]
            block[name] = {"weight": weight, "bias": jnp.zeros(fan_out)}
        blocks.append(block)
    return {"blocks": tuple(blocks), "after": norm_init(width)}


def transformer(
    weights: dict[str, Any],
    tokens: jax.Array,
    real: jax.Array,
    queried: slice,
    dropout: Dropout | None = None,
) -> jax.Array:
    """Return the outputs at the queried tokens, each from the real tokens up to itself.

    `tokens` is [batch, length, width] and `real` [batch, length]. The last block computes only the
    queried tokens.
    """

    def drop(x: jax.Array, place: int) -> jax.Array:
        return x if dropout is None else dropout(x, place)

    length = tokens.shape[1]
    before = jnp.tril(jnp.ones((length, length), bool))
    bias = jnp.where(before & real[:, None, :], 0.0, MASKED)
    x = drop(tokens, 0)
    for i, block in enumerate(weights["blocks"]):
        if i == len(weights["blocks"]) - 1:
            queries, bias = queried, bias[:, queried]
        else:
            queries = slice(None)
        h = norm(block["before_attention"], x)
        key, value = jnp.split(linear(block["key_value"], h), 2, axis=-1)
        query = linear(block["query"], h[:, queries]) / math.sqrt(x.shape[-1])
        scores = jnp.einsum("bqw,bkw->bqk", query, key) + bias
        attention = drop(jax.nn.softmax(scores), 3 * i + 1)
        attended = jnp.einsum("bqk,bkw->bqw", attention, value)
        x = x[:, queries] + drop(linear(block["attended"], attended), 3 * i + 2)
        hidden = jax.nn.relu(linear(block["widen"], norm(block["before_network"], x)))
        x = x + drop(linear(block["narrow"], hidden), 3 * i + 3)
    return norm(weights["after"], x)
