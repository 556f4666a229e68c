"""Objects of a user's own in a module that worker processes can import."""

from typing import Any

import gymnasium
import numpy as np

import instinct

Environment = gymnasium.Env[Any, Any]


def make_pendulum() -> Environment:
    """Make an inverted pendulum."""
    return gymnasium.make("InvertedPendulum-v5")


def record(episodes: int = 20, steps: int = 10) -> instinct.Dataset:
    """Record random actions in the inverted pendulum."""
    environment, random = make_pendulum(), np.random.default_rng(0)
    rows = []
    for episode in range(episodes):
        observation, _ = environment.reset(seed=episode)
        for step in range(steps):
            action = random.uniform(-3, 3, 1).astype(np.float32)
            following, reward, terminal, _, _ = environment.step(action)
            timeout = step == steps - 1 and not terminal
            rows.append((observation, action, reward, following, terminal, timeout))
            observation = following
            if terminal:
                break
    names = ("observations", "actions", "rewards", "next_observations", "terminals", "timeouts")
    columns: Any = {n: np.array(c) for n, c in zip(names, zip(*rows, strict=True), strict=True)}
    return instinct.Dataset(**columns, action_space=instinct.Box((-3.0,), (3.0,)))


def reward_strength(dataset: instinct.Dataset, random: np.random.Generator) -> Any:
    """Reward large actions."""
    del random
    return np.abs(dataset.actions[:, 0])


def is_strong(dataset: instinct.Dataset) -> Any:
    """Mark the transitions with large actions."""
    return np.abs(dataset.actions[:, 0]) > 0.5


def follow_the_reward(dataset: instinct.Dataset, seed: int) -> Any:
    """Return the policy that always takes the action of the best-rewarded row."""
    del seed
    best = dataset.actions[dataset.rewards.argmax()]
    return lambda observations: np.tile(best, (len(observations), 1))
