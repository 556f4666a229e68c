"""Compiled programs leave the memory before a process has too many memory maps."""

import jax
import jax.numpy as jnp
import pytest

from instinct.deep import Run, configure, train
from instinct.deep.training import compilation_cache
from instinct.deep.training.compilation_cache import release_programs
from instinct.deep.training.synthetic import hopper_like


@pytest.mark.parametrize(("limit", "kept"), [(0, False), (10**9, True)])
def test_programs_are_released_above_the_limit(
    limit: int, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compilation_cache, "memory_maps", lambda: 1000)
    monkeypatch.setattr(compilation_cache, "MOST_MAPS", limit)
    compilations = []

    @jax.jit
    def double(x: jax.Array) -> jax.Array:
        compilations.append(x)
        return 2 * x

    double(jnp.ones(3))
    release_programs()
    assert double(jnp.ones(3)).tolist() == [2, 2, 2]
    assert len(compilations) == (1 if kept else 2)


def test_a_training_after_a_release_has_the_same_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(hopper_like(), configure("BC", {"steps": 5, "units": 8, "batch_size": 16}), seed=3)
    before = train(run)
    monkeypatch.setattr(compilation_cache, "MOST_MAPS", -1)
    after = train(run)
    assert jax.tree.all(jax.tree.map(lambda x, y: (x == y).all(), before.weights, after.weights))
