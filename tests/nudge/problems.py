"""Datasets on which the right filter is known."""

from pathlib import Path

import numpy as np

from instinct.benchmarks.gridworld.world import ACTIONS, OPTIMAL_EPISODE, GridWorld
from instinct.data import Dataset, Discrete, write
from instinct.data.assemble import assemble

STEPS = 10


def choices(*, reward_of_cost: float = 1.0, episodes: int = 40, seed: int = 0) -> Dataset:
    """Record one state and two actions at random: action 1 costs 1, action 0 nothing."""
    random = np.random.default_rng(seed)
    rows = STEPS * episodes
    actions = random.integers(2, size=rows)
    return Dataset(
        observations=np.zeros((rows, 1), np.int64),
        actions=actions,
        rewards=np.where(actions == 1, reward_of_cost, 1.0),
        next_observations=np.zeros((rows, 1), np.int64),
        terminals=np.zeros(rows, bool),
        timeouts=np.arange(rows) % STEPS == STEPS - 1,
        action_space=Discrete(2),
        costs=actions.astype(float),
    )


def write_idle_grid(path: Path) -> Path:
    """Record 30 grid episodes to the key, and 50 that push against the border until the time ends.

    Without a reward nothing tells the two apart: both stay in the data.
    """
    world = GridWorld()
    key, idle = world.record(OPTIMAL_EPISODE), world.record("f" * world.horizon)
    episodes = [key] * 30 + [idle] * 50
    arrays = {name: np.concatenate([each[name] for each in episodes]) for name in key}
    write(assemble(arrays, action_space=Discrete(len(ACTIONS))), path)
    return path
