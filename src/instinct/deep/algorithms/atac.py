"""ATAC: adversarially trained actor critic.

Cheng, Xie, Jiang and Agarwal, "Adversarially Trained Actor Critic for Offline Reinforcement
Learning", ICML 2022, arXiv:2202.02446.

This is the game of equation 6 in the Survival Instinct paper (arXiv:2306.03286), with networks.
The critics minimize E[f(s, π) − f(s, a)] + β·(Bellman error); the policy maximizes E[f(s, π)].
"""

from typing import ClassVar

import jax

from instinct.deep.algorithms.actor_critic import QUICK_GAME, ActorCritic
from instinct.deep.algorithms.algorithm import hyperparameters
from instinct.deep.algorithms.fields import Settings


@hyperparameters
class ATAC(ActorCritic):
    """The critics are pessimistic about the policy relative to the data."""

    CITATION: ClassVar[str] = (
        "Cheng, Xie, Jiang and Agarwal, 'Adversarially Trained Actor Critic for Offline "
        "Reinforcement Learning', ICML 2022, arXiv:2202.02446"
    )
    QUICK: ClassVar[Settings | None] = QUICK_GAME

    def pessimism(self, f: jax.Array, f_policy: jax.Array) -> jax.Array:
        """Return E[f(s, π) − f(s, a)]."""
        return (f_policy - f).mean()
