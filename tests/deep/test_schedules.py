"""Learning rates that change along a stage: cloning that decays, a policy that warms up."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.deep import State, configure
from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.algorithms.warm_start import Cloning
from instinct.deep.nn.optimizer import Adam, adam_init
from instinct.deep.training.run_training import stages
from tests.deep.problems import noise_dataset

SMALL = {"layers": 1, "units": 8, "batch_size": 16, "warm_start_steps": 10, "fast_rate": 1e-2}


def rate_after(algorithm: Algorithm, state: State, done: int) -> float:
    """The learning rate of the step after so many, read from how far the policy moves.

    With running means of zero Adam moves every weight by the rate, times (1 − 0.9)/√(1 − 0.999)
    and the two corrections for the number of steps.
    """
    zero = adam_init(state.policy.params)
    optimizer = Adam(jnp.asarray(done, jnp.int32), zero.mean, zero.square)
    bias = (1 - 0.9 ** (done + 1)) / math.sqrt(1 - 0.999 ** (done + 1))
    policy = state.policy._replace(optimizer=optimizer)
    key, data = jax.random.key(1), algorithm.prepare(noise_dataset())
    batch = algorithm.sample(state, data, key)
    after, _ = algorithm.update(state._replace(policy=policy), batch, key)
    moved = np.abs(after.policy.params[0]["weight"] - policy.params[0]["weight"])
    return float(moved.max()) * bias * math.sqrt(1e-3) / 0.1


def begin(algorithm: Algorithm) -> State:
    state = None
    for stage in stages(algorithm):
        state = stage.init(jax.random.key(3), stage.prepare(noise_dataset()), state)
    return state


@pytest.mark.parametrize("name", ["ATAC", "PSPI"])
@pytest.mark.parametrize(("warm_up", "rates"), [(0.0, [1, 1, 1]), (0.5, [0.02, 0.5, 1])])
def test_the_policy_warms_up(name: str, warm_up: float, rates: list[float]) -> None:
    settings = {"steps": 100, "slow_rate": 1e-2, "warm_up": warm_up}
    algorithm = configure(name, SMALL | settings)
    state = begin(algorithm)
    moved = [rate_after(algorithm, state, done) / 1e-2 for done in (0, 24, 80)]
    np.testing.assert_allclose(moved, rates, rtol=2e-2)


@pytest.mark.parametrize(("decay", "rates"), [(False, [1, 1, 1]), (True, [1, 0.5, 0.0245])])
def test_the_rate_of_cloning_decays(decay: bool, rates: list[float]) -> None:
    """½(1 + cos π·t) at 0, a half and nine tenths of the steps."""
    algorithm = Cloning(layers=1, units=8, batch_size=16, steps=100, fast_rate=1e-2, decay=decay)
    state = begin(algorithm)
    moved = [rate_after(algorithm, state, done) / 1e-2 for done in (0, 50, 90)]
    np.testing.assert_allclose(moved, rates, rtol=2e-2)


def test_cloning_has_its_own_steps_and_rate() -> None:
    def cloning(**settings: float) -> tuple[int, float]:
        stage: Any = stages(configure("PSPI", SMALL | settings))[0]
        return stage.steps, stage.fast_rate

    assert cloning() == (10, 1e-2)
    assert cloning(cloning_steps=30, cloning_rate=1e-3) == (30, 1e-3)
