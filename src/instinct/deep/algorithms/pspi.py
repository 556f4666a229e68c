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

from instinct.deep.algorithms.actor_critic import QUICK_GAME, ActorCritic
from instinct.deep.algorithms.algorithm import Batch, hyperparameters
from instinct.deep.algorithms.fields import Settings
from instinct.deep.algorithms.warm_start import TINY, Critics, EvaluationState
from instinct.deep.nn.networks import value

SINKING = 0.25
"""The share of the way to V_min that the critics' values may sink."""


@hyperparameters
class PSPI(ActorCritic):
    """The critics are pessimistic about the policy itself, in all states of the data."""

    CITATION: ClassVar[str] = (
        "Xie, Cheng, Jiang, Mineiro and Agarwal, 'Bellman-consistent Pessimism for Offline "
        "Reinforcement Learning', NeurIPS 2021, arXiv:2106.06926"
    )
    QUICK: ClassVar[Settings | None] = QUICK_GAME

    def least_beta(self, warm: EvaluationState, batch: Batch) -> jax.Array:
        """Return the β that keeps values above V_min, and above the 0 of feared terminals.

        - Minimizing f(s, π) + β·(f − y)² lowers f by 1/(2β) below y in every backup, by
          1/(2β·(1 − γ)) in the end. That may be a quarter of the distance from V_min.
        - The critics may lower all values by δ = 1/(2β·(1 − γ)²), because that costs a Bellman
          error of ((1 − γ)·δ)². After a terminal the value stays 0: if the data's values are above
          0 and are lowered too far, ending looks better than going on. How much that matters is
          the discounted share of ends, p/(1 − γ), with p the share of terminals among the
          transitions. δ times this share may be at most the mean value.
        """
        horizon, mean = 1 / (1 - self.discount), mean_value(warm.critics, batch)
        room = mean - warm.critics.v_min / warm.critics.scale
        sinking = horizon / (2 * SINKING * jnp.maximum(room, TINY))
        ends = horizon * (1 - batch.goes_on.mean())
        feared = jnp.where(mean > 0, ends * horizon**2 / (2 * jnp.maximum(mean, TINY)), 0.0)
        return jnp.maximum(sinking, feared)

    def pessimism(self, f: jax.Array, f_policy: jax.Array) -> jax.Array:
        """Return E[f(s, π)]."""
        del f
        return f_policy.mean()


def mean_value(critics: Critics, batch: Batch) -> jax.Array:
    """Return the mean of f(s, a) over the batch and both critics, in the units of the rewards."""
    f = [value(head, batch.observations, batch.actions) for head in critics.learner.params]
    return jnp.stack(f).mean() / critics.scale
