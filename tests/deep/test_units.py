"""Settings are in the units of the rewards; the scale of the networks is only a choice of units."""

import jax
import numpy as np
import pytest

from instinct.data import Dataset
from instinct.deep import Outcome, Run, configure, train
from tests.deep.problems import noise_dataset

GAMMA = 0.9
SMALL = {
    "layers": 1,
    "units": 8,
    "batch_size": 16,
    "steps": 40,
    "warm_start_steps": 20,
    "discount": GAMMA,
    "slow_rate": 1e-3,
}


def trained(dataset: Dataset, name: str, **settings: float) -> Outcome:
    return train(Run(dataset, configure(name, SMALL | settings)))


def scaled(dataset: Dataset, factor: float) -> Dataset:
    return dataset.change(rewards=np.asarray(dataset.rewards * factor, np.float32))


@pytest.mark.parametrize("name", ["ATAC", "PSPI"])
@pytest.mark.parametrize("beta", [0.3, 30.0])
@pytest.mark.parametrize("fit_returns", [False, True])
def test_scaling_values_is_a_choice_of_units(name: str, beta: float, fit_returns: bool) -> None:
    """The same run in both units: r, β, α beside c·r, β/c, c·α."""
    dataset = noise_dataset()
    c = (1 - GAMMA) / float(np.abs(dataset.rewards).max())
    inside = trained(dataset, name, beta=beta, scale_values=True, fit_returns=fit_returns)
    outside = trained(
        scaled(dataset, c), name, beta=beta / c, entropy_weight=c, fit_returns=fit_returns
    )
    jax.tree.map(
        lambda one, other: np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5),
        inside.weights,
        outside.weights,
    )
    for metric, factor in {"value": c, "pessimism": c, "bellman_loss": c**2}.items():
        np.testing.assert_allclose(
            inside.metrics[metric] * factor, outside.metrics[metric], rtol=1e-3, atol=1e-5
        )
    np.testing.assert_allclose(
        inside.metrics["log_alpha"] + np.log(c), outside.metrics["log_alpha"], rtol=1e-4
    )


def test_a_scale_other_than_one_matters_to_the_networks() -> None:
    plain, divided = (trained(noise_dataset(), "PSPI", scale_values=on) for on in (False, True))
    assert abs(divided.metrics["value"][-1] - plain.metrics["value"][-1]) > 0.01


@pytest.mark.parametrize("name", ["ATAC", "PSPI"])
def test_relative_beta_is_divided_by_the_spread_of_the_returns(name: str) -> None:
    dataset = noise_dataset()
    run = Run(dataset, configure(name, SMALL | {"fit_returns": True}))
    spread = float(run.data.rewards["returns"].std())
    relative = trained(dataset, name, beta=7.0, fit_returns=True, relative_beta=True)
    absolute = trained(dataset, name, beta=7.0 / spread, fit_returns=True)
    jax.tree.map(
        lambda one, other: np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5),
        relative.weights,
        absolute.weights,
    )


def test_returns_that_do_not_differ_leave_beta_finite() -> None:
    zero = scaled(noise_dataset(), 0.0)
    least = 0.1 / (1 - GAMMA)
    relative = trained(zero, "PSPI", beta=7.0, fit_returns=True, relative_beta=True)
    absolute = trained(zero, "PSPI", beta=7.0 / least, fit_returns=True)
    jax.tree.map(
        lambda one, other: np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5),
        relative.weights,
        absolute.weights,
    )
