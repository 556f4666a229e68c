"""BC: behavior cloning, which ignores rewards (Pomerleau, 1988).

The tabular form is that of the paper's appendix "Grid World".
"""

from dataclasses import dataclass

import numpy as np

from instinct.tabular.model import Model
from instinct.tabular.solution import Solution
from instinct.theory.mdp import deterministic


@dataclass(frozen=True)
class BCConfig:
    """BC has no settings."""

    @classmethod
    def pessimistic(cls, model: Model, R: float) -> "BCConfig":  # noqa: ARG003
        """Return the only configuration; R has no effect."""
        return cls()


def bc(model: Model, config: BCConfig | None = None) -> Solution:  # noqa: ARG001
    """Take the most frequent action of every state, and act uniformly in states without data.

    Ties go to the lowest action. With a horizon, all time steps have the same policy. There are no
    value estimates.
    """
    counts = model.counts.reshape(-1, len(model.space), model.actions).sum(axis=0)
    seen = counts.any(axis=1, keepdims=True)
    choice = deterministic(counts.argmax(axis=1), model.actions)
    policy = np.tile(np.where(seen, choice, 1 / model.actions), (model.horizon or 1, 1))
    return Solution(
        policy=policy,
        Q=np.full(policy.shape, np.nan),
        V=np.full(len(policy), np.nan),
        objective=float((policy * model.distribution).sum()),
        gap=0.0,
        certifies="the objective is the share of the transitions whose action the policy takes",
    )
