"""The twin delayed actor-critic that TD3+BC and ReBRAC share.

Fujimoto, van Hoof and Meger, "Addressing Function Approximation Error in Actor-Critic Methods",
ICML 2018, arXiv:1802.09477.

Every step, in this order:

1. Critics: min Σ over f of E[(f(s, a) − y)²], y = r + γ·(min of the target critics at (s′, a′)),
   with a′ = clip(π̄(s′) + clip(noise, ±c), ±1) of the target policy π̄.
2. Every `policy_delay` steps: the policy makes a step, then target critics and target policy
   follow.

The policy is deterministic, a = π(s) = tanh of a network.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.deep.algorithms.algorithm import (
    Algorithm,
    Batch,
    CriticView,
    Data,
    Metrics,
    State,
    Weights,
    hyperparameters,
    sizes,
)
from instinct.deep.algorithms.fields import Setting, setting
from instinct.deep.algorithms.standardize import Scaling, scaling_of, unscaled
from instinct.deep.nn.networks import (
    MLP,
    Twins,
    mlp,
    mlp_init,
    moving_average,
    twin_minimum,
    twins_init,
    value,
)
from instinct.deep.nn.optimizer import Learner, new_learner

QUICK_TD3: dict[str, Setting] = {
    "layers": 2,
    "units": 128,
    "batch_size": 128,
    "steps": 40_000,
    "rate": 1e-3,
}
"""The quick settings that TD3+BC and ReBRAC share."""
TINY = 1e-12
"""The smallest mean |f| to divide by."""


class TD3State(NamedTuple):
    """The training state of TD3+BC and ReBRAC."""

    policy: Learner[MLP]
    target_policy: MLP
    critics: Learner[Twins]
    targets: Twins
    scaling: Scaling | None


@hyperparameters
class TD3(Algorithm):
    """A deterministic policy, and the smaller of two critics at noisy actions as the target.

    `noise` is the standard deviation of the noise in the target, `noise_limit` its largest size.
    """

    layers: int = setting(2, above=0)
    units: int = setting(256, above=0)
    rate: float = setting(3e-4, above=0)
    discount: float = setting(0.99, above=0, below=1)
    target_rate: float = setting(0.005, above=0, below=1)
    noise: float = setting(0.2, at_least=0)
    noise_limit: float = setting(0.5, at_least=0)
    policy_delay: int = setting(2, above=0)

    def init_policy(self, key: jax.Array, observations: int, actions: int) -> MLP:
        """Draw the network of the policy."""
        return mlp_init(key, [observations, *[self.units] * self.layers, actions])

    def init_critics(self, key: jax.Array, inputs: int) -> Twins:
        """Draw the two critics."""
        return twins_init(key, inputs, self.layers, self.units)

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> TD3State:
        del warm
        n, m = sizes(data)
        policy_key, critic_key = jax.random.split(key)
        policy, critics = self.init_policy(policy_key, n, m), self.init_critics(critic_key, n + m)
        return TD3State(
            policy=new_learner(policy),
            target_policy=jax.tree.map(jnp.copy, policy),
            critics=new_learner(critics),
            targets=jax.tree.map(jnp.copy, critics),
            scaling=scaling_of(data),
        )

    def penalty(self, batch: Any, next_actions: jax.Array) -> jax.Array | float:
        """Return what the value at (s′, a′) is lowered by."""
        del batch, next_actions
        return 0.0

    def policy_loss(
        self, critics: Twins, batch: Batch, actions: jax.Array
    ) -> tuple[jax.Array, Metrics]:
        """Return what the policy with these actions π(s) minimizes, and metrics."""
        raise NotImplementedError

    def target(self, state: TD3State, batch: Batch, key: jax.Array) -> jax.Array:
        """Return y, the backup at noisy actions of the target policy."""
        s_next = batch.next_observations
        noise = self.noise * jax.random.normal(key, batch.actions.shape)
        noise = jnp.clip(noise, -self.noise_limit, self.noise_limit)
        next_actions = jnp.clip(deterministic(state.target_policy, s_next) + noise, -1, 1)
        f_next = twin_minimum(state.targets, s_next, next_actions)
        f_next = f_next - self.penalty(batch, next_actions)
        return batch.rewards + self.discount * batch.goes_on * f_next

    def update(self, state: TD3State, batch: Any, key: jax.Array) -> tuple[TD3State, Metrics]:
        s, a = batch.observations, batch.actions
        y = self.target(state, batch, key)

        def critic_loss(critics: Twins) -> tuple[jax.Array, jax.Array]:
            first, second = (value(f, s, a) for f in critics)
            return jnp.mean((first - y) ** 2) + jnp.mean((second - y) ** 2), first.mean()

        (loss_q, f), gradient = jax.value_and_grad(critic_loss, has_aux=True)(state.critics.params)
        state = state._replace(critics=state.critics.step(self.rate, gradient))
        due = state.critics.optimizer.count % self.policy_delay
        waiting = [self.keep_policy] * (self.policy_delay - 1)
        state, metrics = jax.lax.switch(due, [self.improve_policy, *waiting], state, batch)
        return state, {"critic_loss": loss_q, "value": f} | metrics

    def improve_policy(self, state: TD3State, batch: Any) -> tuple[TD3State, Metrics]:
        """Make a step of the policy, then move the targets."""
        critics = state.critics.params

        def loss(policy: MLP) -> tuple[jax.Array, Metrics]:
            actions = deterministic(policy, batch.observations)
            return self.policy_loss(critics, batch, actions)

        (loss_pi, metrics), gradient = jax.value_and_grad(loss, has_aux=True)(state.policy.params)
        policy = state.policy.step(self.rate, gradient)
        after = state._replace(
            policy=policy,
            target_policy=moving_average(state.target_policy, policy.params, self.target_rate),
            targets=moving_average(state.targets, critics, self.target_rate),
        )
        counted = {"policy_loss": loss_pi} | metrics
        return after, {name: self.policy_delay * metric for name, metric in counted.items()}

    def keep_policy(self, state: TD3State, batch: Any) -> tuple[TD3State, Metrics]:
        """Leave policy and targets as they are; means over steps count the others in full."""
        _, metrics = jax.eval_shape(self.improve_policy, state, batch)
        return state, {name: jnp.zeros(m.shape, m.dtype) for name, m in metrics.items()}

    def critics_of(self, state: TD3State) -> CriticView:
        if state.scaling is None:
            return CriticView(state.critics.params)
        return CriticView(state.critics.params, 1.0, *map(np.asarray, state.scaling))

    def weights(self, state: TD3State) -> Weights:
        return {"policy": unscaled(state.policy.params, state.scaling)}

    def mode(self, weights: Weights, observations: jax.Array) -> jax.Array:
        return deterministic(weights["policy"], observations)


def deterministic(policy: MLP, s: jax.Array) -> jax.Array:
    """Return π(s) = tanh of the network."""
    return jnp.tanh(mlp(policy, s))


def inverse_size(f: jax.Array) -> jax.Array:
    """Return 1/E|f| as a constant, so that a loss does not depend on the scale of values."""
    return jax.lax.stop_gradient(1 / jnp.maximum(jnp.abs(f).mean(), TINY))
