"""Networks as plain trees of arrays, and three kinds of policies as pure functions.

A policy returns a `Normal` for every state. Squashed policies act with c·tanh(u), u ~ Normal.
Log-probabilities are per dimension of the action.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

Layer = dict[str, jax.Array]
MLP = tuple[Layer, ...]
Gaussian = dict[str, Any]
"""A Gaussian policy: `network` for the mean, and `log_std`."""
LOG_2 = math.log(2.0)
HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
EDGE = 1 - 1e-6
"""Actions beyond ±`EDGE`·c count as actions at the edge, so that arctanh is finite."""
NARROW = 8
"""At most so many columns are few: column by column is then faster than a matrix product."""


class PerAction(NamedTuple):
    """A critic of discrete actions: one output f(s, a) for every action a.

    Actions are given as their probabilities, [batch, |A|], one-hot for a recorded action.
    """

    layers: MLP


Critic = MLP | PerAction
Twins = tuple[Critic, Critic]
Heads = tuple[Critic, ...]
"""Critics in pairs of twins: (f₁, f₂), (f₃, f₄), …"""


class Normal(NamedTuple):
    """A normal distribution for every state and dimension."""

    mean: jax.Array
    log_std: jax.Array


def mlp_init(key: jax.Array, sizes: Sequence[int]) -> MLP:
    """Draw layers with weights and biases from U(±1/√fan_in)."""
    shapes = [(fan_in + 1, fan_out) for fan_in, fan_out in itertools.pairwise(sizes)]
    draws = draw_arrays(jax.random.uniform, key, shapes, minval=-1.0, maxval=1.0)
    scaled = [draw / math.sqrt(len(draw) - 1) for draw in draws]
    return tuple({"weight": draw[:-1], "bias": draw[-1]} for draw in scaled)


def small_output_init(key: jax.Array, sizes: Sequence[int], bound: float) -> MLP:
    """Draw layers as `mlp_init`, but hidden biases are 0.1, and outputs begin near 0.

    Weights and biases of the last layer are from U(±bound).
    """
    *hidden, last = mlp_init(key, sizes)
    scale = bound * math.sqrt(sizes[-2])
    biased = (
        {"weight": each["weight"], "bias": jnp.full_like(each["bias"], 0.1)} for each in hidden
    )
    return (*biased, {name: scale * array for name, array in last.items()})


def draw_arrays(
    distribution: Callable[..., jax.Array],
    key: jax.Array,
    shapes: Sequence[tuple[int, ...]],
    **options: float,
) -> list[jax.Array]:
    """Draw random arrays of several shapes at once, which compiles much faster."""
    sizes = [math.prod(shape) for shape in shapes]
    numbers = distribution(key, (sum(sizes),), **options)
    parts = jnp.split(numbers, list(itertools.accumulate(sizes))[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def linear(layer: Layer, x: jax.Array) -> jax.Array:
    """Return x·W + b. All rows of x form one matrix, so that the gradient is one product too."""
    rows = x.reshape(-1, x.shape[-1]) @ layer["weight"] + layer["bias"]
    return rows.reshape(*x.shape[:-1], -1)


def output(layer: Layer, x: jax.Array) -> jax.Array:
    """Return x·W + b; for a W of few columns its gradient is computed without a matrix product."""
    if layer["weight"].shape[1] > NARROW:
        return linear(layer, x)
    rows = narrow_product(x.reshape(-1, x.shape[-1]), layer["weight"]) + layer["bias"]
    return rows.reshape(*x.shape[:-1], -1)


@jax.custom_vjp
def narrow_product(x: jax.Array, weight: jax.Array) -> jax.Array:
    """Return x·W. The gradient of W is computed by sums, column by column.

    As one product xᵀ·g it takes a CPU five times as long, which copies all of x into another order
    before.
    """
    return x @ weight


def narrow_product_forward(x: jax.Array, weight: jax.Array) -> tuple[jax.Array, Any]:
    return x @ weight, (x, weight)


def narrow_product_backward(factors: Any, g: jax.Array) -> tuple[jax.Array, jax.Array]:
    x, weight = factors
    columns = [jnp.sum(x * g[:, [j]], axis=0) for j in range(weight.shape[1])]
    return g @ weight.T, jnp.stack(columns, axis=1)


narrow_product.defvjp(narrow_product_forward, narrow_product_backward)


def mlp(
    layers: MLP, x: jax.Array, last: Callable[[Layer, jax.Array], jax.Array] = linear
) -> jax.Array:
    """Apply the layers, with ReLU between them; `last` applies the last one."""
    for layer in layers[:-1]:
        x = after_relu(layer, jax.nn.relu(linear(layer, x)))
    return last(layers[-1], x)


def after_relu(layer: Layer, x: jax.Array) -> jax.Array:
    """Normalize the units of a layer, if it has a layer normalization."""
    return norm({"weight": layer["scale"], "bias": layer["shift"]}, x) if "scale" in layer else x


def norm_init(width: int) -> Layer:
    return {"weight": jnp.ones(width), "bias": jnp.zeros(width)}


def norm(layer: Layer, x: jax.Array) -> jax.Array:
    """Normalize every row to mean 0 and variance 1, then scale and shift it as learned."""
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = jnp.mean(centered**2, axis=-1, keepdims=True)
    return centered * jax.lax.rsqrt(variance + 1e-5) * layer["weight"] + layer["bias"]


def with_norms(layers: MLP) -> MLP:
    """Add a layer normalization after the ReLU of every hidden layer."""
    *hidden, last = layers
    ones = [norm_init(layer["bias"].shape[-1]) for layer in hidden]
    pairs = zip(hidden, ones, strict=True)
    return (*(h | {"scale": n["weight"], "shift": n["bias"]} for h, n in pairs), last)


def value(f: Critic, *inputs: jax.Array) -> jax.Array:
    """Return the scalar output for the concatenated inputs: f(s, a) or V(s).

    For a critic of discrete actions this is f(s, π) = Σ over a of π(a)·f(s, a), exactly.
    """
    if isinstance(f, PerAction):
        s, probabilities = inputs
        return expected(probabilities, mlp(f.layers, s))
    return mlp(f, jnp.concatenate(inputs, axis=-1))[..., 0]


def expected(probabilities: jax.Array, values: jax.Array) -> jax.Array:
    """Return Σ over a of π(a)·values(a) of every state."""
    return jnp.sum(probabilities * values, axis=-1)


def twins_init(
    key: jax.Array, inputs: int, layers: int, units: int, outputs: int = 1
) -> tuple[MLP, MLP]:
    """Draw two critics f₁, f₂, by default with scalar output."""
    first, second = jax.random.split(key)
    sizes = [inputs, *[units] * layers, outputs]
    return mlp_init(first, sizes), mlp_init(second, sizes)


def heads_init(
    key: jax.Array,
    observations: int,
    actions: int,
    layers: int,
    units: int,
    *,
    pairs: int,
    per_action: bool,
) -> Heads:
    """Draw pairs of twin critics."""
    keys = [key] if pairs == 1 else jax.random.split(key, pairs)
    twins = (
        critics_init(each, observations, actions, layers, units, per_action=per_action)
        for each in keys
    )
    return tuple(itertools.chain.from_iterable(twins))


def critics_init(
    key: jax.Array, observations: int, actions: int, layers: int, units: int, *, per_action: bool
) -> Twins:
    """Draw twin critics that take (s, a), or that have one output per action."""
    if not per_action:
        return twins_init(key, observations + actions, layers, units)
    first, second = twins_init(key, observations, layers, units, outputs=actions)
    return PerAction(first), PerAction(second)


def twin_minimum(twins: Twins, *inputs: jax.Array) -> jax.Array:
    """Return the smaller of two critics at (s, a); for discrete actions its mean over a ~ π(s)."""
    first, second = twins
    if isinstance(first, PerAction) and isinstance(second, PerAction):
        s, probabilities = inputs
        return expected(probabilities, jnp.minimum(mlp(first.layers, s), mlp(second.layers, s)))
    return jnp.minimum(value(first, *inputs), value(second, *inputs))


def pair_minima(heads: Heads, *inputs: jax.Array) -> jax.Array:
    """Return, for every head, the smaller value of its pair of twins at (s, a)."""
    pairs = zip(heads[::2], heads[1::2], strict=True)
    return jnp.stack([f for pair in pairs for f in 2 * [twin_minimum(pair, *inputs)]])


def moving_average(target: Any, online: Any, rate: jax.Array | float) -> Any:
    """Return (1 − rate)·target + rate·online."""
    return jax.tree.map(lambda old, new: old + rate * (new - old), target, online)


def scaled_tanh_gaussian_init(
    key: jax.Array, observations: int, actions: int, layers: int, units: int
) -> MLP:
    """Draw one network for mean and log-std; the log-std starts at 0 in every state."""
    *hidden, last = mlp_init(key, [observations, *[units] * layers, 2 * actions])
    return (*hidden, {name: array.at[..., actions:].set(0) for name, array in last.items()})


def scaled_tanh_gaussian(policy: MLP, observations: jax.Array) -> Normal:
    """Return the distribution, with log-std in [log 1e-5, log 10]."""
    mean, log_std = jnp.split(mlp(policy, observations), 2, axis=-1)
    return Normal(mean, jnp.clip(log_std, math.log(1e-5), math.log(10)))


def tanh_gaussian_init(
    key: jax.Array, observations: int, actions: int, layers: int, units: int
) -> dict[str, Any]:
    return {
        "network": mlp_init(key, [observations, *[units] * layers, 2 * actions]),
        "multiplier": jnp.array(1.0),
        "offset": jnp.array(-1.0),
    }


def tanh_gaussian(policy: dict[str, Any], observations: jax.Array) -> Normal:
    """Return the distribution; log-std = multiplier·output + offset in [−20, 2], both learned."""
    mean, output = jnp.split(mlp(policy["network"], observations), 2, axis=-1)
    return Normal(mean, jnp.clip(policy["multiplier"] * output + policy["offset"], -20, 2))


def gaussian_init(
    key: jax.Array, observations: int, actions: int, layers: int, units: int
) -> dict[str, Any]:
    return {
        "network": mlp_init(key, [observations, *[units] * layers, actions]),
        "log_std": jnp.zeros(actions),
    }


def gaussian(policy: dict[str, Any], observations: jax.Array) -> Normal:
    """Return the distribution; log-std in [−5, 2] is the same in every state."""
    mean = mlp(policy["network"], observations, last=output)
    return Normal(mean, jnp.clip(policy["log_std"], -5, 2))


def gaussian_log_prob(normal: Normal, x: jax.Array) -> jax.Array:
    z = (x - normal.mean) * jnp.exp(-normal.log_std)
    return -0.5 * z**2 - normal.log_std - HALF_LOG_2PI


def gaussian_divergence(p: Normal, q: Normal) -> jax.Array:
    """Return KL(p, q) of every state and dimension."""
    ratio = p.log_std - q.log_std
    shift = (p.mean - q.mean) * jnp.exp(-q.log_std)
    return 0.5 * (jnp.exp(2 * ratio) + shift**2 - 1) - ratio


def squashed_sample(
    normal: Normal, noise: jax.Array, c: jax.Array | float
) -> tuple[jax.Array, jax.Array]:
    """Return a = c·tanh(u) for u = mean + std·noise, and log π(a)."""
    u = normal.mean + jnp.exp(normal.log_std) * noise
    log_prob = -0.5 * noise**2 - normal.log_std - HALF_LOG_2PI - log_slope(u, c)
    return c * jnp.tanh(u), log_prob


def squashed_log_prob(normal: Normal, actions: jax.Array, c: jax.Array | float) -> jax.Array:
    """Return log π(a) of given actions; those on the boundary are moved inside by 1e-6."""
    u = jnp.arctanh(jnp.clip(actions / c, -EDGE, EDGE))
    return gaussian_log_prob(normal, u) - log_slope(u, c)


def log_slope(u: jax.Array, c: jax.Array | float) -> jax.Array:
    """Return the log of the derivative of c·tanh(u), exact also where tanh is flat."""
    return jnp.log(c) + 2 * (LOG_2 - u - jax.nn.softplus(-2 * u))
