"""EDAC: a soft actor-critic with many critics, whose gradients are made diverse.

An, Moon, Kim and Song, "Uncertainty-Based Offline Reinforcement Learning with Diversified
Q-Ensemble", NeurIPS 2021, arXiv:2110.01548.

Every step, all with the networks of the step before:

1. Critics: min Σ over the N critics f of E[(f(s, a) − y)²] + η·E[Σ over i ≠ j of gᵢ·gⱼ]/(N − 1),
   y = r + γ·(min of the target critics at (s′, a′) − α·log π(a′|s′)), a′ ~ π(s′), where gᵢ is the
   gradient of fᵢ(s, a) by the action, of length 1. If gradients differ, so do the critics outside
   the data, and their minimum is low there.
2. Policy: min E[α·log π − min of the critics at (s, π)].
3. Temperature: log α moves so that the entropy of π approaches −dim(A).
4. The target critics follow the critics.

With η = 0 this is the paper's SAC-N.
"""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp

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
from instinct.deep.algorithms.cql import sample
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.algorithms.warm_start import Cloning, CloningState
from instinct.deep.nn.networks import MLP, Normal, mlp, moving_average, small_output_init, value
from instinct.deep.nn.optimizer import Learner, new_learner, rising
from instinct.deep.nn.temperature import update_temperature

SHORTEST = 1e-10
"""Added to the length of a gradient before it is divided by it."""


class EDACState(NamedTuple):
    """The training state of EDAC; the arrays of critics and targets have one row per critic."""

    policy: Learner[MLP]
    critics: Learner[MLP]
    targets: MLP
    temperature: Learner[jax.Array]
    average: MLP
    """The policy that acts in the end."""


