"""The Stackelberg game of ATAC and PSPI, solved in the space of visits.

Both play max_π min_{f ∈ F} L(π, f) + β·E(π, f), F = [-V_max, V_max]. In tabular form the inner
minimum over f′ makes E the squared Bellman error of the empirical MDP, weighted by μ, and L is
linear: L(π, f) = Σ_s ν(s)·f(s, π) - Σ μ_0(s, a)·f(s, a). The dual of the critic's problem is

    max_d Σ (d - μ_0)·r̂ - Σ (d - μ_0)²/(4βμ) - Σ_s V_max(s)·ℓ(s),

where d(s, a) are visits to pairs of the data that start from ρ = ν - γP̂ᵀμ_0 and follow π and P̂,
and ℓ(s) are those that leave: to unseen actions, whose critic is -V_max, or from pairs where the
critic is at its lower bound. Any d gives a lower bound of the critic's minimum. Maximised over π as
well this is one concave program over flows, which Frank and Wolfe's method solves: its linear steps
are MDPs with the reward r̂ - (d - μ_0)/(2βμ), its iterates are mixtures of policies, turned into a
single policy exactly by their visits in the empirical MDP, and its gap bounds what is left to gain.

Two liberties. The leader here is paid L + βE, as in the original papers' own algorithms, not L;
where the critic is inside F, that is the game with β twice as large. And the upper end of F is
left open, which only lowers the minimum.
"""

from dataclasses import dataclass, replace

import numpy as np

from instinct.data import Array
from instinct.tabular.model import Model, widen
from instinct.tabular.pessimism import reach, span
from instinct.tabular.solution import Solution
from instinct.theory.mdp import deterministic


@dataclass(frozen=True)
class GameConfig:
    """The settings of ATAC and PSPI.

    If not given, β is the paper's (C·N²/(|S||A|·log(1/δ))²)^(1/3)/V_max with the concentrability C.
    On small data that leaves the critic free to call everything -V_max; a β of N/R holds it to the
    data wherever there are any.
    """

    R: float = 1.0
    beta: float | None = None
    concentrability: float = 1.0
    delta: float = 0.1
    iterations: int = 200
    tolerance: float = 1e-4
    """The gap, in reward per step, at which to stop."""

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> "GameConfig":
        """β = N/R: a pair in support is lowered by at most R/2 a step, even if seen once."""
        return cls(R=R, beta=len(model) / R)


class Game:
    """The concave program, over visits [S, A+1]; the last column leaves."""

    def __init__(self, model: Model, config: GameConfig, start: Array, reference: Array) -> None:
        A = model.actions
        self.model, self.reference = model, reference
        self.V_max = reach(model, config.R)
        beta = paper_beta(model, config) if config.beta is None else config.beta
        share = np.where(model.support, model.distribution, np.inf)
        self.cost = 1 / (4 * beta * share)
        mdp = model.mdp(np.zeros((model.states, A + 1)), widen(model.transitions, A))
        self.mdp = replace(mdp, initial=np.append(start, 0) / start.sum())
        self.unit = start.sum() * mdp.span

    def objective(self, visits: Array) -> float:
        excess = visits[:, :-1] - self.reference
        inside = excess * self.model.rewards - self.cost * excess**2
        return float(inside.sum() - self.V_max @ visits[:, -1])

    def slope(self, visits: Array) -> Array:
        """The derivative of the objective; an unseen action is kept below leaving."""
        excess = visits[:, :-1] - self.reference
        inside = self.model.rewards - 2 * self.cost * excess
        floor = -self.V_max[:, None]
        return np.hstack([np.where(self.model.support, inside, 2 * floor - 1), floor])

    def step(self, visits: Array) -> tuple[Array, Array]:
        """Q, [S, A+1], and the visits of the policy that is best for the slope."""
        rewards = np.vstack([self.slope(visits), np.zeros(visits.shape[1])])
        Q, _, policy = self.mdp.optimal(rewards)
        return Q[:-1], self.unit * self.mdp.occupancy(policy)[:-1]


def play(model: Model, config: GameConfig, start: Array, reference: Array, claim: str) -> Solution:
    """Frank and Wolfe's method with exact line search; ρ is [S], μ_0 is [S, A]."""
    game = Game(model, config, start, reference)
    alone = np.hstack([reference, np.zeros((model.states, 1))])
    _, visits = game.step(alone)
    for _ in range(config.iterations):
        Q, target = game.step(visits)
        move = target - visits
        gap = float((game.slope(visits) * move).sum())
        if gap <= config.tolerance:
            break
        curvature = 2 * float((game.cost * move[:, :-1] ** 2).sum())
        visits = visits + min(1.0, gap / curvature if curvature else 1.0) * move
    policy = shares(visits, Q)
    f = np.where(model.support, np.maximum(Q[:, :-1], -game.V_max[:, None]), -game.V_max[:, None])
    return Solution(
        policy=policy,
        Q=f,
        V=(policy * f).sum(axis=1),
        objective=game.objective(visits),
        gap=max(gap, 0.0),
        certifies=claim,
    )


def shares(visits: Array, Q: Array) -> Array:
    """The policy of the visits; what leaves, and states never visited, take the best action."""
    total = visits.sum(axis=1, keepdims=True)
    best = deterministic(Q[:, :-1].argmax(axis=1), Q.shape[1] - 1)
    policy = (visits[:, :-1] + visits[:, -1:] * best) / np.where(total > 0, total, 1)
    return np.where(total > 0, policy, best)


def paper_beta(model: Model, config: GameConfig) -> float:
    complexity = model.support.size * np.log(1 / config.delta)
    ratio = config.concentrability * (len(model) / complexity) ** 2
    return float(ratio ** (1 / 3) / (config.R * span(model)))
