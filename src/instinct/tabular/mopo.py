"""MOPO: plan in the learned model with an uncertainty penalty (Yu et al., 2020, arXiv:2005.13239).

See the paper's "Algorithm Specific Results", MOReL and MOPO: corollary 8.
"""

from dataclasses import dataclass

import numpy as np

from instinct.tabular.model import Model
from instinct.tabular.pessimism import require_positive, require_probability, span, value_limit
from instinct.tabular.planning import plan
from instinct.tabular.solution import Solution


@dataclass(frozen=True)
class MOPOConfig:
    """The penalty is b(s, a) = 2·V_max·min(1, √(L/n(s, a))), L = constant·log(2|S||A|/δ).

    The paper needs b = Θ(V_max) out of support and refers to VI-LCB for the rest. The default
    constant is that of VI-LCB. With it, all pairs seen less than about ten thousand times have the
    same penalty.
    """

    R: float = 1.0
    constant: float = 2000.0
    delta: float = 0.1

    def __post_init__(self) -> None:
        require_positive(constant=self.constant)
        require_probability(self.delta)

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> "MOPOConfig":
        """Choose penalties b ≤ 1 for all pairs of the data, even those seen once."""
        log = np.log(2 * model.support.size / cls.delta)
        return cls(R=R, constant=1 / (4 * (R * span(model)) ** 2 * log))


def mopo(model: Model, config: MOPOConfig) -> Solution:
    """Return the optimal policy of (P̂, r̂ - b).

    Out of support every model fits the data equally well. Here P̂ stays out of support forever, with
    a reward of -R - 2·V_max per step, which is lower than any value in support.
    """
    V_max = value_limit(model, config.R).max()
    L = config.constant * np.log(2 * model.support.size / config.delta)
    b = 2 * V_max * np.minimum(1, np.sqrt(L / np.maximum(model.counts, 1)))
    lost = (-config.R - 2 * V_max) * model.steps_left[:, None]
    return plan(
        model,
        np.where(model.support, model.rewards - b, lost),
        certifies="V is the policy's value in the empirical model minus the penalties; it is a "
        "lower bound of its true value if b is at least the model's error",
    )
