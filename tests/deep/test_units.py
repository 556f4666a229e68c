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


@pytest.mark.parametrize("name", ["ATAC", "PSPI"])
def test_tuned_beta_follows_the_units_of_the_rewards(name: str) -> None:
    """Values of ten times the size need a tenth of β, because errors are squared."""
    dataset = scaled(noise_dataset(), 20.0)
    one, ten = (
        trained(data, name, tuned_beta=True, fit_returns=True, scale_values=True, beta=5.0)
        for data in (dataset, scaled(dataset, 10.0))
    )
    np.testing.assert_allclose(ten.metrics["beta"], one.metrics["beta"] / 10, rtol=0.02)
    assert one.metrics["beta"][0] == pytest.approx(5 / np.abs(dataset.rewards).mean(), rel=0.05)


@pytest.mark.parametrize(
    ("step", "distance", "change"),
    [
        (1, 9.0, 0.0),  # still waiting
        (3, 0.0, 1e-3),
        (3, 0.2, 0.0),  # half of the way, half of the distance
        (3, 0.3, -5e-4),
        (3, 9.0, -1e-3),
        (5, 0.4, 0.0),
        (8, 0.0, 4e-4),  # rates have fallen to two fifths
        (10, 9.0, 0.0),
    ],
)
def test_beta_follows_the_distance_from_the_clone(
    step: int, distance: float, change: float
) -> None:
    """With `wait` 0.1 and `settle` 0.5 the policy may go from step 1 of 10 on to step 5."""
    parts = {"steps": 10, "wait": 0.1, "settle": 0.5, "tuned_beta": True, "distance": 0.4}
    run = Run(noise_dataset(), configure("PSPI", SMALL | parts))
    game: Any = run.algorithm
    start = before_the_game(run)
    count = {1: 0, 3: 2, 5: 4, 8: 8, 10: 10}[step]
    state = at_step(start, count)._replace(beta=jnp.array(3.0), reward=jnp.array(1.0))
    found = float(game.tune(state, jnp.array(distance)))
    assert np.log(found / 3) == pytest.approx(change, abs=2e-6)


@pytest.mark.parametrize(("distance", "bound"), [(9.0, 0.1 / 8), (0.0, 100 / 8)])
def test_tuned_beta_stays_within_the_papers_grid(distance: float, bound: float) -> None:
    run = Run(noise_dataset(), configure("ATAC", SMALL | {"steps": 10, "tuned_beta": True}))
    game: Any = run.algorithm
    state = at_step(before_the_game(run), 5)._replace(reward=jnp.array(8.0), beta=jnp.array(bound))
    assert float(game.tune(state, jnp.array(distance))) == pytest.approx(bound)


def test_a_larger_distance_needs_less_pessimism() -> None:
    def last(distance: float) -> float:
        found = trained(noise_dataset(), "ATAC", tuned_beta=True, distance=distance, steps=400)
        return float(found.metrics["beta"][-1])

    assert last(1e-4) < last(1e-2) < last(10.0)


def test_the_control_has_no_beta() -> None:
    found = trained(noise_dataset(), "NoPessimism", tuned_beta=True, pairs=2)
    assert "beta" not in found.metrics
    assert "distance" in found.metrics


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
    warm, scale = before_the_game(run, stages=2), float(start.critics.scale)
    batch, rewards = run.data.rows, run.data.rewards
    f = [value(head, batch["observations"], batch["actions"]) for head in warm.critics.learner[0]]
    error = np.sqrt(np.mean((np.array(f) / scale - rewards["returns"]) ** 2))
    least = float(start.softest)
    assert least == pytest.approx(0.2 * error * scale, rel=1e-5)
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
