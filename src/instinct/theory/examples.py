"""The paper's examples of positive data bias (proposition 3, appendix "Implicit Data Bias").

Each is an MDP, a data distribution and the degree of bias that the proposition or a remark states.
"""

from typing import Literal, NamedTuple

import numpy as np

from instinct.data import Array
from instinct.theory.bias import Bias
from instinct.theory.garnet import garnet, positively_biased, unbiased
from instinct.theory.mdp import MDP, deterministic, layered, uniform
from instinct.theory.support import leads_to, reachable, support


class Example(NamedTuple):
    """A data distribution μ that the paper states to be `degree`-positively biased."""

    mdp: MDP
    mu: Array
    rewards: tuple[Array, ...] | None
    """The reward class; None for all rewards in [-1, 1]."""
    degree: float

    @property
    def bias(self) -> Bias:
        """The exact bias."""
        return Bias(self.mdp, support(self.mdp, self.mu), self.rewards)


def shaping(seed: int, epsilon: float = 0.0, size: int = 5) -> Example:
    """RL setup: r̃ is r plus a potential, up to ε_1 in the support and arbitrary outside.

    Rewards are r̃(s, a) = r(s, a) + γ E[h(s′)] - h(s) + noise for several potentials h, with r in
    [0, 1/2] and h in [0, 1/4]. μ covers an optimal policy and random other pairs.
    The stated degree is (1-γ) / (2 ε_1).
    """
    rng = np.random.default_rng([seed, 1])
    mdp = garnet(20, 3, 2, seed)
    mdp = mdp.with_rewards(mdp.rewards / 2)
    covered = (mdp.optimal().policy > 0) | (rng.random(mdp.rewards.shape) < 0.5)

    def data_rewards() -> Array:
        h = rng.uniform(0, 0.25, mdp.states)
        shaped = mdp.backup(h) - h[:, None] + rng.uniform(-epsilon, epsilon, covered.shape)
        return np.where(covered, shaped, rng.uniform(-1, 1, covered.shape))

    rewards = tuple(data_rewards() for _ in range(size))
    return Example(mdp, covered / covered.sum(), rewards, _inverse(2 * epsilon * mdp.span))


def expert(seed: int) -> Example:
    """IL setup: μ = d^π* for an optimal policy; the stated degree is ∞ for all rewards."""
    mdp = garnet(20, 3, 2, seed)
    return Example(mdp, _visited(mdp, mdp.optimal().policy), None, np.inf)


def near_expert(seed: int, share: float = 0.2) -> Example:
    """IL setup: μ = d^πe of a deterministic πe that takes random actions in a share of the states.

    The stated degree is (1-γ) / ε′ with ε′ = (1-γ) (V_r^*(d_0) - V_r^πe(d_0)). It holds even if
    no optimal policy is covered.
    """
    rng = np.random.default_rng([seed, 1])
    mdp = garnet(20, 3, 2, seed)
    optimal = mdp.optimal()
    errs = rng.random(mdp.states) < share
    chosen = np.where(errs, rng.integers(3, size=mdp.states), optimal.policy.argmax(axis=1))
    policy = deterministic(chosen, mdp.actions)
    regret = float(mdp.initial @ optimal.V) - mdp.value(policy)
    return Example(mdp, _visited(mdp, policy), None, _inverse(regret))


def length_bias_by_reward(seed: int, epsilon: float = 0.02) -> Example:
    """Length bias, first condition: R_max - r(s, a) ≤ ε′ in the support; degree (1-γ) / ε′.

    A random policy visits pairs with rewards in [1-ε′, 1]. Other actions in these states are
    recorded too, but their trajectories stop in states that the policy never visits. Outside of the
    support rewards are at most 1 - 2ε′/(1-γ), so low that the optimal policy stays in the support.
    Transitions are deterministic.
    """
    rng = np.random.default_rng([seed, 1])
    mdp = garnet(40, 3, 1, seed)
    wander = rng.random(mdp.rewards.shape) < 0.5
    wander[np.arange(40), rng.integers(3, size=40)] = True
    seen = reachable(mdp, wander)
    covered = (wander | leads_to(mdp, ~seen)) & seen[:, None]
    low = mdp.rewards * (1 - 2 * epsilon * mdp.span)
    mdp = mdp.with_rewards(np.where(covered, 1 - epsilon * mdp.rewards, low))
    return Example(mdp, covered / covered.sum(), None, _inverse(epsilon * mdp.span))


def length_bias_by_advantage(seed: int, epsilon: float = 0.05) -> Example:
    """Length bias, second condition: V*(s) - Q*(s, a) ≤ ε′ in the support; degree (1-γ) / ε′.

    The paper's statement has the opposite sign, which is true for every pair. Its proof has the
    sign that is used here.
    """
    mdp = garnet(40, 3, 2, seed)
    covered = positively_biased(mdp, epsilon) > 0
    Q, V, _ = mdp.optimal()
    covered &= V[:, None] - Q <= epsilon
    return Example(mdp, covered / covered.sum(), None, _inverse(epsilon * mdp.span))


def goal(remedy: Literal["none", "extend", "cut"], horizon: int = 4) -> Example:
    """Goal-oriented problem with H steps: without a remedy the data have no positive bias.

    In state 0, action 0 leads to the goal, state 1, with reward 1; action 1 stays without a reward.
    Trajectories that never reach the goal last as long as those that do, so that staying in the
    data does not lead there. The paper has two remedies: to extend the horizon to H + 1, with data
    at the last step in the goal only, and to cut trajectories outside of the goal at H - 1.
    """
    P = np.zeros((2, 2, 2))
    P[0, 0, 1] = P[0, 1, 0] = 1
    P[1, :, 1] = 1
    rewards = np.array([[1.0, 0.0], [0.0, 0.0]])
    steps = horizon + 1 if remedy == "extend" else horizon
    mdp = layered(MDP.dense(P, rewards, np.array([1.0, 0.0]), 0.0), steps)
    covered = np.ones(mdp.rewards.shape)
    covered[1] = covered[-1] = 0
    if remedy != "none":
        covered[2 * (steps - 1)] = 0
    mu = covered / covered.sum()
    if remedy == "none":
        return Example(mdp, mu, None, Example(mdp, unbiased(mdp), None, 0).bias.degree)
    return Example(mdp, mu, None, np.inf)


def stochastic_expert(seed: int, share: float = 0.05) -> Example:
    """Imitation works, positive bias does not exist: data of an optimal policy with random actions.

    With probability `share` the expert acts at random. Its most frequent actions are optimal, but
    the data cover everything that random actions reach. The degree is that of full coverage.
    """
    mdp = garnet(20, 3, 2, seed)
    policy = (1 - share) * mdp.optimal().policy + share * uniform(mdp)
    degree = Example(mdp, unbiased(mdp), None, 0).bias.degree
    return Example(mdp, _visited(mdp, policy), None, degree)


def _visited(mdp: MDP, policy: Array) -> Array:
    """Return d^π, exactly zero in states that π never visits."""
    return np.where(reachable(mdp, policy > 0)[:, None], mdp.occupancy(policy), 0)


def _inverse(epsilon: float) -> float:
    return 1 / epsilon if epsilon > 0 else np.inf
