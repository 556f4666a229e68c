"""The support of a data distribution μ, and policies that stay in it."""

import numpy as np

from instinct.data import Array, Dataset, Discrete
from instinct.errors import BadInput
from instinct.theory.mdp import MDP


def support(mdp: MDP, mu: Array) -> Array:
    """Return which pairs (s, a) have data, [S, A]; μ may be probabilities or counts.

    The end state of an MDP is always in the support.
    """
    mu = _check_distribution(mdp, mu)
    covered = mu > 0
    if mdp.ends:
        covered[-1] = True
    return covered


def costs(support: Array) -> Array:
    """Return the cost c_μ(s, a) = 1[μ(s, a) = 0] of the implicit CMDP."""
    return 1.0 - support


def empirical_distribution(mdp: MDP, dataset: Dataset) -> Array:
    """Return μ̂, [S, A]: the share of the dataset's transitions at every pair.

    Observations are state numbers. For a layered MDP they are numbers within a layer, and the
    layer is the time step in the episode.
    """
    if dataset.observations.dtype.kind != "i" or dataset.observations.shape[1] != 1:
        raise BadInput("observations must be state numbers with shape [rows, 1]")
    if not isinstance(dataset.action_space, Discrete) or dataset.action_space.n != mdp.actions:
        raise BadInput(f"the dataset must have {mdp.actions} discrete actions, like the MDP")
    state = dataset.observations[:, 0]
    if not ((state >= 0) & (state < mdp.width)).all():
        raise BadInput(f"observations must be state numbers below {mdp.width}")
    if mdp.horizon is not None:
        if dataset.lengths.max() > mdp.horizon:
            raise BadInput(f"an episode is longer than the horizon of {mdp.horizon} steps")
        state = dataset.steps * mdp.width + state
    counts = np.bincount(state * mdp.actions + dataset.actions, minlength=mdp.rewards.size)
    return np.asarray(counts.reshape(mdp.rewards.shape) / len(dataset))


def viable(mdp: MDP, support: Array) -> Array:
    """Return the pairs from which some policy never leaves the support, [S, A].

    This is the largest set of pairs in the support such that every successor has a pair in the
    set. A policy has V_cμ^π(d_0) = 0 exactly if it takes only these pairs in the states it visits.
    """
    pairs: Array = np.asarray(support, np.bool_)
    while True:
        leading = leads_to(mdp, np.asarray(~pairs.any(axis=1)))
        if not (pairs & leading).any():
            return pairs
        pairs = pairs & ~leading


def leads_to(mdp: MDP, states: Array) -> Array:
    """Return the pairs that may lead to one of the states, [S, A]."""
    return mdp.backup(states.astype(np.float64), np.zeros(mdp.rewards.shape)) > 0


def feasible(mdp: MDP, support: Array) -> bool:
    """Return whether some policy never leaves the support."""
    return bool(viable(mdp, support)[mdp.initial > 0].any(axis=1).all())


def reachable(mdp: MDP, pairs: Array) -> Array:
    """Return the states that can be reached from d_0 with the given pairs only, [S]."""
    found: Array = mdp.initial > 0
    while True:
        taken = (pairs & found[:, None]).ravel().astype(np.float64)
        wider = found | (np.asarray(mdp.continuation.T @ taken) > 0)
        if (wider == found).all():
            return found
        found = wider


def out_of_support(mdp: MDP, policy: Array, support: Array, steps: int | None = None) -> float:
    """Return the left side of the safety guarantee in the Main Result.

    (1-γ) Σ_t γ^t Prob(∃τ ≤ t: (s_τ, a_τ) ∉ supp μ), which equals E[γ^T] for the first time T at
    which the policy leaves the support. In a layered MDP with γ = 1 it is the probability of
    leaving within the horizon. With `steps` it is Prob(∃τ < steps: (s_τ, a_τ) ∉ supp μ), without
    discount.
    """
    inside = mdp.check_policy(policy) * support
    leaving = (policy * ~support).sum(axis=1)
    if steps is None:
        return float(mdp.initial @ mdp.solve(inside, leaving))
    here, left = mdp.initial, 0.0
    for _ in range(steps):
        left += float(here @ leaving)
        here = (here[:, None] * inside).ravel() @ mdp.transitions
    return left


def concentrability(mdp: MDP, policy: Array, mu: Array) -> float:
    """Return sup_{s,a} d^π(s, a) / μ(s, a) with 0/0 = 0 (Single-policy Concentrability).

    It is infinite if π leaves the support.
    """
    mu, taken = _check_distribution(mdp, mu), policy > 0
    if (taken & reachable(mdp, taken)[:, None] & ~support(mdp, mu)).any():
        return float("inf")
    covered = mu > 0
    return float((mdp.occupancy(policy)[covered] / mu[covered]).max() * mu.sum())


def _check_distribution(mdp: MDP, mu: Array) -> Array:
    mu = np.asarray(mu, np.float64)
    if mu.shape != mdp.rewards.shape:
        need = list(mdp.rewards.shape)
        raise BadInput(f"the data distribution has shape {list(mu.shape)}, not {need}")
    if not (mu >= 0).all() or not 0 < mu.sum() < np.inf:
        raise BadInput("the data distribution must be non-negative, finite and not all zero")
    return mu
