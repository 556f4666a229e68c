"""Settings are in the units of the rewards; the scale of the networks is only a choice of units."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.data import Dataset
from instinct.deep import Outcome, Run, configure, train
from instinct.deep.nn.networks import value
from instinct.deep.training.run_training import new_training
from instinct.deep.training.stage import Pace, train_stage
from tests.deep.problems import noise_dataset, one_step

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

WELL_FITTED = {"layers": 2, "units": 64, "warm_start_steps": 2000, "fast_rate": 3e-3}


def trained(dataset: Dataset, name: str, **settings: float) -> Outcome:
    return train(Run(dataset, configure(name, SMALL | settings)))


def scaled(dataset: Dataset, factor: float) -> Dataset:
    return dataset.change(rewards=np.asarray(dataset.rewards * factor, np.float32))


@pytest.mark.parametrize(
    ("name", "beta", "fit_returns"), [("ATAC", 30.0, True), ("PSPI", 0.3, False)]
)
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


def beta_of(dataset: Dataset, name: str, **settings: float) -> float:
    """Return the β that a run with `fitted_beta` uses."""
    found = trained(dataset, name, fitted_beta=True, fit_returns=True, **settings)
    return float(found.metrics["beta"][-1])


@pytest.mark.parametrize("name", ["ATAC", "PSPI"])
@pytest.mark.parametrize("factor", [0.1, 10.0])
def test_fitted_beta_follows_the_units_of_the_rewards(name: str, factor: float) -> None:
    """Values of ten times the size need a tenth of β, because errors are squared."""
    dataset = scaled(noise_dataset(), 20.0)
    one, other = (
        beta_of(data, name, beta=50_000.0, scale_values=True)
        for data in (dataset, scaled(dataset, factor))
    )
    assert 1 < one < 10
    assert other == pytest.approx(one / factor, rel=0.05)


def test_fitted_beta_is_the_same_as_its_value() -> None:
    dataset = noise_dataset()
    beta = beta_of(dataset, "ATAC", beta=3.0)
    relative = trained(dataset, "ATAC", beta=3.0, fitted_beta=True, fit_returns=True)
    absolute = trained(dataset, "ATAC", beta=beta, fit_returns=True)
    jax.tree.map(
        lambda one, other: np.testing.assert_allclose(one, other, rtol=1e-2, atol=1e-3),
        relative.weights,
        absolute.weights,
    )


def test_fitted_beta_stays_within_the_papers_grid() -> None:
    assert beta_of(noise_dataset(), "ATAC", beta=1e-9) == pytest.approx(0.1)
    assert beta_of(noise_dataset(), "ATAC", beta=1e9) == pytest.approx(100)
    nothing = beta_of(scaled(noise_dataset(), 0.0), "ATAC", beta=3.0)
    assert 0.1 <= nothing <= 100


def test_pspi_keeps_its_values_above_a_feared_terminal() -> None:
    """β is at least p/(2·(1 − γ)³·mean value) where terminals are worse than going on."""
    dataset = noise_dataset()
    good = dataset.change(rewards=np.full(len(dataset), 2.0, np.float32))
    assert beta_of(good, "ATAC", beta=1e-18) == pytest.approx(0.1)
    found = beta_of(good, "PSPI", beta=1e-18, **WELL_FITTED)
    returns = Run(good, configure("PSPI", SMALL | {"fit_returns": True})).data.rewards["returns"]
    p = dataset.terminals.mean()
    assert found == pytest.approx(p / (2 * (1 - GAMMA) ** 3 * returns.mean()), rel=0.05)


@pytest.mark.parametrize(("terminal", "factor"), [(True, 4), (False, 1)])
def test_the_rule_gives_pspi_more_where_terminals_are_recorded(terminal: bool, factor: int) -> None:
    dataset = noise_dataset(100)
    if not terminal:
        ends = dataset.terminals | dataset.timeouts
        dataset = dataset.change(terminals=np.zeros_like(ends), timeouts=ends)
    settings = {"beta": 0.015, **WELL_FITTED}
    plain, found = (beta_of(dataset, name, **settings) for name in ("ATAC", "PSPI"))
    assert 2 < plain < 25
    assert found == pytest.approx(factor * plain, rel=1e-3)


@pytest.mark.parametrize(("cut", "share"), [(False, 0.25), (True, 0.05)])
def test_pspi_keeps_its_values_above_the_least(cut: bool, share: float) -> None:
    """They sink by 1/(2β·(1 − γ)) in all: a share of the way to V_min, less if episodes are cut."""
    dataset = noise_dataset(100)
    ends = dataset.terminals | dataset.timeouts
    dataset = dataset.change(
        terminals=np.zeros_like(ends), timeouts=ends, cuts=ends if cut else np.zeros_like(ends)
    )
    assert beta_of(dataset, "ATAC", beta=1e-18, **WELL_FITTED) == pytest.approx(0.1)
    found = beta_of(dataset, "PSPI", beta=1e-18, **WELL_FITTED)
    returns = Run(dataset, configure("PSPI", SMALL | {"fit_returns": True})).data.rewards["returns"]
    v_min = 2 / (1 - GAMMA) * min(-1, dataset.rewards.min())
    room = returns.mean() - v_min
    assert found == pytest.approx(1 / (2 * (1 - GAMMA) * share * room), rel=0.05)


@pytest.mark.parametrize("noisy", [False, True])
def test_beta_and_rate_follow_from_preferences_and_unexplained_returns(noisy: bool) -> None:
    """β = beta·(g/σ²)·(r/σ)², and the policy's rate is min(1, limit·σ/g) of `slow_rate`.

    In episodes of one step the return is the reward.
    """
    random = np.random.default_rng(1)
    dataset = one_step(np.random.default_rng(0))
    if noisy:
        dataset = dataset.change(rewards=random.normal(size=len(dataset)).astype(np.float32))
    fit = {"warm_start_steps": 500, "fast_rate": 3e-3, "units": 32, "batch_size": 64}
    settings = {"fitted_beta": True, "fit_returns": True, "beta": 0.01, "most_preference": 0.2}
    run = Run(dataset, configure("ATAC", SMALL | fit | settings))
    before = None
    for depth in range(2):
        before = new_training(run, depth, before, None, None)
        train_stage([before], Pace())
    assert before is not None
    start: Any = before.state
    policy, heads = start.policy, start.critics.learner.params
    actions = run.algorithm.mode({"policy": policy}, jnp.asarray(dataset.observations))
    states = jnp.asarray(dataset.observations)
    f = np.array([value(head, states, jnp.asarray(dataset.actions)) for head in heads])
    f_policy = np.array([value(head, states, actions) for head in heads])
    variance = ((f - dataset.rewards) ** 2).mean()
    assert (variance > 0.5) == noisy
    r, g = max(1, np.abs(dataset.rewards).mean()), np.abs(f - f_policy).mean()
    expected = 0.01 * g / variance * r**2 / variance
    assert train(run).metrics["beta"][-1] == pytest.approx(np.clip(expected, 0.1, 100), rel=0.01)
    assert (expected > 0.11) == (not noisy)
    game: Any = run.algorithm
    rate = float(game.policy_rate(before_the_game(run)))
    slowing = min(1, 0.2 * np.sqrt(variance) / g)
    assert rate == pytest.approx(game.slow_rate * slowing, rel=0.01)
    assert (slowing == 1) == noisy


def test_the_policys_rate_rises_and_stays() -> None:
    """Step k of n has the rate min(1, k/(rise·n)) of `slow_rate`, and without `rise` all of it."""
    run = Run(noise_dataset(), configure("PSPI", SMALL | {"steps": 10, "rise": 0.5}))
    game = run.algorithm
    start = before_the_game(run)
    rates = []
    for count in range(10):
        learner = start.policy
        optimizer = dataclasses.replace(learner.optimizer, count=jnp.asarray(count))
        later = learner._replace(optimizer=optimizer)
        rates.append(float(game.policy_rate(start._replace(policy=later))))  # type: ignore[attr-defined]
    shares = np.minimum(1, np.arange(1, 11) / 5)
    np.testing.assert_allclose(np.array(rates), game.slow_rate * shares, rtol=1e-6)  # type: ignore[attr-defined]
    steady = configure("PSPI", SMALL)
    assert float(steady.policy_rate(start)) == pytest.approx(steady.slow_rate)  # type: ignore[attr-defined]


def before_the_game(run: Run) -> Any:
    """Return the state of the run before its first step of the game."""
    warm = None
    for depth in range(2):
        warm = new_training(run, depth, warm, None, None)
        train_stage([warm], Pace())
    assert warm is not None
    return run.algorithm.init(jax.random.key(0), run.data, warm.state)
