"""PSPI: pessimistic soft policy iteration.

Xie, Cheng, Jiang, Mineiro and Agarwal, "Bellman-consistent Pessimism for Offline Reinforcement
Learning", NeurIPS 2021, arXiv:2106.06926.

This is the game of equation 9 in the Survival Instinct paper (arXiv:2306.03286), with networks.
The critics minimize E[f(s, π)] + β·(Bellman error); the policy maximizes E[f(s, π)]. Both
expectations are over all states of the data, as in that paper's experiments, not over initial
states.
"""

from typing import ClassVar

import jax

from instinct.deep.algorithms.actor_critic import QUICK_GAME, ActorCritic
from instinct.deep.algorithms.algorithm import hyperparameters
from instinct.deep.algorithms.fields import Settings


@hyperparameters
class PSPI(ActorCritic):
    """The critics are pessimistic about the policy itself, in all states of the data."""

    CITATION: ClassVar[str] = (
        "Xie, Cheng, Jiang, Mineiro and Agarwal, 'Bellman-consistent Pessimism for Offline "
        "Reinforcement Learning', NeurIPS 2021, arXiv:2106.06926"
    )
    QUICK: ClassVar[Settings | None] = QUICK_GAME

    def pessimism(self, f: jax.Array, f_policy: jax.Array) -> jax.Array:
        """Return E[f(s, π)]."""
        del f
        return f_policy.mean()
