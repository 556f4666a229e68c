"""Densities, the optimizer, and the rule that combines two terms."""

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instinct.deep.algorithms.algorithm import combine
from instinct.deep.algorithms.warm_start import limit_norm
from instinct.deep.nn.networks import (
    Normal,
    gaussian,
    gaussian_init,
    gaussian_log_prob,
    output,
    scaled_tanh_gaussian,
    scaled_tanh_gaussian_init,
    squashed_log_prob,
    squashed_sample,
    tanh_gaussian,
    tanh_gaussian_init,
)
from instinct.deep.nn.optimizer import Adam, adam_init, adam_step, clip_norm, cosine, mean_gradient

KEY = jax.random.key(0)


@pytest.mark.parametrize(("mean", "log_std", "c"), [(0.3, -0.5, 1.0), (-1.0, 0.2, 1.2)])
def test_squashed_density(mean: float, log_std: float, c: float) -> None:
    """It integrates to 1, and a sample's density is that of its action."""
    normal = Normal(jnp.array(mean), jnp.array(log_std))
    grid = jnp.linspace(-c, c, 200_001)[1:-1]
    density = np.exp(np.asarray(squashed_log_prob(normal, grid, c), float))
    np.testing.assert_allclose(np.trapezoid(density, grid), 1, atol=1e-3)
    a, log_prob = squashed_sample(normal, jnp.linspace(-2, 2, 9), c)
    np.testing.assert_allclose(squashed_log_prob(normal, a, c), log_prob, rtol=1e-3, atol=1e-3)


def test_gaussian_density() -> None:
    normal = Normal(jnp.array(0.4), jnp.array(-1.0))
    grid = jnp.linspace(-3, 4, 10_001)
    density = np.exp(np.asarray(gaussian_log_prob(normal, grid), float))
    np.testing.assert_allclose(np.trapezoid(density, grid), 1, atol=1e-4)


@pytest.mark.parametrize("c", [1.0, 1.2])
def test_actions_on_the_boundary(c: float) -> None:
    normal = Normal(jnp.zeros(2), jnp.zeros(2))
    gradient = jax.grad(
        lambda mean: squashed_log_prob(
            Normal(mean, normal.log_std), jnp.array([1.0, -1.0]), c
        ).sum()
    )(normal.mean)
    assert np.isfinite(gradient).all()
    assert gradient[0] > 0 > gradient[1]


def test_flat_tanh() -> None:
    """Far out, where tanh is 1 to every digit, the density still has its slope."""
    _, log_prob = squashed_sample(Normal(jnp.array(40.0), jnp.array(0.0)), jnp.array(0.0), 1.0)
    np.testing.assert_allclose(log_prob, 80 - np.log(4) - 0.5 * np.log(2 * np.pi), rtol=1e-5)


def test_policies_at_their_start() -> None:
    s = jax.random.normal(KEY, (5, 3))
    assert (scaled_tanh_gaussian(scaled_tanh_gaussian_init(KEY, 3, 2, 2, 8), s).log_std == 0).all()
    assert (gaussian(gaussian_init(KEY, 3, 2, 2, 8), s).log_std == 0).all()
    policy = tanh_gaussian_init(KEY, 3, 2, 2, 8)
    silent = policy | {"multiplier": jnp.array(0.0)}
    assert (tanh_gaussian(silent, s).log_std == -1).all()


@given(
    x=st.floats(-1e6, 1e6, width=32),
    y=st.floats(-1e6, 1e6, width=32),
    log_w=st.floats(-20, 200, width=32),
)
@settings(max_examples=50, deadline=None)
def test_combination(x: float, y: float, log_w: float) -> None:
    """x + w·y up to the scale, and finite for any weight, as are its gradients."""
    w = jnp.exp(jnp.float32(log_w))
    result, gradients = jax.value_and_grad(combine, argnums=(0, 1))(
        jnp.float32(x), jnp.float32(y), w
    )
    assert np.isfinite(result)
    exact = (x + float(w) * y) / max(float(w), 1) if log_w < 80 else y
    np.testing.assert_allclose(result, exact, rtol=1e-4, atol=1e-2)
    assert np.isfinite(gradients).all()


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_adam(decay: float) -> None:
    parameters = {"a": jnp.array([1.0, -2.0]), "b": jnp.array(0.5)}
    mine, theirs = parameters, parameters
    adam, optimizer = adam_init(parameters), optax.adamw(0.01, weight_decay=decay)
    state = optimizer.init(parameters)
    for step in range(5):
        gradient = jax.tree.map(lambda p, step=step: jnp.sin(p + step), parameters)
        mine, adam = adam_step(0.01, gradient, adam, mine, decay)
        change, state = optimizer.update(gradient, state, theirs)
        theirs = optax.apply_updates(theirs, change)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), mine, theirs)


