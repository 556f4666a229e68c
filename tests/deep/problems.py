"""Small datasets with known answers."""

from dataclasses import replace

import numpy as np

from instinct.data import Array, Box, Dataset, Discrete


def noise_dataset(rows: int = 60, n: int = 3, m: int = 2, length: int = 5) -> Dataset:
    """Episodes of random numbers, every other one ending in a terminal."""
    random = np.random.default_rng(5)
    ends = np.arange(1, rows + 1) % length == 0
    terminals = ends & (np.arange(rows) // length % 2 == 0)
    observations = random.normal(size=(rows + 1, n)).astype(np.float32)
    return Dataset(
        observations=observations[:-1],
        actions=random.uniform(-1, 1, (rows, m)).astype(np.float32),
        rewards=random.normal(size=rows).astype(np.float32),
        next_observations=observations[1:],
        terminals=terminals,
        timeouts=ends & ~terminals,
        action_space=Box.of(m),
    )


def discrete_noise_dataset(actions: int = 3) -> Dataset:
    """The same episodes with discrete actions."""
    noise = noise_dataset()
    drawn = np.random.default_rng(6).integers(actions, size=len(noise))
    return replace(noise, actions=drawn, action_space=Discrete(actions))


def one_step(random: np.random.Generator, rows: int = 2000) -> Dataset:
    """Episodes of one step with reward −(a − s/2)², so that the best action is s/2."""
    s = random.uniform(-1, 1, (rows, 1)).astype(np.float32)
    a = random.uniform(-1, 1, (rows, 1)).astype(np.float32)
    return Dataset(
        observations=s,
        actions=a,
        rewards=-((a - s / 2) ** 2)[:, 0],
        next_observations=s,
        terminals=np.ones(rows, bool),
        timeouts=np.zeros(rows, bool),
        action_space=Box.of(1),
    )


def discrete_one_step(random: np.random.Generator, rows: int = 2000) -> Dataset:
    """Episodes of one step with reward −|a − a*|, a* = 0 below −⅓, 2 above ⅓ and else 1."""
    s = random.uniform(-1, 1, (rows, 1)).astype(np.float32)
    a = random.integers(3, size=rows)
    return Dataset(
        observations=s,
        actions=a,
        rewards=-np.abs(a - best_of_three(s)).astype(np.float32),
        next_observations=s,
        terminals=np.ones(rows, bool),
        timeouts=np.zeros(rows, bool),
        action_space=Discrete(3),
    )


def best_of_three(s: Array) -> Array:
    """The best action of `discrete_one_step`."""
    return np.digitize(s[:, 0], [-1 / 3, 1 / 3])


def discrete_cliff(random: np.random.Generator, survival: int, rows: int = 2000) -> Dataset:
    """The cliff with the action 1, which stays, and the actions 0 and 2, which fall."""
    continuous = cliff(random, survival, rows)
    falls = random.choice([0, 2], rows)
    actions = np.where(continuous.actions[:, 0] > 0, 1, falls)
    return replace(continuous, actions=actions, action_space=Discrete(3))


def cliff(random: np.random.Generator, survival: int, rows: int = 2000) -> Dataset:
    """A state in which a > 0 stays, and a < 0 leads where the data never goes on from.

    All rewards are zero; `survival` actions that stay are recorded for one that falls.
    """
    stays = np.arange(rows) % (survival + 1) > 0
    a = random.uniform(0.2, 0.8, rows) * np.where(stays, 1, -1)
    return Dataset(
        observations=np.zeros((rows, 1), np.float32),
        actions=a[:, None].astype(np.float32),
        rewards=np.zeros(rows, np.float32),
        next_observations=np.where(stays, 0, 1)[:, None].astype(np.float32),
        terminals=np.zeros(rows, bool),
        timeouts=np.ones(rows, bool),
        action_space=Box.of(1),
    )
