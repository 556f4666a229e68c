"""Every algorithm solves a problem with a known solution."""

from typing import Any

import jax
import numpy as np
import pytest
from scipy.stats import norm

from instinct.data import Array, Box, Dataset
from instinct.deep import Pace, Run, TrainedPolicy, configure, train
from instinct.deep.nn.networks import scaled_tanh_gaussian
from tests.deep.problems import cliff, one_step

SMALL = {"layers": 2, "units": 32, "batch_size": 64, "steps": 3000}
MODEL = {"reward_steps": 1500, "model_steps": 300, "model_layers": 1, "model_units": 16}
MODEL |= {"model_batch": 64, "members": 2, "rollouts": 32, "buffer": 3200}
FAST = {"warm_start_steps": 1000, "fast_rate": 3e-3, "slow_rate": 1e-3}


def acts(dataset: Dataset, name: str, settings: dict[str, Any], observations: Array) -> Array:
    run = Run(dataset, configure(name, settings))
    outcome = train(run)
    assert not outcome.failure
    policy = TrainedPolicy(run.algorithm, outcome.weights, Box.of(1))
    memory = policy.start(len(observations))
    return policy.act(memory, observations, np.zeros(len(observations)))[0]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("PSPI", SMALL | FAST | {"beta": 10}),
        ("IQL", SMALL | {"rate": 3e-3, "beta": 10, "tau": 0.9, "scale_rewards": False}),
        ("CQL", SMALL | {"rate": 3e-3, "alpha": 0.1, "actions": 4}),
        ("TD3+BC", SMALL | {"rate": 3e-3}),
        ("ReBRAC", SMALL | {"rate": 3e-3}),
        ("EDAC", SMALL | {"rate": 3e-3, "critics": 3, "steps": 2000}),
        pytest.param(
            "MOPO", SMALL | MODEL | {"rate": 3e-3, "policy_rate": 3e-3}, marks=pytest.mark.slow
        ),
        pytest.param(
            *("COMBO", SMALL | MODEL | {"rate": 3e-3, "policy_rate": 3e-3, "beta": 0.01}),
            marks=pytest.mark.slow,
        ),
        pytest.param("ARMOR", SMALL | MODEL | FAST | {"beta": 100}, marks=pytest.mark.slow),
        ("AWR", SMALL | {"rate": 3e-3, "value_steps": 1000, "beta": 0.1, "weight_limit": 1e4}),
        (
            "DT",
            {"layers": 1, "units": 32, "batch_size": 64, "steps": 2000, "rate": 3e-3}
            | {"context": 1, "return_scale": 1, "horizon": 1},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_finds_the_best_action(name: str, settings: dict[str, Any]) -> None:
    """The best action in state s is s/2; the data's actions do not depend on s."""
    s = np.linspace(-0.9, 0.9, 19)[:, None]
    actions = acts(one_step(np.random.default_rng(0)), name, settings, s)
    slope = float((actions * s).sum() / (s * s).sum())
    assert abs(slope - 0.5) < 0.15
    assert np.abs(actions - s / 2).mean() < 0.12


def test_cloning_follows_the_data() -> None:
    s = np.linspace(-0.9, 0.9, 19)[:, None]
    dataset = one_step(np.random.default_rng(0))
    actions = acts(dataset, "BC", SMALL | {"rate": 3e-3}, s)
    assert np.abs(actions).mean() < 0.1


@pytest.mark.parametrize(("name", "beta", "survival"), [("ATAC", 10, 4), ("PSPI", 3, 1)])
def test_survival_instinct(name: str, beta: float, survival: int) -> None:
    """Under zero rewards, the policy learns not to fall.

    PSPI learns it even if every second action of the data falls. ATAC only improves on the data,
    so here most of its actions survive. Both are the solution of the game among policies with one
    mode.
    """
    mean, falls = policy_on_the_cliff(name, beta, survival)
    assert falls < 0.02
    assert 0.2 < mean < 0.8


def test_no_survival_instinct_without_pessimism() -> None:
    """Where PSPI learns not to fall, the control does not: all values are the same to it."""
    _, falls = policy_on_the_cliff("NoPessimism", 3, 1)
    assert falls > 0.2


def policy_on_the_cliff(name: str, beta: float, survival: int) -> tuple[float, float]:
    """Return the mean action in the only state, and the probability of a fall."""
    settings = SMALL | FAST | {"steps": 4000, "slow_rate": 3e-4, "discount": 0.9, "beta": beta}
    dataset = cliff(np.random.default_rng(0), survival)
    run = Run(dataset, configure(name, settings | {"scale_values": True}))
    outcome = train(run, pace=Pace(report_steps=500))
    normal = scaled_tanh_gaussian(outcome.weights["policy"], jax.numpy.zeros((1, 1)))
    mean, std = float(normal.mean[0, 0]), float(np.exp(normal.log_std[0, 0]))
    return float(np.tanh(mean)), float(norm.cdf(0, mean, std))
