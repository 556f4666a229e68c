"""A chain whose values are computed by hand, and policies that need no training.

States 0 to 3, as one-hot rows. Action 1 goes one state on and earns 1; from state 3 it ends the
episode. Action 0 goes back to state 0 and earns nothing. Every step taken in state 2 costs 1.
"""

from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np

import instinct
from instinct.data import Array, Dataset, Discrete
from instinct.deep import TrainedPolicy

STATES = 4
SMALL = {"layers": 1, "units": 32, "batch_size": 64, "steps": 1000, "rate": 5e-3}


@instinct.hyperparameters
class Always(instinct.Algorithm):
    """Takes the same action everywhere."""

    ACTIONS: ClassVar[Literal["continuous", "discrete"]] = "discrete"

    def mode(self, weights: Any, observations: jax.Array) -> jax.Array:
        return jnp.full(len(observations), weights["action"])


@instinct.hyperparameters
class AlwaysBox(instinct.Algorithm):
    """Takes the same vector everywhere."""

    def mode(self, weights: Any, observations: jax.Array) -> jax.Array:
        return jnp.broadcast_to(weights["action"], (len(observations), 1))


def always(action: int) -> TrainedPolicy:
    return TrainedPolicy(Always(), {"action": jnp.array(action)}, Discrete(2))


def always_box(action: float) -> TrainedPolicy:
    return TrainedPolicy(AlwaysBox(), {"action": jnp.array([action])}, instinct.Box.of(1))


def chain(episodes: int = 400, longest: int = 12, forward: float = 0.5, seed: int = 0) -> Dataset:
    """Record random actions."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(episodes):
        state = 0
        for step in range(longest):
            action = int(random.random() < forward)
            terminal = bool(action and state == STATES - 1)
            following = 0 if terminal or not action else state + 1
            timeout = step == longest - 1 and not terminal
            rows.append((state, action, action, following, terminal, timeout, state == 2))
            state = following
            if terminal:
                break
    s, a, r, s_next, terminals, timeouts, costs = map(np.array, zip(*rows, strict=True))
    one_hot: Array = np.eye(STATES, dtype=np.float32)
    return Dataset(
        observations=one_hot[s],
        actions=a,
        rewards=r.astype(np.float32),
        next_observations=one_hot[s_next],
        terminals=terminals,
        timeouts=timeouts,
        action_space=Discrete(2),
        costs=costs.astype(np.float32),
    )


def bandit(episodes: int = 2000, deviation: float = 0.3, seed: int = 0) -> Dataset:
    """Record one step per episode from one state; the reward is the action."""
    random = np.random.default_rng(seed)
    actions = np.clip(deviation * random.standard_normal((episodes, 1)), -1, 1).astype(np.float32)
    states = random.standard_normal((episodes, 2)).astype(np.float32)
    return Dataset(
        observations=states,
        actions=actions,
        rewards=actions[:, 0],
        next_observations=states,
        terminals=np.ones(episodes, bool),
        timeouts=np.zeros(episodes, bool),
        action_space=instinct.Box.of(1),
    )


def chance(episodes: int = 1000, seed: int = 0) -> Dataset:
    """Record two steps per episode: the first leads from 0 to N(0, 1), the second ends above 1."""
    random = np.random.default_rng(seed)
    states = np.zeros((episodes, 3), np.float32)
    states[:, 1] = states[:, 2] = random.standard_normal(episodes)
    terminals = np.stack([np.zeros(episodes, bool), states[:, 1] > 1], axis=1).ravel()
    timeouts = np.tile([False, True], episodes) & ~terminals
    return Dataset(
        observations=states[:, :2].reshape(-1, 1),
        actions=random.uniform(-1, 1, (2 * episodes, 1)).astype(np.float32),
        rewards=np.ones(2 * episodes, np.float32),
        next_observations=states[:, 1:].reshape(-1, 1),
        terminals=terminals,
        timeouts=timeouts,
        action_space=instinct.Box.of(1),
    )
