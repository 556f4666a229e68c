"""CPPO: maximize the value in the worst model that fits the data.

Uehara and Sun, 2021, arXiv:2107.06226; see the paper's "Algorithm Specific Results", CPPO:
equation 16, proposition 9, corollary 6.
"""

from dataclasses import dataclass

from instinct.tabular.model import Model
from instinct.tabular.pessimism import require_probability
from instinct.tabular.robust import robust_optimum
from instinct.tabular.solution import Solution
from instinct.tabular.version_space import VersionSpace, paper_alpha, small_alpha
from instinct.theory.mdp import deterministic


@dataclass(frozen=True)
class ModelConfig:
    """The settings of CPPO and ARMOR: R_max = R, and the version space's α.

    The default α is the paper's |S|²|A|·log(1/δ), which on small data admits every model. An α well
    below n(s, a)/V_max² keeps the models close to the empirical one.
    """

    R: float = 1.0
    alpha: float | None = None
    delta: float = 0.1

    def __post_init__(self) -> None:
        require_probability(self.delta)

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> "ModelConfig":
        """Choose an α that lowers values in support by at most 1, even for pairs seen once."""
        return cls(R=R, alpha=small_alpha(model, R))

    def space(self, model: Model) -> VersionSpace:
        alpha = paper_alpha(model, self.delta) if self.alpha is None else self.alpha
        return VersionSpace(model, alpha, self.R)


def cppo(model: Model, config: ModelConfig) -> Solution:
    """Solve max_π min_M V_M^π(d_0) by robust dynamic programming over a relaxation of M^α.

    In the relaxation (see `version_space`) every pair may use all of α. So the minimum is a lower
    bound of the minimum over M^α. For the relaxation itself the policy is optimal.
    """
    space = config.space(model)
    low, high, later = robust_optimum(space)
    Q = space.low + model.discount * later
    objective = float(model.initial @ low)
    return Solution(
        policy=deterministic(Q.argmax(axis=1), model.actions),
        Q=Q,
        V=low,
        objective=objective,
        gap=float(model.initial @ high) - objective,
        certifies="V is a lower bound of the policy's value in every model of M^α; the gap is to "
        "the best policy against the relaxed M^α",
    )
