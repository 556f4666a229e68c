"""PSPI: pessimistic soft policy iteration.

Xie, Cheng, Jiang, Mineiro and Agarwal, "Bellman-consistent Pessimism for Offline Reinforcement
Learning", NeurIPS 2021, arXiv:2106.06926.

The critics minimize E[f(s, π)] + β·(Bellman error); the policy maximizes E[f(s, π)]. Both
expectations are over all states of the data, as in the Survival Instinct paper, not over initial
states.
"""

from typing import ClassVar

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.actor_critic import QUICK_GAME, TINY, ActorCritic
from instinct.deep.algorithms.algorithm import Data, hyperparameters
from instinct.deep.algorithms.fields import Settings
from instinct.deep.algorithms.warm_start import EvaluationState, mean_value

LARGEST_SHIFT = 5.0
"""The largest shift of all values where terminals are feared, in units of the mean value."""


@hyperparameters
class PSPI(ActorCritic):
    """The critics are pessimistic about the policy itself, in all states of the data."""

    CITATION: ClassVar[str] = (
        "Xie, Cheng, Jiang, Mineiro and Agarwal, 'Bellman-consistent Pessimism for Offline "
        "Reinforcement Learning', NeurIPS 2021, arXiv:2106.06926"
    )
    QUICK: ClassVar[Settings | None] = QUICK_GAME

    def balanced_beta(self, warm: EvaluationState, data: Data) -> jax.Array:
        """Return a β that is also large enough where terminals are worse than what is recorded.

        The critics may lower all values by 1/(2β·(1 − γ)²), because lowering them by δ costs a
        Bellman error of ((1 − γ)·δ)². After a terminal the value stays 0: if the data's values are
        above 0 and are lowered too far, ending looks better than going on.
        """
        beta = super().balanced_beta(warm, data)
        mean = mean_value(warm.critics, data)
        feared = (data.rows["goes_on"].min() == 0) & (mean > 0)
        least = 1 / (2 * (1 - self.discount) ** 2 * LARGEST_SHIFT * jnp.maximum(mean, TINY))
        least = jnp.minimum(least, max(self.GRID["beta"]))
        return jnp.where(feared, jnp.maximum(beta, least), beta)

    def pessimism(self, f: jax.Array, f_policy: jax.Array) -> jax.Array:
        """Return E[f(s, π)]."""
        del f
        return f_policy.mean()
