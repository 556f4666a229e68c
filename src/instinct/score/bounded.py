"""Policies that stay close to the data: π(a|s) ≤ C μ(a|s) in every state.

C = 1 is the behavior, and C = ∞ is every policy in the support of the data. In a model of cells the
support alone says little: a cell holds different states, and a policy that chooses freely among
their transitions goes wherever it likes. So the ratio π/μ is bounded unless the model is exact.
"""

import numpy as np
from scipy import sparse

from instinct.data import Array
from instinct.tabular.model import Model

RATIO = 1.25
"""C where cells mix states."""
SWEEPS = 300
"""Sweeps of value iteration; γ^300 = 0.05."""


def best_within(Q: Array, behavior: Array, ratio: float) -> Array:
    """Return the π with the largest Σ_a π(a|s) Q(s, a) such that π ≤ C μ; where Q says nothing, μ.

    >>> import numpy as np
    >>> best_within(np.array([[1.0, 0.0]]), np.array([[0.2, 0.8]]), 2.0).tolist()
    [[0.4, 0.6]]
    """
    order = np.argsort(-Q, axis=1, kind="stable")
    bound = np.minimum(ratio * np.where(behavior > 0, behavior, 1), behavior > 0)
    room = np.take_along_axis(bound, order, axis=1)
    filled = np.minimum(np.cumsum(room, axis=1), 1)
    policy = np.empty_like(filled)
    np.put_along_axis(policy, order, np.diff(filled, axis=1, prepend=0), axis=1)
    same = np.ptp(Q, axis=1) <= 1e-9 * max(1.0, np.abs(Q).max())
    return np.where(same[:, None], behavior, policy)


def plan_within(model: Model, rewards: Array, leaving: Array, ratio: float = RATIO) -> Array:
    """Return the policy with the largest discounted value such that π ≤ C μ, [S, A].

    `leaving` is the probability of every pair that what follows is a fall or unknown. It has the
    value V_min = -R/(1-γ), where R is the largest reward in size, and 1 if all are zero.
    """
    R = np.abs(rewards).max() or 1.0
    paid = rewards - model.discount * leaving * R / (1 - model.discount)
    V, policy = np.zeros(model.states), model.behavior
    if not paid.any():
        return policy
    for _ in range(SWEEPS):
        later = np.asarray(model.transitions @ V).reshape(paid.shape)
        Q = paid + model.discount * later
        policy = best_within(Q, model.behavior, ratio)
        V = (policy * Q).sum(axis=1)
    return policy


def play(model: Model, policy: Array, quantities: Array, horizon: int) -> Array:
    """Return the expected sums of quantities of pairs, [k, S, A], over the steps of an episode."""
    pairs = np.arange(policy.size)
    shape = (model.states, policy.size)
    mix = sparse.csr_array((policy.ravel(), (pairs // model.actions, pairs)), shape=shape)
    step = sparse.csr_array(mix @ model.transitions)
    each_step = (policy * quantities).sum(axis=2).T
    total = np.zeros_like(each_step)
    for _ in range(horizon):
        total = each_step + step @ total
    return np.asarray(model.initial @ total)
