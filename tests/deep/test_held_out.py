"""BC whose final policy has the lowest error on held-out episodes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from instinct.data import Array, Box, Dataset
from instinct.deep import (
    Pace,
    Run,
    StageProgress,
    State,
    TrainedPolicy,
    configure,
    settings_of,
    train,
)
from instinct.deep.algorithms.bc import BC, MEAN_RATE, SplitBatch, hold_out
from instinct.errors import BadInput
from tests.deep.problems import noise_dataset

SMALL = {"layers": 1, "units": 8, "batch_size": 16, "steps": 30, "held_out": 0.25}
SIZE = 4
OFTEN = Pace(report_steps=10, checkpoint_seconds=0)


def noisy_line(episodes: int = 40, length: int = 5) -> Dataset:
    """Actions s₀/2 with much noise, in few episodes: a large network can learn the noise."""
    random = np.random.default_rng(1)
    rows = episodes * length
    s = random.uniform(-1, 1, (rows, SIZE)).astype(np.float32)
    actions = s[:, :1] / 2 + 0.3 * random.standard_normal((rows, 1))
    return Dataset(
        observations=s,
        actions=np.clip(actions, -1, 1).astype(np.float32),
        rewards=np.zeros(rows, np.float32),
        next_observations=np.roll(s, -1, axis=0),
        terminals=np.zeros(rows, bool),
        timeouts=np.arange(1, rows + 1) % length == 0,
        action_space=Box.of(1),
    )


def error(settings: dict[str, Any]) -> float:
    """Return the mean distance of the final policy from s₀/2."""
    run = Run(noisy_line(), configure("BC", settings))
    policy = TrainedPolicy(run.algorithm, train(run).weights, Box.of(1))
    s = np.random.default_rng(2).uniform(-1, 1, (1000, SIZE))
    actions, _ = policy.act(policy.start(1000), s, np.zeros(1000))
    return float(np.abs(actions - s[:, :1] / 2).mean())


def test_training_for_long_does_no_harm() -> None:
    """A large network learns the noise of 200 pairs, unless it is stopped in time."""
    long = {"layers": 2, "units": 64, "batch_size": 64, "steps": 2000, "rate": 3e-3}
    overfitted, stopped = error(long), error(long | {"held_out": 0.25})
    assert overfitted > 0.15
    assert stopped < 0.6 * overfitted


def trained(dataset: Dataset, updates: int) -> tuple[list[State], list[float]]:
    """Return the states after every update, and the errors on the held-out batches."""
    algorithm, key = configure("BC", SMALL | {"rate": 0.1}), jax.random.key(3)
    data = algorithm.prepare(dataset)
    state, states, errors = algorithm.init(key, data), [], []
    for step in range(updates):
        batch = algorithm.sample(state, data, jax.random.fold_in(key, step))
        assert isinstance(batch, SplitBatch)
        state, metrics = algorithm.update(state, batch, key)
        modes = np.asarray(
            algorithm.mode({"policy": state.policy.params}, batch.observations), float
        )
        errors.append(float(((modes - np.asarray(batch.actions)) ** 2).sum(axis=1).mean()))
        assert float(metrics["held_out_error"]) == pytest.approx(errors[-1], rel=1e-5)
        states.append(state)
    return states, errors


def test_the_policy_with_the_lowest_running_mean_is_kept() -> None:
    """The running mean weighs an error of age k by (1−ρ)ᵏ; computed here in numpy."""
    states, errors = trained(noise_dataset(), 40)
    means = []
    for n in range(1, 41):
        weights = (1 - MEAN_RATE) ** np.arange(n)[::-1]
        means.append(float(np.average(errors[:n], weights=weights)))
    best = int(np.argmin(means))
    assert 0 < best < 39, "the mean must have a minimum inside for this to test anything"
    assert float(states[-1].best.error) == pytest.approx(means[best], rel=1e-4)
    final = BC().weights(states[-1])["policy"]
    jax.tree.map(np.testing.assert_array_equal, final, states[best].policy.params)


def test_held_out_episodes_are_not_learned_from() -> None:
    dataset = noise_dataset()
    other = np.where(hold_out(dataset, 0.25)[:, None], 0.5, dataset.actions)
    mine, theirs = (trained(data, 4)[0][-1] for data in (dataset, replace(dataset, actions=other)))
    jax.tree.map(np.testing.assert_array_equal, mine.policy.params, theirs.policy.params)
    assert float(mine.best.error) != float(theirs.best.error)


def episodes_held_out(dataset: Dataset, share: float) -> Array:
    held_out = hold_out(dataset, share)
    first = held_out[dataset.stops - 1]
    np.testing.assert_array_equal(held_out, np.repeat(first, dataset.lengths))
    return np.flatnonzero(first)


def test_whole_episodes_evenly_spaced_are_held_out() -> None:
    """Twelve episodes of five steps: by hand the middles of 3 and of 5 equal parts."""
    dataset = noise_dataset()
    assert episodes_held_out(dataset, 0.25).tolist() == [2, 6, 10]
    assert episodes_held_out(dataset, 0.4).tolist() == [1, 3, 6, 8, 10]


@pytest.mark.parametrize("share", [0.01, 0.99])
def test_a_share_that_leaves_nothing(share: float) -> None:
    with pytest.raises(BadInput, match="of 12 episodes leaves none"):
        Run(noise_dataset(), configure("BC", SMALL | {"held_out": share})).data  # noqa: B018


def test_impossible_shares_and_algorithms() -> None:
    with pytest.raises(BadInput, match="held_out from 0 to 1"):
        configure("BC", {"held_out": 1.5})
    with pytest.raises(BadInput, match="IQL has no hyperparameter 'held_out'"):
        configure("IQL", {"held_out": 0.1})
    assert settings_of(configure("BC"))["held_out"] == 0


def test_stopped_in_the_middle(tmp_path: Path) -> None:
    algorithm = configure("BC", SMALL)
    whole = train(Run(noise_dataset(), algorithm), pace=OFTEN)
    run = Run(noise_dataset(), algorithm, folder=tmp_path)

    class Stopped(Exception):
        pass

    def stop(progress: StageProgress) -> None:
        if progress.step == 20:
            raise Stopped

    with pytest.raises(Stopped):
        train(run, pace=OFTEN, on_progress=stop)
    resumed = train(run, pace=OFTEN)
    jax.tree.map(np.testing.assert_array_equal, resumed.weights, whole.weights)
    for name, column in whole.metrics.items():
        np.testing.assert_array_equal(resumed.metrics[name], column)
