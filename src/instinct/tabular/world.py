"""The empirical model of a dataset as an MDP on which the exact theory can be computed.

Nothing is known out of support, so a policy that leaves the support never returns: every pair
without data leads to an unknown state, which leads only to itself and is out of support too.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from instinct.data import Array
from instinct.errors import BadInput
from instinct.tabular.model import Model
from instinct.theory.linear import Matrix
from instinct.theory.mdp import MDP

MAX_PAIRS = 300_000
"""Largest number of pairs (s, a); with more the linear programs take too long."""


class ObservedWorld(NamedTuple):
    """The MDP of a dataset, with the counts of its pairs."""

    mdp: MDP
    counts: Array
    """n(s, a), [S, A]; zero in the unknown state."""


def observed_world(model: Model, unknown: float) -> ObservedWorld:
    """Return an MDP over the model's states, the unknown state and the end state, in this order.

    `unknown` is the reward of every step out of support. With a horizon, every layer has its own
    unknown state.
    """
    n, A, H = len(model.space), model.actions, model.horizon or 1
    if n * H * A > MAX_PAIRS:
        raise BadInput(
            f"{n * H:,} states with {A} actions are too many for the exact theory "
            f"(at most {MAX_PAIRS:,} pairs); use fewer bins, a discount, or less data"
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
    """Return P̂ between the model's states, and to the end state where the data have a terminal."""
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
    """Return transitions from pairs without data to the unknown state (of the next layer)."""
    states, A = counts.shape
    end = states - 1
    width = end // len(hidden)
    pairs = np.flatnonzero(counts == 0)
    layer = np.minimum(pairs // A // width, len(hidden) - 1)
    following = np.append(hidden[1:], end) if layered else hidden
    columns = np.where(pairs // A == end, end, following[layer])
    shape = (states * A, states)
    return sparse.csr_array((np.ones(len(pairs)), (pairs, columns)), shape=shape)