@hyperparameters
class EDAC(Algorithm):
    """The smallest of many diverse critics is pessimistic where the data do not decide.

    The paper has 50 critics on hopper and 10 elsewhere, and `eta` 1 or 5 (0 on random data).

    With `cloning_steps` the policy starts from a clone of the data's behavior, whose rate falls
    from `cloning_rate` to 0. The policy's own rate is `policy_rate` (0: as that of the critics); it
    rises from 0 over the first `rise` of the training, so that critics come first. The final policy
    is an exponential average of the policy's weights with the rate `policy_average`; with 1 it is
    the last policy itself.
    """

    steps: int = setting(3_000_000, above=0)
    critics: int = setting(10, above=1)
    eta: float = setting(1.0, at_least=0)
    layers: int = setting(3, above=0)
    units: int = setting(256, above=0)
    rate: float = setting(3e-4, above=0)
    discount: float = setting(0.99, above=0, below=1)
    target_rate: float = setting(0.005, above=0, below=1)
    cloning_steps: int = setting(0, at_least=0, since=3)
    cloning_rate: float = setting(1e-3, above=0, since=3)
    policy_rate: float = setting(0.0, at_least=0, since=3)
    rise: float = setting(0.0, at_least=0, at_most=1, since=3)
    policy_average: float = setting(1.0, above=0, at_most=1, since=3)

    CITATION: ClassVar[str] = (
        "An, Moon, Kim and Song, 'Uncertainty-Based Offline Reinforcement Learning with "
        "Diversified Q-Ensemble', NeurIPS 2021, arXiv:2110.01548"
    )
    GRID: ClassVar[Mapping[str, tuple[float, ...]]] = {"critics": (10, 50), "eta": (0.0, 1.0, 5.0)}
    QUICK: ClassVar[Settings | None] = {
        "layers": 2,
        "units": 64,
        "batch_size": 64,
        "steps": 30_000,
        "rate": 1e-3,
        "target_rate": 0.02,
        "eta": 10.0,
        "cloning_steps": 20_000,
        "policy_rate": 1e-5,
        "rise": 0.4,
        "policy_average": 3e-4,
    }

    def warm_start(self) -> Cloning | None:
        if not self.cloning_steps:
            return None
        return Cloning(
            steps=self.cloning_steps,
            batch_size=self.batch_size,
            layers=self.layers,
            units=self.units,
            fast_rate=self.cloning_rate,
            decay=True,
        )

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> EDACState:
        n, m = sizes(data)
        hidden = [self.units] * self.layers
        policy_key, critic_key = jax.random.split(key)
        critics = jax.vmap(lambda each: small_output_init(each, [n + m, *hidden, 1], 3e-3))(
            jax.random.split(critic_key, self.critics)
        )
        first = small_output_init(policy_key, [n, *hidden, 2 * m], 1e-3)
        if isinstance(warm, CloningState):
            first = warm.policy.params
        return EDACState(
            policy=new_learner(first),
            critics=new_learner(critics),
            targets=jax.tree.map(jnp.copy, critics),
            temperature=new_learner(jnp.zeros(())),
            average=jax.tree.map(jnp.copy, first),
        )

    def update(self, state: EDACState, batch: Batch, key: jax.Array) -> tuple[EDACState, Metrics]:
        s, s_next = batch.observations, batch.next_observations
        noise, next_noise = jax.random.normal(key, (2, *batch.actions.shape))
        alpha = jnp.exp(state.temperature.params)

        next_actions, log_next = sample(policy(state.policy.params, s_next), next_noise, 1.0)
        f_next = ensemble(state.targets, s_next, next_actions).min(axis=0) - alpha * log_next
        y = batch.rewards + self.discount * batch.goes_on * f_next

        def critic_loss(critics: MLP) -> tuple[jax.Array, Metrics]:
            f, g = jax.vmap(with_direction, (0, None, None))(critics, s, batch.actions)
            bellman = jnp.sum(jnp.mean((f - y) ** 2, axis=1))
            pairs = jnp.sum(g.sum(axis=0) ** 2, axis=-1) - jnp.sum(g**2, axis=(0, 2))
            similarity = pairs.mean() / (self.critics - 1)
            metrics = {"bellman_loss": bellman, "similarity": similarity, "value": f.mean()}
            return bellman + self.eta * similarity, metrics

        (loss_q, metrics), critic_gradient = jax.value_and_grad(critic_loss, has_aux=True)(
            state.critics.params
        )

        def policy_loss(params: MLP) -> tuple[jax.Array, jax.Array]:
            actions, log_pi = sample(policy(params, s), noise, 1.0)
            f = ensemble(state.critics.params, s, actions).min(axis=0)
            return jnp.mean(alpha * log_pi - f), -log_pi.mean()

        (loss_pi, entropy), policy_gradient = jax.value_and_grad(policy_loss, has_aux=True)(
            state.policy.params
        )
        critics = state.critics.step(self.rate, critic_gradient)
        policy_rate = jnp.where(self.policy_rate > 0, self.policy_rate, self.rate)
        policy_rate = rising(policy_rate, state.policy.optimizer, self.rise * self.steps)
        actor = state.policy.step(policy_rate, policy_gradient)
        after = EDACState(
            policy=actor,
            critics=critics,
            targets=moving_average(state.targets, critics.params, self.target_rate),
            temperature=update_temperature(
                state.temperature, entropy, -batch.actions.shape[-1], self.rate
            ),
            average=moving_average(state.average, actor.params, self.policy_average),
        )
        metrics |= {"critic_loss": loss_q, "policy_loss": loss_pi, "entropy": entropy}
        return after, metrics | {"log_alpha": after.temperature.params}

    def critics_of(self, state: EDACState) -> CriticView:
        """Return the first two critics."""
        first, second = (
            jax.tree.map(lambda each, i=i: each[i], state.critics.params) for i in range(2)
        )
        return CriticView((first, second))

    def weights(self, state: EDACState) -> Weights:
        return {"policy": state.average}

    def mode(self, weights: Weights, observations: jax.Array) -> jax.Array:
        return jnp.tanh(policy(weights["policy"], observations).mean)


def policy(network: MLP, s: jax.Array) -> Normal:
    """Return the distribution before tanh, with log-std in [−5, 2]."""
    mean, log_std = jnp.split(mlp(network, s), 2, axis=-1)
    return Normal(mean, jnp.clip(log_std, -5, 2))


def ensemble(critics: MLP, s: jax.Array, a: jax.Array) -> jax.Array:
    """Return f(s, a) of every critic, [critics, batch]."""
    return jax.vmap(value, (0, None, None))(critics, s, a)


def with_direction(f: MLP, s: jax.Array, a: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return f(s, a), and its gradient by the action, of length 1.

    A gradient of 0, where all units of a layer are inactive, has no direction and stays 0.
    """
    q, back = jax.vjp(lambda actions: value(f, s, actions), a)
    (gradient,) = back(jnp.ones_like(q))
    square = jnp.sum(gradient**2, axis=-1, keepdims=True)
    return q, gradient / (jnp.sqrt(jnp.where(square > 0, square, 1.0)) + SHORTEST)
