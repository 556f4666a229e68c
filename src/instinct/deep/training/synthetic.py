"""Random data in the shape of hopper, and untrained states, to measure speed with."""

import jax
import numpy as np

from instinct.data import Box, Dataset
from instinct.deep.algorithms.algorithm import Algorithm, Data, State
from instinct.deep.training.loop import begin


def untrained(algorithm: Algorithm, key: jax.Array, data: Data) -> State:
    """Return the state before the first step, with warm starts that are untrained as well."""
    before = algorithm.warm_start()
    warm = None if before is None else untrained(before, key, data)
    state: State = begin(algorithm, key, data, warm)
    return state


def hopper_like(rows: int = 20_000, length: int = 500) -> Dataset:
    """Return random data in the shape of hopper: 11 observations, 3 actions."""
    random = np.random.default_rng(0)
    observations = random.normal(size=(rows + 1, 11)).astype(np.float32)
    return Dataset(
        observations=observations[:-1],
        actions=random.uniform(-1, 1, (rows, 3)).astype(np.float32),
        rewards=random.normal(size=rows).astype(np.float32),
        next_observations=observations[1:],
        terminals=np.zeros(rows, bool),
        timeouts=np.arange(1, rows + 1) % length == 0,
        action_space=Box.of(3),
    )
