"""Small random MDPs, and results by brute force over all deterministic policies."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from instinct.data import Array
from instinct.theory.mdp import MDP, deterministic
from instinct.theory.support import reachable

seeds = st.integers(0, 100_000)
trials = settings(max_examples=20, deadline=None, derandomize=True)


def random_mdp(seed: int, states: int = 4, actions: int = 2, discount: float = 0.9) -> MDP:
    """Return an MDP with sparse random transitions, rewards in [0, 1] and two initial states."""
    rng = np.random.default_rng(seed)
    P = rng.random((states, actions, states)) * (rng.random((states, actions, states)) < 0.5)
    P[..., 0] += P.sum(axis=2) == 0
    P /= P.sum(axis=2, keepdims=True)
    initial = np.concatenate([rng.dirichlet([1, 1]), np.zeros(states - 2)])
    return MDP.dense(P, rng.random((states, actions)), initial, discount)


def all_deterministic(mdp: MDP) -> Iterator[Array]:
    """Yield every deterministic policy of a small MDP."""
    for chosen in product(range(mdp.actions), repeat=mdp.states):
        yield deterministic(np.array(chosen), mdp.actions)


def random_support(mdp: MDP, seed: int) -> Array:
    """Return a random support that some policy never leaves.

    It has the pairs that a random deterministic policy visits, other pairs in the same states, and
    some pairs elsewhere. Other policies may reach states without data.
    """
    rng = np.random.default_rng([seed, 1])
    followed = deterministic(rng.integers(mdp.actions, size=mdp.states), mdp.actions) > 0
    reached = reachable(mdp, followed)
    seen = reached | (rng.random(mdp.states) < 0.3)
    support = followed & reached[:, None]
    support |= (rng.random(support.shape) < 0.5) & seen[:, None]
    if mdp.horizon is not None:
        support[-1] = True
    return np.asarray(support)


def random_rewards(mdp: MDP, seed: int) -> Array:
    """Return random rewards in [-1, 1]."""
    rewards = np.random.default_rng([seed, 3]).uniform(-1, 1, mdp.rewards.shape)
    if mdp.horizon is not None:
        rewards[-1] = 0
    return rewards


def values(mdp: MDP, *rewards: Array) -> Array:
    """Return V_f^π(d_0) of every deterministic policy (rows) for every f (columns).

    The values of all policies are the convex hull of the rows.
    """
    states = mdp.states - mdp.ends
    chosen = np.array([*product(range(mdp.actions), repeat=states)])
    P = mdp.transitions.toarray().reshape(mdp.states, mdp.actions, mdp.states)
    step = mdp.discount * P[np.arange(states), chosen, :states]
    paid = np.stack([f[np.arange(states), chosen] for f in rewards], axis=2)
    return np.asarray(mdp.initial[:states] @ np.linalg.solve(np.eye(states) - step, paid))


def best_mixture(gains: Array, limited: Array, bounds: Array) -> float:
    """Return max ⟨w, gains⟩ over mixtures w of policies with w @ limited ≤ bounds."""
    solved = linprog(
        -gains,
        A_ub=limited.T,
        b_ub=bounds,
        A_eq=np.ones((1, len(gains))),
        b_eq=np.ones(1),
        method="highs-ds",
    )
    assert solved.fun is not None
    return -float(solved.fun)


def random_policy(mdp: MDP, seed: int) -> Array:
    """Return a policy with random probabilities."""
    shares = np.random.default_rng([seed, 5]).dirichlet(np.ones(mdp.actions), size=mdp.states)
    return np.asarray(shares)
