"""The soft actor-critic on recorded and imagined transitions that the model-based agents share.

Haarnoja et al., "Soft Actor-Critic Algorithms and Applications", 2018, arXiv:1812.05905, in the
scheme of Janner et al., "When to Trust Your Model", NeurIPS 2019, arXiv:1906.08253.

Every step, all with the networks of the step before:

1. Rollouts: each moves by one step of the model (`rollouts`), and its transitions, with the
   algorithm's own pessimism in rewards and ends (`imagined`), go to the buffer. The batch is drawn
   from the data and the buffer (`imagination`).
2. Critics: min Σ over the twins f of E[(f(s, a) − y)²] + (the algorithm's `conservatism`),
   y = r + γ·(min of the target critics at (s′, a′) − α·log π(a′|s′)), a′ ~ π(s′).
3. Policy: min E[α·log π − min of the critics at (s, π)].
4. Temperature: log α moves so that the entropy of π approaches −dim(A).
5. The target critics follow the critics.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import (
    CriticView,
    Data,
    Metrics,
    State,
    Weights,
    hyperparameters,
    sizes,
)
from instinct.deep.algorithms.cql import sample
from instinct.deep.algorithms.fields import Setting, setting
from instinct.deep.algorithms.model_based.dynamics import ModelSettings, best_members
from instinct.deep.algorithms.model_based.imagination import Imagination, MixedBatch, Recorded
from instinct.deep.algorithms.model_based.rewards import Rewards, RewardsState
from instinct.deep.algorithms.model_based.rollouts import (
    Model,
    Rollouts,
    make_model,
    new_rollouts,
)
from instinct.deep.algorithms.standardize import unscaled
from instinct.deep.algorithms.warm_start import shared_settings
from instinct.deep.nn.networks import (
    MLP,
    Critic,
    Twins,
    moving_average,
    scaled_tanh_gaussian,
    scaled_tanh_gaussian_init,
    twin_minimum,
    twins_init,
    value,
)
from instinct.deep.nn.optimizer import Learner, new_learner, rising
from instinct.deep.nn.temperature import update_temperature

QUICK_MODEL: dict[str, Setting] = {
    "layers": 2,
    "units": 64,
    "batch_size": 64,
    "steps": 20_000,
    "rate": 3e-4,
    "policy_rate": 1e-5,
    "policy_average": 1.5e-4,
    "start_from_clone": True,
    "rise": 0.3,
    "horizon": 100.0,
    "rollouts": 16,
    "buffer": 64_000,
    "reward_steps": 10_000,
    "model_steps": 12_000,
    "model_batch": 128,
    "model_layers": 3,
    "model_units": 200,
    "members": 4,
    "elites": 4,
}
"""The quick settings that MOPO, MOReL and COMBO share."""


class AgentState(NamedTuple):
    """The training state of a model-based agent."""

    policy: Learner[MLP]
    average: MLP
    """The policy that acts in the end."""
    critics: Learner[Twins]
    targets: Twins
    temperature: Learner[jax.Array]
    model: Model
    limit: jax.Array
    """What the algorithm compares its uncertainty with (`uncertainty_limit`)."""
    rollouts: Rollouts


@hyperparameters
class ModelBasedAgent(Imagination):
    """A soft actor-critic that plays in a learned model, in the best `elites` of its members.

    With `start_from_clone` the policy starts from a clone of the data's behavior; its rate rises
    from 0 over the first `rise` of the training, so that critics come first. The final policy is an
    exponential average of the policy's weights with the rate `policy_average`; with 1 it is the
    last policy itself.
    """

    layers: int = setting(2, above=0)
    units: int = setting(256, above=0)
    rate: float = setting(3e-4, above=0)
    policy_rate: float = setting(1e-4, above=0)
    discount: float = setting(0.99, above=0, below=1)
    target_rate: float = setting(0.005, above=0, below=1)
    start_from_clone: bool = setting(False)
    rise: float = setting(0.0, at_least=0, at_most=1)
    policy_average: float = setting(1.0, above=0, at_most=1)
    elites: int = setting(5, above=0)

    def warm_start(self) -> Rewards:
        return Rewards(
            **shared_settings(self, ModelSettings)
            | {"steps": self.reward_steps, "layers": self.layers, "units": self.units}
        )

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> AgentState:
        assert isinstance(warm, RewardsState)
        n, m = sizes(data)
        policy_key, critic_key, start_key, fill_key = jax.random.split(key, 4)
        policy = scaled_tanh_gaussian_init(policy_key, n, m, self.layers, self.units)
        if self.start_from_clone:
            policy = warm.clone.params
        critics = twins_init(critic_key, n + m, self.layers, self.units)
        networks = best_members(warm.dynamics, data, min(self.elites, self.members))
        model = make_model(networks, warm.rewards.params, data)
        state = AgentState(
            policy=new_learner(policy),
            average=jax.tree.map(jnp.copy, policy),
            critics=new_learner(critics),
            targets=jax.tree.map(jnp.copy, critics),
            temperature=new_learner(jnp.zeros(())),
            model=model,
            limit=self.uncertainty_limit(model, data),
            rollouts=new_rollouts(data, start_key, self.rollouts, self.buffer),
        )
        return state._replace(rollouts=self.play(state, data, fill_key))

    def uncertainty_limit(self, model: Model, data: Data) -> jax.Array:
        """Return a number about the model at recorded pairs that `imagined` can use."""
        del model, data
        return jnp.zeros(())

    def conservatism(
        self, f: Critic, q: jax.Array, actions: jax.Array, batch: MixedBatch
    ) -> jax.Array:
        """Return what a critic minimizes besides the Bellman error; q is f(s, a) of the batch."""
        del f, q, actions, batch
        return jnp.zeros(())

    def draw(self, policy: MLP, s: jax.Array, noise: jax.Array) -> tuple[jax.Array, jax.Array]:
        return sample(scaled_tanh_gaussian(policy, s), noise, 1.0)

    def update(
        self, state: AgentState, batch: Recorded, key: jax.Array
    ) -> tuple[AgentState, Metrics]:
        play_key, draw_key, learn_key = jax.random.split(key, 3)
        state = state._replace(rollouts=self.play(state, batch.data, play_key))
        return self.learn(state, self.mix(state, batch, draw_key), learn_key)

    def learn(
        self, state: AgentState, batch: MixedBatch, key: jax.Array
    ) -> tuple[AgentState, Metrics]:
        """Step critics, policy and temperature, then move the target critics."""
        s, a, r, s_next, goes_on = batch.transitions
        noise, next_noise = jax.random.normal(key, (2, *a.shape))
        alpha = jnp.exp(state.temperature.params)

        (actions, log_pi), into_policy = jax.vjp(
            lambda policy: self.draw(policy, s, noise), state.policy.params
        )
        next_actions, log_next = self.draw(state.policy.params, s_next, next_noise)
        f_next = twin_minimum(state.targets, s_next, next_actions) - alpha * log_next
        y = r + self.discount * goes_on * f_next

        def critic_loss(critics: Twins) -> tuple[jax.Array, Metrics]:
            total, metrics = jnp.zeros(()), Metrics()
            for f in critics:
                q = value(f, s, a)
                bellman, extra = jnp.mean((q - y) ** 2), self.conservatism(f, q, actions, batch)
                total = total + bellman + extra
                metrics = {"bellman_loss": bellman, "conservatism": extra, "value": q.mean()}
            return total, metrics

        (loss_q, metrics), critic_gradient = jax.value_and_grad(critic_loss, has_aux=True)(
            state.critics.params
        )

        def policy_loss(actions: jax.Array, log_pi: jax.Array) -> jax.Array:
            q = twin_minimum(state.critics.params, s, actions)
            return jnp.mean(alpha * log_pi - q)

        loss_pi, into_sample = jax.value_and_grad(policy_loss, argnums=(0, 1))(actions, log_pi)
        (policy_gradient,) = into_policy(into_sample)
        entropy = -log_pi.mean()
        policy_rate = rising(self.policy_rate, state.policy.optimizer, self.rise * self.steps)
        critics = state.critics.step(self.rate, critic_gradient)
        policy = state.policy.step(policy_rate, policy_gradient)
        after = state._replace(
            policy=policy,
            average=moving_average(state.average, policy.params, self.policy_average),
            critics=critics,
            targets=moving_average(state.targets, critics.params, self.target_rate),
            temperature=update_temperature(state.temperature, entropy, -a.shape[-1], self.rate),
        )
        metrics |= {"critic_loss": loss_q, "policy_loss": loss_pi, "entropy": entropy}
        return after, metrics | {"log_alpha": after.temperature.params}

    def critics_of(self, state: AgentState) -> CriticView:
        return CriticView(state.critics.params, 1.0, *map(jax.device_get, state.model.scaling))

    def weights(self, state: AgentState) -> Weights:
        return {"policy": unscaled(state.average, state.model.scaling)}

    def mode(self, weights: Weights, observations: jax.Array) -> jax.Array:
        return jnp.tanh(scaled_tanh_gaussian(weights["policy"], observations).mean)
