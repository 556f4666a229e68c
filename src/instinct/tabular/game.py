"""The Stackelberg game of ATAC and PSPI, solved in the space of visits.

Both solve max_π min_{f ∈ F} L(π, f) + β·E(π, f) with F = [-V_max, V_max]. In tabular form E is the
squared Bellman error of the empirical MDP, weighted by μ, because of the inner minimum over f′. And
L is linear: L(π, f) = Σ_s ν(s)·f(s, π) - Σ μ_0(s, a)·f(s, a). The dual of the critic's problem is

    max_d Σ (d - μ_0)·r̂ - Σ (d - μ_0)²/(4βμ) - Σ_s V_max(s)·ℓ(s),

where d(s, a) are visits to pairs of the data that start from ρ = ν - γP̂ᵀμ_0 and follow π and P̂.
ℓ(s) are the visits that leave: to unseen actions, whose critic is -V_max, or from pairs whose
critic is at its lower bound. Any d gives a lower bound of the critic's minimum. The maximum over
d and π together is one concave program over flows. Its gradient is the critic's reward
r̂ - (d - μ_0)/(2βμ). So every improvement of the policy for that reward is an ascent direction, and
the best policy for it gives an upper bound of the remaining gain. A mixture of policies becomes one
policy, exactly, by its visits in the empirical MDP.

There are two differences from the paper. The leader maximizes L + βE, as in the algorithms of the
original papers, not L. Where the critic is inside F, this is the same game with β twice as large.
And F has no upper end, which can only lower the minimum.
"""

from dataclasses import dataclass, replace

import numpy as np

from instinct.data import Array
from instinct.tabular.model import Model, add_ending_action
from instinct.tabular.pessimism import require_positive, require_probability, span, value_limit
from instinct.tabular.solution import Solution
from instinct.theory.lp import policy_from_visits
from instinct.theory.mdp import deterministic


@dataclass(frozen=True)
class GameConfig:
    """The settings of ATAC and PSPI.

    The default β is the paper's (C·N²/(|S||A|·log(1/δ))²)^(1/3)/V_max with the concentrability C.
    On small data this β allows a critic of -V_max everywhere. β = N makes the critic fit all data.
    """

    R: float = 1.0
    beta: float | None = None
    concentrability: float = 1.0
    delta: float = 0.1
    iterations: int = 100
    tolerance: float = 1e-4
    """The gap, in reward per step, at which the iteration stops."""

    def __post_init__(self) -> None:
        require_positive(
            beta=self.beta, concentrability=self.concentrability, iterations=self.iterations
        )
        require_probability(self.delta)

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> "GameConfig":
        """Set β = N: the critic's rewards are within 1/2 of the data's for all pairs."""
        return cls(R=R, beta=float(len(model)))


class Game:
    """The concave program over visits [S, A+1]; the last action leaves the support."""

    def __init__(self, model: Model, config: GameConfig, start: Array, reference: Array) -> None:
        A = model.actions
        self.model, self.reference = model, reference
        self.V_max = value_limit(model, config.R)
        beta = paper_beta(model, config) if config.beta is None else config.beta
        self.cost = 1 / (4 * beta * np.where(model.support, model.distribution, np.inf))
        mdp = model.mdp(np.zeros((model.states, A + 1)), add_ending_action(model.transitions, A))
        self.mdp = replace(mdp, initial=np.append(start, 0) / start.sum())
        self.unit = start.sum() * mdp.span
        self.leaving = mdp.span**2 / (2 * beta)

    def objective(self, visits: Array) -> float:
        excess = visits[:, :-1] - self.reference
        inside = excess * self.model.rewards - self.cost * excess**2
        return float(inside.sum() - self.V_max @ visits[:, -1])

    def slope(self, visits: Array) -> Array:
        """Return the gradient; an unseen action has a lower one than leaving."""
        excess = visits[:, :-1] - self.reference
        inside = self.model.rewards - 2 * self.cost * excess
        floor = -self.V_max[:, None]
        return np.hstack([np.where(self.model.support, inside, 2 * floor - 1), floor])

    def visits(self, policy: Array) -> Array:
        return np.asarray(np.maximum(self.unit * self.mdp.occupancy(with_end_row(policy))[:-1], 0))

    def best(self, visits: Array) -> tuple[Array, Array]:
        """Return Q, [S, A+1], of the best policy for the gradient, and its visits."""
        rewards = np.vstack([self.slope(visits), np.zeros(visits.shape[1])])
        Q, _, policy = self.mdp.optimal(rewards)
        return Q[:-1], self.visits(policy[:-1])

    def better(self, visits: Array, policy: Array, rate: float) -> Array:
        """Return the visits of π + argmax_Δ Q·Δ - Δᵀh Δ/(2·rate), a better policy for the gradient.

        h approximates the curvature of the objective: that of the state itself, and for leaving
        that of all visits that are lost.
        """
        rewards = np.vstack([self.slope(visits), np.zeros(visits.shape[1])])
        Q = self.mdp.q(with_end_row(policy), rewards)[:-1]
        own = 2 * self.cost * visits.sum(axis=1, keepdims=True)
        h = (np.hstack([own, np.full((len(own), 1), self.leaving)]) + 1) / rate
        return self.visits(project(policy + Q / h, h))


