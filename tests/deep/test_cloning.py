"""The clone that ATAC and PSPI start from: its own steps and rate, and a rate that falls."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.deep import configure
from instinct.deep.algorithms.warm_start import Cloning
from instinct.deep.nn.optimizer import Adam, adam_init
from instinct.deep.training.run_training import stages
from tests.deep.problems import noise_dataset


def rate_after(steps: int, cloning: Cloning) -> float:
    """The learning rate of the step after so many, read from how far the policy moves.

    With running means of zero Adam moves every weight by the rate, times (1 − 0.9)/√(1 − 0.999)
    and the two corrections for the number of steps.
    """
    key, data = jax.random.key(1), cloning.prepare(noise_dataset())
    state = cloning.init(key, data)
    zero = adam_init(state.policy.params)
    optimizer = Adam(jnp.asarray(steps, jnp.int32), zero.mean, zero.square)
    state = state._replace(policy=state.policy._replace(optimizer=optimizer))
    after, _ = cloning.update(state, cloning.sample(state, data, key), key)
    moved = np.abs(after.policy.params[0]["weight"] - state.policy.params[0]["weight"])
    bias = (1 - 0.9 ** (steps + 1)) / math.sqrt(1 - 0.999 ** (steps + 1))
    return float(moved.max()) * bias * math.sqrt(1e-3) / 0.1


@pytest.mark.parametrize(("decay", "shares"), [(False, [1, 1, 1]), (True, [1, 0.5, 0.0245])])
def test_the_rate_falls_along_a_cosine(decay: bool, shares: list[float]) -> None:
    """½(1 + cos π·t) at 0, a half and nine tenths of the steps."""
    cloning = Cloning(layers=1, units=8, batch_size=16, steps=100, fast_rate=1e-2, decay=decay)
    rates = [rate_after(steps, cloning) for steps in (0, 50, 90)]
    np.testing.assert_allclose(rates, [1e-2 * share for share in shares], rtol=2e-2)


def test_cloning_has_its_own_steps_and_rate() -> None:
    def cloning(**settings: float) -> tuple[int, float]:
        stage: Any = stages(configure("PSPI", {"warm_start_steps": 10, **settings}))[0]
        return stage.steps, stage.fast_rate

    assert cloning() == (10, 5e-4)
    assert cloning(cloning_steps=30, cloning_rate=1e-3) == (30, 1e-3)
