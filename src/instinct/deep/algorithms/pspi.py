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
import jax.numpy as jnp

from instinct.deep.algorithms.actor_critic import QUICK_GAME, ActorCritic, CriticSummary
from instinct.deep.algorithms.algorithm import hyperparameters
from instinct.deep.algorithms.fields import Settings
from instinct.deep.algorithms.warm_start import TINY

SINKING, SINKING_WITHOUT_ENDS = 0.05, 0.25
"""The share of the way to V_min that the critics' values may sink; more where nothing ends."""
WITH_TERMINALS = 4.0
"""Where terminals are recorded, β is so many times what it is without them."""


@hyperparameters
class PSPI(ActorCritic):
    """The critics are pessimistic about the policy itself, in all states of the data."""

    CITATION: ClassVar[str] = (
        "Xie, Cheng, Jiang, Mineiro and Agarwal, 'Bellman-consistent Pessimism for Offline "
        "Reinforcement Learning', NeurIPS 2021, arXiv:2106.06926"
    )
    QUICK: ClassVar[Settings | None] = QUICK_GAME

    def balance(self, summary: CriticSummary) -> jax.Array:
        """Return a larger β with terminals: values are lowered everywhere but after these."""
        factor = jnp.where(summary.terminals > 0, WITH_TERMINALS, 1.0)
        return factor * super().balance(summary)

    def least_beta(self, summary: CriticSummary) -> jax.Array:
        """Return the β that keeps values above V_min, and above the 0 of feared terminals.

        - Minimizing f(s, π) + β·(f − y)² lowers f by 1/(2β) below y in every backup, by
          1/(2β·(1 − γ)) in the end. That may be a twentieth of the distance from V_min, so that
          ends stay worse than going on. Where nothing ends, all preferences stay the same, and
          it may be a quarter.
        - The critics may lower all values by δ = 1/(2β·(1 − γ)²), because that costs a Bellman
          error of ((1 − γ)·δ)². After a terminal the value stays 0: if the data's values are above
          0 and are lowered too far, ending looks better than going on. How much that matters is
          the discounted share of ends, p/(1 − γ), with p the share of terminals among the
          transitions. δ times this share may be at most the mean value.
        """
        horizon, mean = 1 / (1 - self.discount), summary.mean
        share = jnp.where(summary.ends, SINKING, SINKING_WITHOUT_ENDS)
        sinking = horizon / (2 * share * jnp.maximum(mean - summary.least, TINY))
        feared = horizon**3 * summary.terminals / (2 * jnp.maximum(mean, TINY))
        return jnp.maximum(sinking, jnp.where(mean > 0, feared, 0.0))

    def pessimism(self, f: jax.Array, f_policy: jax.Array) -> jax.Array:
        """Return E[f(s, π)]."""
        del f
        return f_policy.mean()
