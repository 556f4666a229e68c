"""PSPI: pessimistic soft policy iteration.

Xie, Cheng, Jiang, Mineiro and Agarwal, "Bellman-consistent Pessimism for Offline Reinforcement
Learning", NeurIPS 2021, arXiv:2106.06926.

The critics minimize E[f(s, π)] + β·(Bellman error); the policy maximizes E[f(s, π)]. Both
expectations are over all states of the data, as in the Survival Instinct paper, not over initial
states.
"""

from collections.abc import Mapping
from typing import ClassVar

import jax

from instinct.deep.algorithms.actor_critic import QUICK_GAME, ActorCritic
from instinct.deep.algorithms.algorithm import hyperparameters
from instinct.deep.algorithms.fields import Settings

SHORT = QUICK_GAME | {"steps": 30_000, "slow_rate": 1e-5}


@hyperparameters
class PSPI(ActorCritic):
    """The critics are pessimistic about the policy itself, in all states of the data."""

    CITATION: ClassVar[str] = (
        "Xie, Cheng, Jiang, Mineiro and Agarwal, 'Bellman-consistent Pessimism for Offline "
        "Reinforcement Learning', NeurIPS 2021, arXiv:2106.06926"
    )
    QUICK: ClassVar[Settings | None] = QUICK_GAME | {"beta": 300.0}
    QUICK_UNDER_LABEL: ClassVar[Mapping[str, Settings]] = {
        "zero": SHORT | {"beta": 500.0, "epsilon": 1e-5, "entropy_weight": 0.01},
        "negative": SHORT | {"beta": 250.0, "fast_rate": 1e-3},
    }

    def pessimism(self, f: jax.Array, f_policy: jax.Array) -> jax.Array:
        """Return E[f(s, π)]."""
        del f
        return f_policy.mean()
