"""ATAC: adversarially trained actor critic."""

import jax

from instinct.deep.algorithms.actor_critic import ActorCritic
from instinct.deep.algorithms.algorithm import hyperparameters


@hyperparameters
class ATAC(ActorCritic):
    """The critic is pessimistic about the policy relative to the data."""

    def pessimism(self, f: jax.Array, f_policy: jax.Array) -> jax.Array:
        """E[f(s, π) − f(s, a)]."""
        return (f_policy - f).mean()
