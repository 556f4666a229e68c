"""Measure time and memory of the tabular algorithms on a random dataset."""

import time
from typing import NamedTuple

import numpy as np

from instinct.bench.memory import peak_mib
from instinct.data import Dataset, Discrete
from instinct.tabular.model import Model
from instinct.tabular.registry import ALGORITHMS


class TabularTiming(NamedTuple):
    """Time and memory of one algorithm; "model" is the construction of the model."""

    algorithm: str
    seconds: float
    """Processor time."""
    peak_mib: float
    """Peak memory of the process so far."""


def random_dataset(
    states: int,
    actions: int,
    transitions: int,
    branches: int = 10,
    length: int = 100,
    seed: int = 0,
) -> Dataset:
    """Record episodes of uniformly random actions in a random MDP.

    Every pair leads to one of `branches` states. Rewards are uniform in [-1, 1] per pair. Every
    tenth episode ends with a terminal, the others with a timeout.
    """
    random = np.random.default_rng(seed)
    targets = random.integers(states, size=(states, actions, branches))
    rewards = random.uniform(-1, 1, size=(states, actions))
    length = min(length, transitions)
    episodes = transitions // length
    state = random.integers(states, size=episodes)
    columns = []
    for _ in range(length):
        action = random.integers(actions, size=episodes)
        following = targets[state, action, random.integers(branches, size=episodes)]
        columns.append((state, action, rewards[state, action], following))
        state = following
    now, chosen, earned, then = (
        np.stack(column, axis=1).ravel() for column in zip(*columns, strict=True)
    )
    last = np.arange(len(now)) % length == length - 1
    over = last & (np.arange(len(now)) // length % 10 == 0)
    return Dataset(
        observations=now[:, None],
        actions=chosen,
        rewards=earned,
        next_observations=then[:, None],
        terminals=over,
        timeouts=last & ~over,
        action_space=Discrete(actions),
    )


def measure(
    states: int = 10_000,
    actions: int = 10,
    transitions: int = 1_000_000,
    discount: float = 0.99,
    R: float = 10.0,
) -> list[TabularTiming]:
    """Build the model and run every algorithm once, with settings that make it R-admissible.

    Algorithms that need a horizon get one of 20 steps, over a twentieth of the states.
    """
    data = random_dataset(states, actions, transitions)
    layered = random_dataset(states // 20, actions, transitions, length=20)
    begun = time.process_time()
    model = Model.of(data, discount=discount)
    _ = model.rewards, model.transitions
    rows = [TabularTiming("model", time.process_time() - begun, peak_mib())]
    for name, algorithm in ALGORITHMS.items():
        subject = Model.of(layered, horizon=20) if algorithm.finite_horizon_only else model
        begun = time.process_time()
        algorithm.solve(subject, R)
        rows.append(TabularTiming(name, time.process_time() - begun, peak_mib()))
    return rows
