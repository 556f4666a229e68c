"""Small problems that break a statement of the paper as printed: it needs a further condition.

`docs/theory.md` says for each what goes wrong and what holds instead.
"""

import numpy as np

from instinct.theory.cmdp import CMDP, implicit_cmdp
from instinct.theory.examples import Example
from instinct.theory.garnet import unbiased
from instinct.theory.mdp import MDP, layered


def leak(chance: float = 0.01) -> CMDP:
    """κ(δ) > (2H + 1) δ at δ = `chance`, for H = 2 and small chances.

    In state 0, action 0 leads to a place (state 1) with reward -1, action 1 mostly to one with
    reward 1 (state 2), but by chance out of the support (state 3). So V_cμ is not at least one
    when it is positive, as the proof has it, but as small as the chance.
    """
    P = np.zeros((4, 2, 4))
    P[0, 0, 1] = 1
    P[0, 1, 2], P[0, 1, 3] = 1 - chance, chance
    P[1:, :] = np.eye(4)[1:, None]
    rewards = np.array([[-1.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [1.0, 1.0]])
    mdp = layered(MDP.dense(P, rewards, np.eye(4)[0], 0.0), 2)
    support = np.ones(mdp.rewards.shape, np.bool_)
    support[[3, 7]] = False
    return implicit_cmdp(mdp, support)


def stitched() -> Example:
    """Every recording of full length is optimal, yet the bias for H = 2 is 1, not ∞.

    In state 0, action 0 pays 1 and action 1 pays 0; both lead to state 1, where action 0 pays 1.
    Recordings that begin with action 1 are stopped after that step. A policy may take it and go on
    as the other recordings do: it stays in the support, on a path that no recording took.
    """
    P = np.zeros((2, 2, 2))
    P[:, :, 1] = 1
    rewards = np.array([[1.0, 0.0], [1.0, 0.0]])
    mdp = layered(MDP.dense(P, rewards, np.array([1.0, 0.0]), 0.0), 2)
    mu = np.zeros(mdp.rewards.shape)
    mu[0, 0] = mu[0, 1] = mu[3, 0] = 1 / 3
    return Example(mdp, mu, None, np.inf)


def any_policy() -> Example:
    """μ = d^π of a bad policy: not ∞-positively biased, even for the true reward alone.

    One state, where action 0 pays 1 and action 1 pays 0; the data take action 1.
    """
    rewards = np.array([[1.0, 0.0]])
    mdp = MDP.dense(np.ones((1, 2, 1)), rewards, np.ones(1), 0.9)
    return Example(mdp, np.array([[0.0, 1.0]]), (rewards,), np.inf)


def advantage_as_printed(mdp: MDP) -> Example:
    """Q*(s, a) - V*(s) ≤ 0 holds of every pair, so also of data that cover all of them."""
    return Example(mdp, unbiased(mdp), None, np.inf)
