"""BC: behaviour cloning."""

from typing import Any, ClassVar

import jax

from instinct.deep.algorithm import Algorithm, Batch, Data, Metrics, State, hyperparameters, sizes
from instinct.deep.networks import Normal, gaussian, gaussian_init, gaussian_log_prob
from instinct.deep.optimizer import adam_init, adam_step, cosine


@hyperparameters
class BC(Algorithm):
    """The Gaussian policy that makes the data's actions most likely."""

    layers: int = 3
    units: int = 256
    rate: float = 3e-4

    READS_REWARDS: ClassVar[bool] = False
    POSITIVE: ClassVar[frozenset[str]] = frozenset({"rate"})

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> State:
        del warm
        policy = gaussian_init(key, *sizes(data), self.layers, self.units)
        return {"policy": policy, "policy_optimizer": adam_init(policy)}

    def update(self, state: State, batch: Batch, key: jax.Array) -> tuple[State, Metrics]:
        del key

        def loss(policy: dict[str, Any]) -> jax.Array:
            return -log_likelihood(gaussian(policy, batch.observations), batch.actions).mean()

        policy_loss, gradient = jax.value_and_grad(loss)(state["policy"])
        return self.step_policy(state, gradient), {"policy_loss": policy_loss}

    def step_policy(self, state: State, gradient: Any) -> State:
        """Adam whose rate falls to 0 over the training along a cosine."""
        rate = cosine(self.rate, state["policy_optimizer"], self.steps)
        policy, optimizer = adam_step(rate, gradient, state["policy_optimizer"], state["policy"])
        return state | {"policy": policy, "policy_optimizer": optimizer}

    def mode(self, weights: State, observations: jax.Array) -> jax.Array:
        return gaussian(weights["policy"], observations).mean


def log_likelihood(normal: Normal, actions: jax.Array) -> jax.Array:
    """log π(a|s) of every row."""
    return gaussian_log_prob(normal, actions).sum(axis=-1)
