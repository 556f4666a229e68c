"""Settings are in the units of the rewards; the scale of the networks is only a choice of units."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.data import Dataset
from instinct.deep import Outcome, Run, configure, train
from instinct.deep.algorithms.actor_critic import CriticSummary
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
        beta_of(data, name, beta=16_000.0, scale_values=True)
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


@pytest.mark.parametrize(("terminal", "factor", "beta"), [(True, 4, 0.005), (False, 1, 0.015)])
def test_the_rule_gives_pspi_more_where_terminals_are_recorded(
    terminal: bool, factor: int, beta: float
) -> None:
    dataset = noise_dataset(100)
    if not terminal:
        ends = dataset.terminals | dataset.timeouts
        dataset = dataset.change(terminals=np.zeros_like(ends), timeouts=ends)
    settings = {"beta": beta, **WELL_FITTED}
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
def test_beta_follows_from_preferences_and_unexplained_returns(noisy: bool) -> None:
    """β = 3·beta·(g/σ²)·(r/σ)² with terminals; in episodes of one step the return is the reward."""
    random = np.random.default_rng(1)
    dataset = one_step(np.random.default_rng(0))
    if noisy:
        dataset = dataset.change(rewards=random.normal(size=len(dataset)).astype(np.float32))
    fit = {"warm_start_steps": 500, "fast_rate": 3e-3, "units": 32, "batch_size": 64}
    settings = {"fitted_beta": True, "fit_returns": True, "beta": 0.01 / 3}
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


@pytest.mark.parametrize(
    ("terminals", "cut", "factor"), [(0.0, False, 1), (0.0, True, 3), (0.1, False, 3)]
)
def test_beta_is_larger_where_episodes_end(terminals: float, cut: bool, factor: int) -> None:
    """With g = 2, σ² = 4 and r = 1, 8·(g/σ²)·(r/σ)² is 1."""
    summary = CriticSummary(*map(jnp.asarray, (5.0, -20.0, 2.0, 4.0, 1.0, terminals, cut)))
    game: Any = configure("ATAC", {"beta": 8.0})
    assert float(game.balance(summary)) == pytest.approx(factor)


def test_rates_stay_and_then_fall_to_zero() -> None:
    """With `settle` 0.4 step 6 of 10 still has the whole rate, step 8 a half of it."""
    run = Run(noise_dataset(), configure("PSPI", SMALL | {"steps": 10, "settle": 0.4}))
    game: Any = run.algorithm
    start = before_the_game(run)
    factors = [float(game.settled(at_step(start, count))) for count in range(11)]
    np.testing.assert_allclose(factors, [1] * 7 + [0.75, 0.5, 0.25, 0], atol=1e-6)
    steady: Any = configure("PSPI", SMALL | {"steps": 10})
    assert [float(steady.settled(at_step(start, count))) for count in (0, 9)] == [1, 1]


def test_lambda_falls_as_1_over_t_between_waiting_and_settling() -> None:
    """With `wait` 0.1 and `settle` 0.5 it falls from step 1 of 10 to step 5, to `softness`·σ."""
    soft = {"steps": 10, "soft": True, "softness": 0.2, "wait": 0.1, "settle": 0.5}
    run = Run(noise_dataset(), configure("PSPI", SMALL | soft | {"scale_values": True}))
    game: Any = run.algorithm
    start = before_the_game(run)
    summary = game.summarize(before_the_game(run, stages=2), run.data)
    least = float(start.softest)
    assert least == pytest.approx(
        0.2 * float(np.sqrt(summary.variance)) * float(start.critics.scale), rel=1e-5
    )
    found = [float(game.nearness(at_step(start, step - 1))) / least for step in range(1, 11)]
    np.testing.assert_allclose(found, [1000, 4, 2, 4 / 3, *[1] * 6], rtol=1e-3)


def test_a_softer_policy_goes_further_from_the_clone() -> None:
    distances = [
        trained(
            noise_dataset(), "PSPI", soft=True, softness=softness, steps=400, fit_returns=True
        ).metrics["distance"][-1]
        for softness in (1e-3, 1e-1, 10.0)
    ]
    assert distances[0] > 2 * distances[1] > 4 * distances[2] >= 0


@pytest.mark.parametrize("settle", [0.4, 0.0])
def test_critics_and_policy_come_to_rest_together(settle: float) -> None:
    run = Run(noise_dataset(), configure("PSPI", SMALL | {"steps": 10, "settle": settle}))
    game: Any = run.algorithm
    before = at_step(before_the_game(run), 10)
    batch = game.sample(before, run.data, jax.random.key(1))
    after, _ = game.update(before, batch, jax.random.key(2))
    for part in ("policy", "critics"):
        old, new = (
            jax.tree.leaves((s.policy if part == "policy" else s.critics.learner).params)
            for s in (before, after)
        )
        moved = max(float(jnp.abs(x - y).max()) for x, y in zip(old, new, strict=True))
        assert (moved == 0) == (settle > 0)


def at_step(state: Any, count: int) -> Any:
    """Return the state of a game after so many steps of its policy."""
    optimizer = dataclasses.replace(state.policy.optimizer, count=jnp.asarray(count))
    return state._replace(policy=state.policy._replace(optimizer=optimizer))


def before_the_game(run: Run, stages: int = 3) -> Any:
    """Return the state of the run before its first step of the game, or after two stages."""
    warm = None
    for depth in range(2):
        warm = new_training(run, depth, warm, None, None)
        train_stage([warm], Pace())
    assert warm is not None
    if stages == 2:
        return warm.state
    return run.algorithm.init(jax.random.key(0), run.data, warm.state)
