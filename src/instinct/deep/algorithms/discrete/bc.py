"""BC for discrete actions: the policy minimizes E[−log π(a|s)], the cross entropy."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import hyperparameters
from instinct.deep.algorithms.bc import BC
from instinct.deep.algorithms.discrete.categorical import Categorical
from instinct.deep.algorithms.standardize import Scaling, unscaled


@hyperparameters
class DiscreteBC(Categorical, BC):
    """The categorical policy that makes the data's actions most likely.

    It differs from the continuous one in its distribution. The error on held-out episodes is the
    share of states in which the most likely action is not the recorded one.
    """

    NAME: ClassVar[str] = "BC"

    def action_error(self, policy: Any, s: jax.Array, a: jax.Array) -> jax.Array:
        """Return the share of states where the policy acts differently."""
        return jnp.mean(self.mode({"policy": policy}, s) != jnp.argmax(a, axis=-1))

    def unscaled_policy(self, policy: Any, scaling: Scaling | None) -> Any:
        return unscaled(policy, scaling)
