"""The training loop is compiled once."""

import jax
import jax.numpy as jnp
import pytest

from instinct.deep import configure
from instinct.deep.algorithms.registry import ALGORITHMS
from instinct.deep.training.loop import advance
from instinct.deep.training.synthetic import hopper_like, untrained


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_state_has_the_same_types_before_the_first_step_and_after(name: str) -> None:
    """Otherwise the program would be compiled twice."""
    small = {"batch_size": 16} | ({} if name == "DT" else {"units": 8})
    algorithm = jax.tree.map(jnp.asarray, configure(name, small))
    data = jax.tree.map(jnp.asarray, algorithm.prepare(hopper_like()))
    key = jax.random.key(0)
    state = untrained(algorithm, key, data)
    after = jax.eval_shape(advance, algorithm, state, data, key, 0, 1)[0]
    before = jax.eval_shape(lambda each: each, state)
    assert jax.tree.map(lambda leaf: (leaf.dtype, leaf.weak_type), before) == jax.tree.map(
        lambda leaf: (leaf.dtype, leaf.weak_type), after
    )
