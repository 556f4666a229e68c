"""The training loop is compiled once for every algorithm, and for each of them."""

import itertools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import pytest

from instinct.deep import Algorithm, configure, hyperparameters
from instinct.deep.algorithms.pspi import PSPI
from instinct.deep.algorithms.registry import ALGORITHMS
from instinct.deep.algorithms.warm_start import (
    NeutralReturnFitting,
    PolicyEvaluation,
    ReturnFitting,
)
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


def test_algorithms_with_the_same_settings_never_share_a_program() -> None:
    """JAX finds a compiled program by the structure of its arguments."""

    @hyperparameters
    class Mine(PSPI):
        pass

    stages = PolicyEvaluation, ReturnFitting, NeutralReturnFitting
    classes: list[type[Algorithm]] = [*ALGORITHMS.values(), *stages, Mine]
    structure: Callable[[Algorithm], object] = jax.tree.structure
    for one, other in itertools.combinations(classes, 2):
        assert structure(one()) != structure(other())
    for algorithm in classes:
        assert structure(algorithm()) == structure(algorithm(steps=7))
        assert jax.tree.map(lambda value: value, algorithm()) == algorithm()
