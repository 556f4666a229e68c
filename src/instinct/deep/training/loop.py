"""The training loop: compiled, checked for divergence, resumable to the bit.

The randomness of a step derives from the key and the number of the step. So it does not matter
where training was interrupted, nor how many steps one call of the program makes.
"""

import functools
import zlib
from typing import Any

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import Algorithm, Data, Metrics, State

LIMIT = 1e10
"""A metric beyond this limit means that training has diverged."""


def stage_key(algorithm: Algorithm, seed: int) -> jax.Array:
    """Return the random key of one stage of a run with this seed."""
    return jax.random.fold_in(jax.random.key(seed), zlib.crc32(algorithm.NAME.encode()))


def first_state(algorithm: Algorithm, key: jax.Array, data: Data, warm: State | None) -> State:
    """Return the state before the first step, with the same types as after it.

    A constant is weakly typed until something is added to it. Without the conversion the program
    would be compiled twice.
    """
    init_key, _ = jax.random.split(key)
    state = algorithm.init(init_key, data, warm)
    typed: State = jax.tree.map(lambda x: jax.lax.convert_element_type(x, x.dtype), state)
    return typed


def steps_between(
    algorithm: Algorithm, state: State, data: Data, key: jax.Array, start: Any, stop: Any
) -> tuple[State, Metrics, jax.Array]:
    """Make the steps start, …, stop − 1; return the state, mean metrics and the first bad step.

    A step is bad if a metric is not finite or larger than 1e10. −1 stands for none.
    """
    _, steps_key = jax.random.split(key)

    @jax.jit
    def one(state: State, step: Any) -> tuple[State, Metrics]:
        sample_key, update_key = jax.random.split(jax.random.fold_in(steps_key, step))
        return algorithm.update(state, algorithm.sample(state, data, sample_key), update_key)

    def body(step: Any, carry: tuple[State, Metrics, Any]) -> tuple[State, Metrics, Any]:
        state, sums, bad = carry
        state, metrics = one(state, step)
        size = jnp.max(jnp.abs(jnp.stack(list(metrics.values()))))
        bad = jnp.where((bad < 0) & ~(size <= LIMIT), step, bad)
        return state, jax.tree.map(jnp.add, sums, metrics), bad

    shapes = jax.eval_shape(one, state, start)[1]
    sums = jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), shapes)
    state, sums, bad = jax.lax.fori_loop(start, stop, body, (state, sums, jnp.array(-1)))
    return state, jax.tree.map(lambda total: total / (stop - start), sums), bad


advance = functools.partial(jax.jit, donate_argnums=1)(steps_between)
begin = jax.jit(first_state)

_EACH = Data(rows=None, rewards=0)  # type: ignore[arg-type]
advance_together = functools.partial(jax.jit, donate_argnums=1)(
    jax.vmap(steps_between, in_axes=(0, 0, _EACH, 0, None, None))
)
begin_together = jax.jit(jax.vmap(first_state, in_axes=(0, 0, _EACH, 0)))
