"""SAC: the soft actor-critic with a tuned temperature, which trains the behaviors."""

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import Batch
from instinct.deep.nn.networks import (
    MLP,
    moving_average,
    scaled_tanh_gaussian,
    scaled_tanh_gaussian_init,
    squashed_sample,
    twin_minimum,
    twins_init,
    value,
)
from instinct.deep.nn.optimizer import Learner, adam_init, adam_step
from instinct.deep.nn.temperature import update_temperature

TRAINED = ("critics", "policy", "log_alpha")
SACState = dict[str, Any]
"""The trained parts, the target critics, and the optimizers of the trained parts by name."""


@dataclass(frozen=True)
class SAC:
    """Maximizes return plus α·entropy; α is tuned so that the entropy is −dim(actions).

    The policy is a tanh-Gaussian in [-1, 1]. The target critics are a moving average of the twin
    critics.
    """

    layers: int = 2
    units: int = 256
    batch_size: int = 256
    rate: float = 3e-4
    discount: float = 0.99
    target_rate: float = 0.005

    def init(self, key: jax.Array, observations: int, actions: int) -> SACState:
        critic_key, policy_key = jax.random.split(key)
        critics = twins_init(critic_key, observations + actions, self.layers, self.units)
        state: SACState = {
            "critics": critics,
            "target": jax.tree.map(jnp.copy, critics),
            "policy": scaled_tanh_gaussian_init(
                policy_key, observations, actions, self.layers, self.units
            ),
            "log_alpha": jnp.zeros(()),
        }
        return state | {"optimizers": {name: adam_init(state[name]) for name in TRAINED}}

    def update(self, state: SACState, batch: Batch, key: jax.Array) -> SACState:
        """Update the critics, the policy and α, then the target."""
        next_noise, noise = jax.random.normal(key, (2, *batch.actions.shape))
        alpha = jnp.exp(state["log_alpha"])

        next_actions, next_log_prob = sample(state["policy"], batch.next_observations, next_noise)
        next_value = twin_minimum(state["target"], batch.next_observations, next_actions)
        y = batch.rewards + self.discount * batch.goes_on * (next_value - alpha * next_log_prob)

        def critic_loss(critics: tuple[MLP, MLP]) -> Any:
            return sum(
                jnp.mean((value(f, batch.observations, batch.actions) - y) ** 2) for f in critics
            )

        state = self.step(state, "critics", jax.grad(critic_loss)(state["critics"]))

        def policy_loss(policy: MLP) -> tuple[jax.Array, jax.Array]:
            actions, log_prob = sample(policy, batch.observations, noise)
            f = twin_minimum(state["critics"], batch.observations, actions)
            return jnp.mean(alpha * log_prob - f), jnp.mean(log_prob)

        gradient, log_prob = jax.grad(policy_loss, has_aux=True)(state["policy"])
        state = self.step(state, "policy", gradient)
        temperature = update_temperature(
            Learner(state["log_alpha"], state["optimizers"]["log_alpha"]),
            -log_prob,
            -batch.actions.shape[-1],
            self.rate,
        )
        return state | {
            "log_alpha": temperature.params,
            "optimizers": state["optimizers"] | {"log_alpha": temperature.optimizer},
            "target": moving_average(state["target"], state["critics"], self.target_rate),
        }

    def step(self, state: SACState, name: str, gradient: Any) -> SACState:
        """Make a step of Adam on one of the trained parts."""
        optimizers = state["optimizers"]
        part, optimizer = adam_step(self.rate, gradient, optimizers[name], state[name])
        return state | {name: part, "optimizers": optimizers | {name: optimizer}}

    @functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
    def updates(self, state: SACState, batches: Batch, key: jax.Array) -> SACState:
        """Make one update per batch in one compiled program."""

        def one(state: SACState, given: tuple[Batch, jax.Array]) -> tuple[SACState, None]:
            return self.update(state, *given), None

        keys = jax.random.split(key, len(batches.rewards))
        return jax.lax.scan(one, state, (batches, keys))[0]


@jax.jit
def sample(policy: MLP, observations: jax.Array, noise: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return actions in [-1, 1] for standard normal noise, and their log-probabilities."""
    actions, log_prob = squashed_sample(scaled_tanh_gaussian(policy, observations), noise, 1.0)
    return actions, log_prob.sum(axis=-1)


@jax.jit
def mode(policy: MLP, observations: jax.Array) -> jax.Array:
    """Return the actions without noise."""
    return jnp.tanh(scaled_tanh_gaussian(policy, observations).mean)
