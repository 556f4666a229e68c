"""The operations counted are those worked out by hand."""

import jax
import jax.numpy as jnp
import pytest

from instinct.deep.bench import hopper_like, matrix_flop, untrained
from instinct.deep.settings import configure


def shapes(layers: int, units: int, inputs: int, outputs: int) -> tuple[int, int]:
    """Weights of a network, and those of its first layer."""
    return inputs * units + (layers - 1) * units**2 + units * outputs, inputs * units


@pytest.mark.parametrize("name", ["ATAC", "IQL", "BC"])
def test_operations(name: str) -> None:
    """Forward once, backward once for weights and once for inputs except at the first layer."""
    algorithm = configure(name, {"units": 16, "batch_size": 32})
    data = jax.tree.map(jnp.asarray, algorithm.prepare(hopper_like(100, 10)))
    state = jax.eval_shape(lambda: untrained(algorithm, jax.random.key(0), data))
    q, q_first = shapes(3, 16, 14, 1)
    v, v_first = shapes(3, 16, 11, 1)
    pi, pi_first = shapes(3, 16, 11, 3)
    wide, wide_first = shapes(3, 16, 11, 6)
    learned_q = 3 * q - q_first
    expected = {
        "BC": 3 * pi - pi_first,
        "IQL": 2 * q + (3 * v - v_first) + v + 2 * learned_q + (3 * pi - pi_first),
        "ATAC": (3 * wide - wide_first) + wide + 2 * q + 6 * learned_q + 2 * q,
    }
    assert matrix_flop(algorithm, state, data) == 2 * 32 * expected[name]
