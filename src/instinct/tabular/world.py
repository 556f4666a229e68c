"""The world as far as the data show it: the empirical model as an MDP with exact theory.

Nothing is known of what lies out of support, so leaving it is taken to be for good: every pair
without data leads to an unknown state that only leads to itself and is out of support too.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from instinct.data import Array
from instinct.errors import BadInput
from instinct.tabular.model import Model
from instinct.theory.linear import Matrix
from instinct.theory.mdp import MDP

LARGEST = 300_000
"""Pairs (s, a) above which the linear programs take too long."""


class ObservedWorld(NamedTuple):
    mdp: MDP
    counts: Array
    """n(s, a), [S, A]: zero in the unknown state."""


def observed_world(model: Model, unknown: float) -> ObservedWorld:
    """An MDP over the model's states, the unknown state and the end, in this order.

    `unknown` is the reward of every step out of support. With a horizon every layer has an unknown
    state of its own.
    """
    n, A, H = len(model.space), model.actions, model.horizon or 1
    if n * H * A > LARGEST:
        raise BadInput(
            f"{n * H:,} states with {A} actions are more than exact theory can take "
            f"({LARGEST:,} pairs); use fewer bins, a discount, or less data"
        )
    place = (np.arange(H)[:, None] * (n + 1) + np.arange(n)).ravel()
    hidden = np.arange(H) * (n + 1) + n
    states = H * (n + 1) + 1
    rewards = np.full((states, A), unknown)
    rewards[place] = np.where(model.support, model.rewards, unknown)
    rewards[-1] = 0
    counts = np.zeros((states, A))
    counts[place] = model.counts
    initial = np.zeros(states)
    initial[place] = model.initial
    transitions = known(model, place, states) + escapes(counts, hidden, model.horizon is not None)
    mdp = MDP(transitions, rewards, initial, model.discount, model.horizon, ends=True)
    return ObservedWorld(mdp, counts)


def known(model: Model, place: Array, states: int) -> Matrix:
    """P̂ between the places of the model's states, and to the end where the world ended."""
    A, end = model.actions, states - 1
    table = model.transitions.tocoo()
    pairs = np.flatnonzero(model.support)
    ended: Array = np.clip(1 - model.transitions.sum(axis=1)[pairs], 0, 1)
    rows = np.concatenate([table.row, pairs])
    columns = np.concatenate([place[table.col], np.full(len(pairs), end)])
    chances = np.concatenate([table.data, ended])
    rows = place[rows // A] * A + rows % A
    return sparse.csr_array((chances, (rows, columns)), shape=(states * A, states))


def escapes(counts: Array, hidden: Array, layered: bool) -> Matrix:
    """Pairs without data lead to the unknown state, of the next layer if there are layers."""
    states, A = counts.shape
    end = states - 1
    width = end // len(hidden)
    pairs = np.flatnonzero(counts == 0)
    layer = np.minimum(pairs // A // width, len(hidden) - 1)
    following = np.append(hidden[1:], end) if layered else hidden
    columns = np.where(pairs // A == end, end, following[layer])
    shape = (states * A, states)
    return sparse.csr_array((np.ones(len(pairs)), (pairs, columns)), shape=shape)
