"""PSPI: pessimistic soft policy iteration."""

import jax

from instinct.deep.algorithms.actor_critic import ActorCritic
from instinct.deep.algorithms.algorithm import hyperparameters


@hyperparameters
class PSPI(ActorCritic):
    """The critic is pessimistic about the policy itself, in all states of the data."""

    def pessimism(self, f: jax.Array, f_policy: jax.Array) -> jax.Array:
        """E[f(s, π)]."""
        del f
        return f_policy.mean()
