"""VI-LCB: value iteration with lower confidence bounds.

Rashidinejad et al., 2021, arXiv:2103.12021; see the paper's "Algorithm Specific Results", VI-LCB:
algorithm 1, proposition 10.
"""

from dataclasses import dataclass

import numpy as np

from instinct.data import Array
from instinct.tabular.model import Model
from instinct.tabular.pessimism import require_positive, require_probability, span, value_limit
from instinct.tabular.solution import Solution
from instinct.theory.mdp import deterministic


@dataclass(frozen=True)
class VILCBConfig:
    """The penalty is b(s, a) = 2·V_max·√(L/m(s, a)), L = constant·log(2(J+1)|S||A|/δ).

    The paper's constant is 2000. With it every value stays at -V_max unless a pair is seen
    thousands of times. By Hoeffding's inequality 1/2 is enough. Without `split`, every iteration
    uses all data.
    """

    R: float = 1.0
    constant: float = 2000.0
    delta: float = 0.1
    iterations: int | None = None
    """J; the default is log(N)/(1-γ), or H."""
    split: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        require_positive(constant=self.constant, iterations=self.iterations)
        require_probability(self.delta)

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> "VILCBConfig":
        """Choose penalties b ≤ 1 for all pairs of the data, even those seen once."""
        log = np.log(2 * (rounds(model) + 1) * model.support.size / cls.delta)
        return cls(R=R, constant=1 / (4 * (R * span(model)) ** 2 * log), split=False)


def rounds(model: Model) -> int:
    """Return the paper's number of iterations J."""
    return model.horizon or int(np.ceil(np.log(len(model)) / (1 - model.discount)))


def vi_lcb(model: Model, config: VILCBConfig) -> Solution:
    """Run J rounds of backups, each on its own random part of the data; values never decrease.

    The algorithm does not define reward and next state of a pair that a part has no data for. Here
    such a pair has a value below -V_max for any L.
    """
    V_max = value_limit(model, config.R)
    J = rounds(model) if config.iterations is None else config.iterations
    L = config.constant * np.log(2 * (J + 1) * model.support.size / config.delta)
    order = np.random.default_rng(config.seed).permutation(len(model))
    parts = np.array_split(order, J + 1) if config.split else [order] * (J + 1)
    everyone = np.arange(model.states)
    V, chosen = -V_max, counts(model, parts[0]).argmax(axis=1)
    Q = np.repeat(V[:, None], model.actions, axis=1)
    for part in parts[1:]:
        m, backed = backup(model, part, V) if config.split else backup_all(model, V)
        b = 2 * V_max[:, None] * np.sqrt(L / np.maximum(m, 1))
        Q = np.where(m > 0, backed, -V_max[:, None]) - b
        best = Q.argmax(axis=1)
        better = Q[everyone, best] > V
        V = np.where(better, Q[everyone, best], V)
        chosen = np.where(better, best, chosen)
    return Solution(
        policy=deterministic(chosen, model.actions),
        Q=Q,
        V=V,
        objective=float(model.initial @ V),
        gap=None,
        certifies="with probability 1-δ, V is a lower bound of the policy's value in every state "
        "(split data, constant at least 1/2)",
    )


def backup(model: Model, part: Array, V: Array) -> tuple[Array, Array]:
    """Return m(s, a) and the mean of r + γV(s′), [S, A], on a part of the data."""
    m = counts(model, part)
    target = model.observed[part] + model.discount * np.append(V, 0)[model.successors[part]]
    return m, counts(model, part, target) / np.maximum(m, 1)


def backup_all(model: Model, V: Array) -> tuple[Array, Array]:
    """Return n(s, a) and the mean of r + γV(s′), [S, A], on all data."""
    later = np.asarray(model.transitions @ V).reshape(-1, model.actions)
    return model.counts, model.rewards + model.discount * later


def counts(model: Model, part: Array, weights: Array | None = None) -> Array:
    size = model.support.size
    return np.bincount(model.pairs[part], weights, minlength=size).reshape(-1, model.actions)
