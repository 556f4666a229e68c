"""CQL and CQL3 for discrete actions.

Every step, all with the networks of the step before:

1. Critics: min Σ over f of E[(f(s, a) − y)²] + α·E[log Σ over all a′ of exp f(s, a′) − f(s, a)],
   y = r + γ·E over a′ ~ π(s′) of the smaller target critic.
2. Policy: min E[Σ over a of π(a|s)·(α_H·log π(a|s) − smaller critic at (s, a))].
3. Temperature and target critics as with continuous actions.

Sums over all actions take the place of the samples (Christodoulou, "Soft Actor-Critic for Discrete
Action Settings", arXiv:1910.07207). The CQL paper's own experiments with discrete actions have no
policy and act greedily on a distributional Q; here the actor stays, so that CQL means the same
algorithm for both kinds of actions. `actions` and `action_scale` have no effect.
"""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import Batch, Metrics, hyperparameters
from instinct.deep.algorithms.cql import CQL, CQLState
from instinct.deep.algorithms.discrete.categorical import (
    Categorical,
    log_policy,
    negative_entropy,
)
from instinct.deep.algorithms.fields import setting
from instinct.deep.nn.networks import Twins, expected, mlp, twin_minimum


@hyperparameters
class DiscreteCQL(Categorical, CQL):
    """The critics push down the exact soft maximum over actions and push up the data's actions."""

    NAME: ClassVar[str] = "CQL"

    def update(self, state: CQLState, batch: Batch, key: jax.Array) -> tuple[CQLState, Metrics]:
        del key
        s, a, s_next = batch.observations, batch.actions, batch.next_observations
        next_pi = jnp.exp(log_policy(state.policy.params, s_next))
        next_value = twin_minimum(state.targets, s_next, next_pi)
        y = batch.rewards + self.discount * batch.goes_on * next_value

        def critic_loss(critics: Twins) -> tuple[jax.Array, Metrics]:
            total, metrics = jnp.zeros(()), Metrics()
            for f in critics:
                q = all_values(f, s)
                total, metrics = self.add_critic_loss(
                    total, expected(a, q), y, jax.nn.logsumexp(q, axis=-1)
                )
            return total, metrics

        (loss_q, metrics), critic_gradient = jax.value_and_grad(critic_loss, has_aux=True)(
            state.critics.params
        )
        entropy_alpha = jnp.exp(state.temperature.params)
        smaller = jnp.minimum(*(all_values(f, s) for f in state.critics.params))

        def policy_loss(policy: Any) -> tuple[jax.Array, jax.Array]:
            log_pi = log_policy(policy, s)
            q, negative = expected(jnp.exp(log_pi), smaller), negative_entropy(log_pi)
            return jnp.mean(entropy_alpha * negative - q), -negative.mean()

        (loss_pi, entropy), policy_gradient = jax.value_and_grad(policy_loss, has_aux=True)(
            state.policy.params
        )
        metrics |= {"critic_loss": loss_q, "policy_loss": loss_pi, "entropy": entropy}
        target = self.entropy_target(a.shape[-1])
        return self.step(state, critic_gradient, policy_gradient, metrics, target)


@hyperparameters
class DiscreteCQL3(DiscreteCQL):
    """CQL with three layers; the policy is that of ATAC and PSPI in both."""

    layers: int = setting(3, above=0)

    NAME: ClassVar[str] = "CQL3"


def all_values(f: Any, s: jax.Array) -> jax.Array:
    """Return f(s, ·) of a critic with one output per action, [batch, |A|]."""
    return mlp(f.layers, s)
