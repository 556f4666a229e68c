"""Small random MDPs, and answers found by trying everything."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from instinct.data import Array
from instinct.theory.mdp import MDP, deterministic


def random_mdp(seed: int, states: int = 4, actions: int = 2, discount: float = 0.9) -> MDP:
    """Sparse random transitions, rewards in [0, 1] and a random start."""
    rng = np.random.default_rng(seed)
    P = rng.random((states, actions, states)) * (rng.random((states, actions, states)) < 0.5)
    P[..., 0] += P.sum(axis=2) == 0
    P /= P.sum(axis=2, keepdims=True)
    return MDP.dense(P, rng.random((states, actions)), rng.dirichlet(np.ones(states)), discount)


def all_deterministic(mdp: MDP) -> Iterator[Array]:
    """Every deterministic policy of a small MDP."""
    for chosen in product(range(mdp.actions), repeat=mdp.states):
        yield deterministic(np.array(chosen), mdp.actions)
