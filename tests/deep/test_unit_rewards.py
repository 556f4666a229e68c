"""Rewards divided by their largest size."""

import jax
import numpy as np
import pytest

from instinct.deep import Outcome, Run, configure, train
from tests.deep.problems import noise_dataset

SMALL = {
    "layers": 1,
    "units": 8,
    "batch_size": 16,
    "steps": 10,
    "warm_start_steps": 10,
    "value_scale": 0.5,
}


def outcome(largest: float, **settings: float) -> Outcome:
    """PSPI on rewards whose largest is −`largest`."""
    dataset = noise_dataset()
    rewards = np.clip(dataset.rewards, -0.5, 0.5)
    rewards[7] = -largest
    return train(Run(dataset.change(rewards=rewards), configure("PSPI", SMALL | settings)))


def assert_equal(one: Outcome, other: Outcome) -> None:
    jax.tree.map(np.testing.assert_array_equal, one.weights, other.weights)
    for name, column in one.metrics.items():
        np.testing.assert_array_equal(column, other.metrics[name])


def test_values_are_divided_by_the_largest_reward() -> None:
    assert_equal(outcome(4, unit_rewards=True), outcome(4, value_scale=0.125))


@pytest.mark.parametrize("largest", [0.25, 1])
def test_small_rewards_are_not_divided(largest: float) -> None:
    assert_equal(outcome(largest, unit_rewards=True), outcome(largest))


def test_large_rewards_make_a_difference() -> None:
    plain, divided = outcome(4), outcome(4, unit_rewards=True)
    assert abs(divided.metrics["value"][-1] - plain.metrics["value"][-1]) > 0
