"""Random Garnet MDPs, data distributions with a known bias, and datasets sampled from them."""

import numpy as np
from scipy import sparse

from instinct.data import Array, Dataset, Discrete
from instinct.errors import BadInput
from instinct.theory.mdp import MDP
from instinct.theory.support import leads_to, reachable, support


def garnet(states: int, actions: int, branching: int, seed: int, *, discount: float = 0.9) -> MDP:
    """Return a random MDP in which every pair leads to `branching` random states.

    The probabilities are uniform on the simplex. Rewards are uniform in [0, 1]. The initial state
    is state 0.
    """
    if not 1 <= branching <= states:
        raise BadInput(
            f"the branching is {branching}; it must be between 1 and the number of states, {states}"
        )
    rng = np.random.default_rng(seed)
    pairs = states * actions
    successors = [rng.choice(states, branching, replace=False) for _ in range(pairs)]
    chances = rng.dirichlet(np.ones(branching), pairs)
    rows = np.repeat(np.arange(pairs), branching)
    P = sparse.csr_array(
        (chances.ravel(), (rows, np.concatenate(successors))), shape=(pairs, states)
    )
    return MDP(P, rng.random((states, actions)), np.eye(states)[0], discount)


def positively_biased(mdp: MDP, gap: float = 0.0) -> Array:
    """Return μ with a positive bias: policies that stay in its support are near-optimal.

    In the states that near-optimal actions reach, μ covers the pairs with V*(s) - Q*(s, a) ≤ gap
    (the second length-bias condition), so ε ≤ gap · span. It also covers all pairs there that may
    lead to a state without data, as truncated trajectories do. An optimal policy is covered.
    """
    return _with_cut_recordings(mdp, _near_optimal(mdp, mdp.rewards, gap))


def unbiased(mdp: MDP) -> Array:
    """Return μ without a bias: it covers every pair, so every policy stays in the support.

    ε is the regret of the worst policy.
    """
    return _uniform(np.ones(mdp.rewards.shape, np.bool_))


def negatively_biased(mdp: MDP, gap: float = 0.0) -> Array:
    """Return μ with a negative bias: policies that stay in its support are near the worst.

    This is `positively_biased` for the negated rewards. Some policy stays in the support, but the
    optimal one does not: data that cover it cannot force a worse policy. ε is as large as for
    `unbiased`, but here even the best policy in the support is bad, so the true reward does not
    help.
    """
    return _with_cut_recordings(mdp, _near_optimal(mdp, -mdp.rewards, gap))


def _near_optimal(mdp: MDP, rewards: Array, gap: float) -> Array:
    """Return the pairs with V* - Q* ≤ gap in the states that these pairs reach, [S, A]."""
    Q, V, policy = mdp.optimal(rewards)
    pairs = (V[:, None] - Q <= gap) | (policy > 0)
    return np.asarray(pairs & reachable(mdp, pairs)[:, None])


def _with_cut_recordings(mdp: MDP, pairs: Array) -> Array:
    """Return μ, uniform over the pairs and truncated steps.

    Truncated steps are pairs in the same states that may lead to a state without pairs.
    """
    seen = np.asarray(pairs.any(axis=1))
    return _uniform(pairs | (leads_to(mdp, ~seen) & seen[:, None]))


def _uniform(pairs: Array) -> Array:
    return np.asarray(pairs / pairs.sum())


def sample(mdp: MDP, mu: Array, n: int, seed: int) -> Dataset:
    """Sample n transitions: (s, a) from μ, s′ from P(·|s, a), with the true rewards.

    Observations are state numbers [N, 1]. The transitions are independent, so each one is an
    episode of one step that ends with a timeout. μ may be the occupancy d^π of a policy.
    """
    if mdp.horizon is not None:
        raise BadInput("independent transitions have no time step; sample from a discounted MDP")
    rng = np.random.default_rng(seed)
    chance = np.where(support(mdp, mu), mu, 0).ravel()
    pairs = rng.choice(chance.size, size=n, p=chance / chance.sum())
    state, action = np.divmod(pairs, mdp.actions)
    return Dataset(
        observations=state[:, None],
        actions=action,
        rewards=mdp.rewards[state, action],
        next_observations=_successors(mdp, pairs, rng)[:, None],
        terminals=np.zeros(n, np.bool_),
        timeouts=np.ones(n, np.bool_),
        action_space=Discrete(mdp.actions),
    )


def _successors(mdp: MDP, pairs: Array, rng: np.random.Generator) -> Array:
    """Sample a next state for each pair by inverting the cumulative probabilities of its row."""
    P = mdp.transitions
    reached = np.concatenate([[0.0], np.cumsum(P.data)])
    low, high = reached[P.indptr[pairs]], reached[P.indptr[pairs + 1]]
    drawn = low + rng.random(len(pairs)) * (high - low)
    entry = np.searchsorted(reached, drawn, side="right") - 1
    return np.asarray(P.indices[np.clip(entry, P.indptr[pairs], P.indptr[pairs + 1] - 1)], np.int64)
