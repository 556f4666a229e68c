"""Reference losses of all algorithms in plain numpy and double precision."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from instinct.data import Array

Tree = Any


def double(tree: Tree) -> Tree:
    return jax.tree.map(lambda leaf: np.array(leaf, np.float64), tree)


def central_differences(loss: Callable[[Tree], float], tree: Tree, step: float = 1e-6) -> Tree:
    """Return the gradient of a loss at up to ten entries of every array, NaN at the others."""
    tree = double(tree)
    random = np.random.default_rng(0)

    def derivative(leaf: Array) -> Array:
        gradient = np.full_like(leaf, np.nan)
        for place in random.permutation(leaf.size)[:10]:
            index = np.unravel_index(place, leaf.shape)
            kept = leaf[index]
            leaf[index] = kept + step
            above = loss(tree)
            leaf[index] = kept - step
            below = loss(tree)
            leaf[index] = kept
            gradient[index] = (above - below) / (2 * step)
        return gradient

    return jax.tree.map(derivative, tree)


def mlp(layers: Tree, x: Array) -> Array:
    for i, layer in enumerate(layers):
        x = x @ layer["weight"] + layer["bias"]
        x = np.maximum(x, 0) if i < len(layers) - 1 else x
    return x


def f(layers: Tree, *inputs: Array) -> Array:
    return mlp(layers, np.concatenate(inputs, axis=-1))[..., 0]


def normalized_mlp(layers: Tree, x: Array) -> Array:
    """Apply layers with ReLU and then a layer normalization between them."""
    for layer in layers[:-1]:
        norm = {"weight": layer["scale"], "bias": layer["shift"]}
        x = layer_norm(norm, np.maximum(dense(layer, x), 0))
    return dense(layers[-1], x)


def action_gradient(layers: Tree, s: Array, a: Array) -> Array:
    """Return the gradient of f(s, a) by the action, layer by layer from the output."""
    x, active = np.concatenate([s, a], axis=-1), []
    for layer in layers[:-1]:
        x = dense(layer, x)
        active.append(x > 0)
        x = np.maximum(x, 0)
    back = np.ones((len(s), 1))
    for i, layer in reversed([*enumerate(layers)]):
        back = back @ layer["weight"].T
        back = back * active[i - 1] if i else back
    return np.asarray(back[:, s.shape[1] :])


def probabilities(policy: Tree, s: Array) -> Array:
    """Return π(a|s) of a categorical policy for all actions."""
    weight = np.exp(mlp(policy, s))
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def normal_density(x: Array, mean: Array, std: Array) -> Array:
    z = (x - mean) / std
    return np.asarray(np.exp(-(z**2) / 2) / (std * np.sqrt(2 * np.pi)))


def squashed_log_density(a: Array, mean: Array, std: Array, c: float) -> Array:
    """Return the log-density of c·tanh(u) per dimension, by the change of variables."""
    x = np.clip(a / c, -(1 - 1e-6), 1 - 1e-6)
    return np.log(normal_density(np.arctanh(x), mean, std) / (c * (1 - x**2)))


def mean_and_std(policy: Tree, s: Array) -> tuple[Array, Array]:
    """Return mean and standard deviation of the scaled tanh-Gaussian."""
    mean, log_std = np.split(mlp(policy, s), 2, axis=-1)
    return mean, np.exp(np.clip(log_std, np.log(1e-5), np.log(10)))


def combined(x: float, y: float, w: float) -> float:
    return x / w + y if w > 1 else x + w * y


def layer_norm(layer: Tree, x: Array) -> Array:
    spread = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
    return np.asarray(
        (x - x.mean(axis=-1, keepdims=True)) / spread * layer["weight"] + layer["bias"]
    )


def dense(layer: Tree, x: Array) -> Array:
    return np.asarray(x @ layer["weight"] + layer["bias"])


def decision_transformer(policy: Tree, window: Any) -> list[Array]:
    """Predict the actions of the real steps, one window and one token at a time."""
    return [np.tanh(outputs) for outputs in last_layer(policy, window)]


def last_layer(policy: Tree, window: Any) -> list[Array]:
    """Return the outputs of the last layer at the real steps."""
    answers = []
    for i in range(len(window.real)):
        kept = np.flatnonzero(window.real[i])
        tokens = []
        for t in kept:
            time = policy["step"][window.steps[i, t]]
            tokens.append(dense(policy["return"], window.returns[i, t, None]) + time)
            tokens.append(dense(policy["observation"], window.observations[i, t]) + time)
            tokens.append(dense(policy["action"], window.actions[i, t]) + time)
        x = layer_norm(policy["embedded"], np.array(tokens))
        for block in policy["transformer"]["blocks"]:
            x = x + attention(block, layer_norm(block["before_attention"], x))
            hidden = np.maximum(dense(block["widen"], layer_norm(block["before_network"], x)), 0)
            x = x + dense(block["narrow"], hidden)
        x = layer_norm(policy["transformer"]["after"], x)
        answers.append(dense(policy["answer"], x[1::3]))
    return answers


def attention(block: Tree, h: Array) -> Array:
    query = dense(block["query"], h)
    key, value = np.split(dense(block["key_value"], h), 2, axis=-1)
    out = np.zeros_like(h)
    for i in range(len(h)):
        scores = key[: i + 1] @ query[i] / np.sqrt(h.shape[-1])
        weight = np.exp(scores - scores.max())
        out[i] = weight / weight.sum() @ value[: i + 1]
    return dense(block["attended"], out)