def solve_game(
    model: Model, config: GameConfig, start: Array, reference: Array, claim: str
) -> Solution:
    """Ascend toward better policies with exact line search; ρ (`start`) is [S].

    μ_0 (`reference`) is [S, A]. The first step and every tenth step go toward the best policy,
    which gives the upper bound.
    """
    game = Game(model, config, start, reference)
    seen = model.support.any(axis=1, keepdims=True)
    visits = game.visits(np.hstack([model.behavior * seen, ~seen]))
    ceiling, rate = np.inf, 1.0
    for k in range(config.iterations):
        slope = game.slope(visits)
        if k % 10 == 0:
            Q, target = game.best(visits)
            most = game.objective(visits) + float((slope * (target - visits)).sum())
            ceiling = min(ceiling, most)
            if ceiling - game.objective(visits) <= config.tolerance:
                break
        else:
            target = game.better(visits, policy_from_visits(visits, top(Q)), rate)
        move = target - visits
        curvature = 2 * float((game.cost * move[:, :-1] ** 2).sum())
        gain = max(float((slope * move).sum()), 0.0)
        length = gain / curvature if curvature > 0 else 1.0
        visits = visits + min(length, 1.0) * move
        if k % 10:
            rate *= 2 if length >= 1 else 0.5 if length < 0.5 else 1
    objective = game.objective(visits)
    wide = policy_from_visits(visits, top(Q))
    policy = wide[:, :-1] + wide[:, -1:] * top(Q[:, :-1])
    f = np.where(model.support, np.maximum(Q[:, :-1], -game.V_max[:, None]), -game.V_max[:, None])
    return Solution(
        policy=policy,
        Q=f,
        V=(policy * f).sum(axis=1),
        objective=objective,
        gap=max(ceiling - objective, 0.0),
        certifies=claim,
    )


def top(Q: Array) -> Array:
    return deterministic(Q.argmax(axis=1), Q.shape[1])


def with_end_row(policy: Array) -> Array:
    """Add a row for the end state to the policy."""
    return np.vstack([policy, np.eye(policy.shape[1])[-1]])


def project(points: Array, h: Array) -> Array:
    """Project every row onto the distributions; distances in column a have the weight h(a)."""
    order = np.argsort(-points * h, axis=1)
    point, weight = np.take_along_axis(points, order, 1), np.take_along_axis(h, order, 1)
    level = (point.cumsum(axis=1) - 1) / (1 / weight).cumsum(axis=1)
    last = (point * weight > level).sum(axis=1, keepdims=True) - 1
    near = np.maximum(points - np.take_along_axis(level, last, 1) / h, 0)
    return np.asarray(near / near.sum(axis=1, keepdims=True))


def paper_beta(model: Model, config: GameConfig) -> float:
    """Return the paper's β."""
    complexity = model.support.size * np.log(1 / config.delta)
    ratio = config.concentrability * (len(model) / complexity) ** 2
    return float(ratio ** (1 / 3) / (config.R * span(model)))