@pytest.mark.parametrize(("epsilon", "moved"), [(1e-8, 0.01 / 1.01), (1e-6, 0.01 / 2), (1, 1e-8)])
def test_gradients_below_epsilon_move_nothing(epsilon: float, moved: float) -> None:
    """By rate·g/(|g| + ε) in the first step; g is 1e-6."""
    parameters = jnp.zeros(())
    after, _ = adam_step(0.01, jnp.array(1e-6), adam_init(parameters), parameters, epsilon=epsilon)
    np.testing.assert_allclose(-after, moved, rtol=1e-3)


@pytest.mark.parametrize("rows", [1, 4, 5, 12, 100])
def test_the_gradient_does_not_depend_on_the_rows_taken_at_once(rows: int) -> None:
    """That of the mean of (x·w − y)² is the mean of 2·(x·w − y)·x."""
    x, y, w = (jax.random.normal(KEY, shape) for shape in ((12, 3), (12,), (3,)))
    seen = []

    def loss(w: jax.Array, part: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        x, y = part
        seen.append(len(x))
        return jnp.mean((x @ w - y) ** 2), x.mean(axis=0)

    (value, metrics), gradient = mean_gradient(loss, w, (x, y), rows)
    error = np.asarray(x) @ np.asarray(w) - np.asarray(y)
    np.testing.assert_allclose(value, (error**2).mean(), rtol=1e-5)
    np.testing.assert_allclose(metrics, np.asarray(x).mean(axis=0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        gradient, (2 * error[:, None] * np.asarray(x)).mean(axis=0), rtol=1e-5, atol=1e-6
    )
    assert {*seen} == {{1: 1, 4: 4, 5: 4, 12: 12, 100: 12}[rows]}


@pytest.mark.parametrize("columns", [1, 3, 8, 9])
@pytest.mark.parametrize("shape", [(5, 4), (2, 5, 4)], ids=str)
def test_output_layer(columns: int, shape: tuple[int, ...]) -> None:
    """Σ g·(x·W + b) has the gradients xᵀ·g, Σ g and g·Wᵀ, whatever way they are computed."""
    x, w, b, g = (
        np.asarray(jax.random.normal(jax.random.fold_in(KEY, i), size))
        for i, size in enumerate([shape, (4, columns), (columns,), (*shape[:-1], columns)])
    )

    def total(layer: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        return jnp.sum(g * output(layer, x))

    layer = {"weight": jnp.asarray(w), "bias": jnp.asarray(b)}
    np.testing.assert_allclose(output(layer, jnp.asarray(x)), x @ w + b, rtol=1e-5)
    gradient, of_x = jax.grad(total, argnums=(0, 1))(layer, jnp.asarray(x))
    rows, g_rows = x.reshape(-1, 4), g.reshape(-1, columns)
    np.testing.assert_allclose(gradient["weight"], rows.T @ g_rows, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(gradient["bias"], g_rows.sum(axis=0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(of_x, g @ w.T, rtol=1e-4, atol=1e-5)


def test_cosine() -> None:
    rates = [float(cosine(2.0, Adam(jnp.array(t), (), ()), 10)) for t in (0, 5, 10)]
    np.testing.assert_allclose(rates, [2, 1, 0], atol=1e-6)


def test_norms() -> None:
    assert float(jnp.linalg.norm(limit_norm(jnp.full((20, 20), 10.0)))) == pytest.approx(100)
    small = jnp.full((2, 2), 10.0)
    assert (limit_norm(small) == small).all()
    assert (limit_norm(jnp.full(400, 10.0)) == 10).all()
    clipped = clip_norm({"a": jnp.array([3.0]), "b": jnp.array([4.0])}, 0.25)
    np.testing.assert_allclose([clipped["a"][0], clipped["b"][0]], [0.15, 0.2], rtol=1e-5)
