"""Datasets and random MDPs for the tests of the tabular algorithms."""

from collections.abc import Sequence

import numpy as np

from instinct.data import Array, Dataset, Discrete
from instinct.theory.mdp import MDP

Step = tuple[int, int, float, int]
"""State, action, reward, next state."""


def dataset(episodes: Sequence[tuple[Sequence[Step], str]], actions: int) -> Dataset:
    """Return a dataset of episodes that end with a "terminal" or a "timeout".

    A state is one number.
    """
    rows = [step for steps, _ in episodes for step in steps]
    states, chosen, rewards, nexts = (np.array(column) for column in zip(*rows, strict=True))
    ends = np.zeros(len(rows), np.int64)
    stops = np.cumsum([len(steps) for steps, _ in episodes]) - 1
    ends[stops] = [1 if end == "terminal" else 2 for _, end in episodes]
    return Dataset(
        observations=states[:, None],
        actions=chosen,
        rewards=rewards.astype(np.float64),
        next_observations=nexts[:, None],
        terminals=ends == 1,
        timeouts=ends == 2,
        action_space=Discrete(actions),
    )


TWO = dataset(
    [([(0, 0, 0.0, 1), (1, 0, 0.75, 1)], "timeout")] * 4 + [([(1, 1, 1.0, 0)], "terminal")],
    actions=2,
)
"""Two states. In state 0, action 0 leads to state 1; action 1 is unseen. In state 1, action 0 has
reward 0.75 and stays; action 1 has reward 1 and is terminal. With γ = 1/2 it is best to stay:
V = (3/4, 3/2).
"""


def random_mdp(random: np.random.Generator, states: int, actions: int, discount: float) -> MDP:
    """Return an MDP with dense transitions and rewards in [-1, 1]."""
    P = random.dirichlet(np.full(states, 0.5), size=(states, actions))
    rewards = random.uniform(-1, 1, size=(states, actions))
    return MDP.dense(P, rewards, random.dirichlet(np.ones(states)), discount)


def record(
    mdp: MDP, policy: Array, episodes: int, length: int, random: np.random.Generator
) -> Dataset:
    """Record episodes of equal length, each ended by a timeout, with the true rewards."""
    P = mdp.transitions.toarray().reshape(mdp.states, mdp.actions, mdp.states)
    state = draw(np.tile(mdp.initial, (episodes, 1)), random)
    columns = []
    for _ in range(length):
        action = draw(policy[state], random)
        following = draw(P[state, action], random)
        columns.append((state, action, mdp.rewards[state, action], following))
        state = following
    states, chosen, rewards, nexts = (
        np.stack(column, axis=1).ravel() for column in zip(*columns, strict=True)
    )
    last = np.arange(len(states)) % length == length - 1
    return Dataset(
        observations=states[:, None],
        actions=chosen,
        rewards=rewards,
        next_observations=nexts[:, None],
        terminals=np.zeros_like(last),
        timeouts=last,
        action_space=Discrete(mdp.actions),
    )


def draw(chances: Array, random: np.random.Generator) -> Array:
    """Sample one index per row of probabilities."""
    draws = random.uniform(size=(len(chances), 1)) * chances.sum(axis=1, keepdims=True)
    return np.asarray((draws >= chances.cumsum(axis=1)).sum(axis=1))


def with_end_state(policy: Array) -> Array:
    """Add a uniform row for the end state to a policy."""
    actions = policy.shape[1]
    return np.vstack([policy, np.full((1, actions), 1 / actions)])
