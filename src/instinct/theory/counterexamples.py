"""Small problems for remarks on statements of the paper: what they need, or what was misprinted.

`docs/theory.md` says for each what holds instead, and which assumption of the paper it is without.
"""

import numpy as np

from instinct.theory.cmdp import CMDP, implicit_cmdp
from instinct.theory.examples import Example
from instinct.theory.garnet import unbiased
from instinct.theory.mdp import MDP, layered


def leak(chance: float = 0.01) -> CMDP:
    """Return a CMDP with κ(δ) > (2H + 1) δ at δ = `chance`, for H = 2 and a small chance.

    In state 0, action 0 leads to state 1 with reward -1. Action 1 leads to state 2 with reward 1,
    but with probability `chance` out of the support (state 3). The proof uses that V_cμ is at
    least one whenever it is positive. Here it is as small as the chance.
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
    """Return data whose full-length trajectories are all optimal, but whose bias is 1, not ∞.

    In state 0, action 0 has reward 1 and action 1 has reward 0. Both lead to state 1, where action
    0 has reward 1. Trajectories that start with action 1 stop after that step. A policy may take
    action 1 and continue like the other trajectories: it stays in the support, on a path that no
    trajectory took. H is 2.
    """
    P = np.zeros((2, 2, 2))
    P[:, :, 1] = 1
    rewards = np.array([[1.0, 0.0], [1.0, 0.0]])
    mdp = layered(MDP.dense(P, rewards, np.array([1.0, 0.0]), 0.0), 2)
    mu = np.zeros(mdp.rewards.shape)
    mu[0, 0] = mu[0, 1] = mu[3, 0] = 1 / 3
    return Example(mdp, mu, None, np.inf)


def any_policy() -> Example:
    """Return μ = d^π of a bad policy, which has no ∞-positive bias even for the true reward.

    There is one state. Action 0 has reward 1, action 1 has reward 0; the data have action 1.
    """
    rewards = np.array([[1.0, 0.0]])
    mdp = MDP.dense(np.ones((1, 2, 1)), rewards, np.ones(1), 0.9)
    return Example(mdp, np.array([[0.0, 1.0]]), (rewards,), np.inf)


def no_way_back() -> Example:
    """Return data with the length-bias condition at ε′ = 0, whose lemma at α = 1 needs β = 1.

    In state 0 both actions are recorded; action 0 stays and action 1 leads to state 1. There action
    0 is recorded. It leads to state 2, which has no data and never ends. Action 1 is not recorded
    and leads back to state 0. All rewards are 1 except 0 for this step back, so the actions in the
    support lose nothing. But from state 1 the step back is the cheapest way to leave the support:
    its cost gap is 0, which is below α = 1, although it is out of support and loses 1.
    """
    P = np.zeros((3, 2, 3))
    P[0, 0, 0] = P[0, 1, 1] = P[1, 0, 2] = P[1, 1, 0] = 1
    P[2, :, 2] = 1
    rewards = np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    mdp = MDP.dense(P, rewards, np.eye(3)[0], 0.9)
    covered = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    return Example(mdp, covered / 3, None, np.inf)


def advantage_as_printed(mdp: MDP) -> Example:
    """Return data that cover every pair; Q*(s, a) - V*(s) ≤ 0 holds for all of them."""
    return Example(mdp, unbiased(mdp), None, np.inf)
