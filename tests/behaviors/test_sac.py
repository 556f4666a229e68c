"""SAC on problems whose answers are known."""

import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from instinct.behaviors.replay import Replay
from instinct.behaviors.sac import SAC, mode, sample
from instinct.data import Array
from instinct.deep.algorithms.algorithm import Batch, State
from instinct.deep.nn.networks import twin_minimum

CALLS, UPDATES, SIZE = 30, 100, 64


@functools.cache
def trained(sac: SAC, draw: "Problem") -> State:
    generator = np.random.default_rng(0)
    state = sac.init(jax.random.key(0), 1, 1)
    for call in range(CALLS):
        batches = draw(generator, (UPDATES, SIZE))
        state = sac.updates(state, batches, jax.random.key(call))
    return state


@dataclass(frozen=True)
class Problem:
    """Transitions with random states and actions, and r = 1."""

    goes_on: float

    def reward(self, s: Array, a: Array) -> Array:
        return np.ones_like(s)

    def __call__(self, generator: np.random.Generator, shape: tuple[int, int]) -> Batch:
        s, a = generator.uniform(-1, 1, (2, *shape, 1)).astype(np.float32)
        r = self.reward(s, a)[..., 0]
        return Batch(*map(jnp.asarray, (s, a, r, s, np.full(shape, self.goes_on, np.float32))))


class FollowHalf(Problem):
    """One step, r = −4·(a − s/2)²: the best action is s/2, and the critic's value is r."""

    def reward(self, s: Array, a: Array) -> Array:
        return np.asarray(-4 * (a - s / 2) ** 2)


def test_finds_the_best_action_of_a_one_step_problem_and_its_value() -> None:
    state = trained(SAC(units=64, rate=1e-3), FollowHalf(goes_on=0.0))
    s = np.linspace(-0.9, 0.9, 13, dtype=np.float32)[:, None]
    assert np.abs(np.asarray(mode(state["policy"], s)) - s / 2).max() < 0.1
    a = np.zeros_like(s)
    f = np.asarray(twin_minimum(state["critics"], jnp.asarray(s), jnp.asarray(a)))
    assert np.abs(f - -4 * (s[:, 0] / 2) ** 2).max() < 0.15


def test_value_obeys_the_soft_bellman_equation_without_terminals() -> None:
    """With r = 1 everywhere and γ = 1/2: Q = 1 + γ·(Q − α·E log π)."""
    sac = SAC(units=64, rate=1e-3, discount=0.5)
    state = trained(sac, Problem(goes_on=1.0))
    s = jnp.zeros((4096, 1))
    noise = jax.random.normal(jax.random.key(1), s.shape)
    actions, log_prob = sample(state["policy"], s, noise)
    f = float(twin_minimum(state["critics"], s, actions).mean())
    alpha = float(jnp.exp(state["log_alpha"]))
    assert abs(f - (1 - 0.5 * alpha * float(log_prob.mean())) / 0.5) < 0.1


def test_entropy_is_tuned_to_minus_the_number_of_actions() -> None:
    state = trained(SAC(units=64, rate=1e-3), FollowHalf(goes_on=0.0))
    s = jax.random.uniform(jax.random.key(2), (4096, 1), minval=-1)
    _, log_prob = sample(state["policy"], s, jax.random.normal(jax.random.key(1), s.shape))
    assert abs(float(log_prob.mean()) - 1) < 0.25


def test_terminals_cut_off_the_future() -> None:
    state = trained(SAC(units=64, rate=1e-3), Problem(goes_on=0.0))
    s = jnp.linspace(-0.9, 0.9, 13)[:, None]
    f = twin_minimum(state["critics"], s, jnp.zeros_like(s))
    assert float(jnp.abs(f - 1).max()) < 0.05


def test_replay_keeps_the_newest_and_restores_from_its_arrays() -> None:
    replay = Replay(3, 2, 1)
    for i in range(5):
        replay.add(np.full(2, i), np.full(1, i), float(i), np.full(2, i + 1), 1.0)
    assert len(replay) == 3
    again = Replay(3, 2, 1)
    again.restore(replay.arrays())
    again.add(np.full(2, 5), np.full(1, 5), 5.0, np.full(2, 6), 0.0)
    batch = again.sample((10, 20), np.random.default_rng(0))
    assert set(np.asarray(batch.rewards).ravel().tolist()) == {3.0, 4.0, 5.0}
    np.testing.assert_array_equal(batch.next_observations[..., 0], batch.rewards + 1)
    np.testing.assert_array_equal(batch.goes_on == 0, batch.rewards == 5)
