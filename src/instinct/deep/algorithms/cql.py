"""CQL: conservative Q-learning on a soft actor-critic, and CQL3 with ATAC's networks.

Kumar, Zhou, Tucker and Levine, "Conservative Q-Learning for Offline Reinforcement Learning",
NeurIPS 2020, arXiv:2006.04779.

Every step, all with the networks of the step before:

1. Critics: min Σ over f of E[(f(s, a) − y)²] + α·E[log Σₖ exp(f(s, aₖ) − log p(aₖ)) − f(s, a)],
   y = r + γ·min of the target critics at (s′, π); the aₖ are drawn with density p: uniformly, from
   π(s) and from π(s′).
2. Policy: min E[α_H·log π − min of the critics at (s, π)], α_H the weight of the entropy.
3. Temperature: log α_H moves so that the entropy of π approaches −dim(A).
4. The target critics follow the critics.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

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
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.nn.networks import (
    LOG_2,
    Critic,
    Normal,
    Twins,
    critics_init,
    moving_average,
    scaled_tanh_gaussian,
    scaled_tanh_gaussian_init,
    squashed_sample,
    tanh_gaussian,
    tanh_gaussian_init,
    twin_minimum,
    value,
)
from instinct.deep.nn.optimizer import Learner, mean_gradient, new_learner
from instinct.deep.nn.temperature import update_temperature

STATES_AT_ONCE = 16
"""How many states of a batch the critics' gradient is computed for at a time."""


class CQLState(NamedTuple):
    """The training state of CQL."""

    policy: Learner[Any]
    critics: Learner[Twins]
    targets: Twins
    temperature: Learner[jax.Array]


@hyperparameters
class CQL(Algorithm):
    """The critics push down a soft maximum over actions and push up the data's actions."""

    alpha: float = setting(1.0, above=0)
    layers: int = setting(2, above=0)
    units: int = setting(256, above=0)
    rate: float = setting(3e-4, above=0)
    discount: float = setting(0.99, above=0, below=1)
    target_rate: float = setting(0.005, above=0, below=1)
    action_scale: float = setting(1.0, above=0)
    actions: int = setting(10, above=0)

    CITATION: ClassVar[str] = (
        "Kumar, Zhou, Tucker and Levine, 'Conservative Q-Learning for Offline Reinforcement "
        "Learning', NeurIPS 2020, arXiv:2006.04779"
    )
    GRID: ClassVar[Mapping[str, tuple[float, ...]]] = {"alpha": (0.1, 1.0, 10.0, 100.0)}
    QUICK: ClassVar[Settings | None] = {
        "units": 64,
        "batch_size": 64,
        "actions": 4,
        "rate": 1e-3,
        "alpha": 10.0,
        "steps": 40_000,
    }

    def init_policy(self, key: jax.Array, n: int, m: int) -> Any:
        return tanh_gaussian_init(key, n, m, self.layers, self.units)

    def policy(self, policy: Any, observations: jax.Array) -> Normal:
        return tanh_gaussian(policy, observations)

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> CQLState:
        del warm
        n, m = sizes(data)
        policy_key, critic_key = jax.random.split(key)
        discrete = self.ACTIONS == "discrete"
        critics = critics_init(critic_key, n, m, self.layers, self.units, per_action=discrete)
        return CQLState(
            policy=new_learner(self.init_policy(policy_key, n, m)),
            critics=new_learner(critics),
            targets=jax.tree.map(jnp.copy, critics),
            temperature=new_learner(jnp.zeros(())),
        )

    def update(self, state: CQLState, batch: Batch, key: jax.Array) -> tuple[CQLState, Metrics]:
        s, s_next, c, k = (
            batch.observations,
            batch.next_observations,
            self.action_scale,
            self.actions,
        )
        noise_key, uniform_key = jax.random.split(key)
        noise = jax.random.normal(noise_key, (2, k + 1, *batch.actions.shape))
        uniform = jax.random.uniform(
            uniform_key, (k, *batch.actions.shape), minval=-1.0, maxval=1.0
        )

        normal, into_policy = jax.vjp(lambda policy: self.policy(policy, s), state.policy.params)
        next_normal = self.policy(state.policy.params, s_next)
        now, log_now = sample(normal, noise[0], c)
        later, log_later = sample(next_normal, noise[1], c)

        y = batch.rewards + self.discount * batch.goes_on * twin_minimum(
            state.targets, s_next, later[-1]
        )
        actions = jnp.concatenate([batch.actions[None], uniform, later[:-1], now[:-1]])
        log_uniform = jnp.full_like(log_now[:-1], -LOG_2 * batch.actions.shape[-1])
        log_density = jnp.concatenate([log_uniform, log_later[:-1], log_now[:-1]])

        def critic_loss(critics: Twins, part: Any) -> tuple[jax.Array, Metrics]:
            s, actions, log_density, y = part
            total, metrics = jnp.zeros(()), Metrics()
            for f in critics:
                q = at_actions(f, s, actions)
                soft_maximum = jax.nn.logsumexp(q[:, 1:] - log_density, axis=1)
                total, metrics = self.add_critic_loss(total, q[:, 0], y, soft_maximum)
            return total, metrics

        by_state = s, jnp.moveaxis(actions, 0, 1), log_density.T, y
        (loss_q, metrics), critic_gradient = mean_gradient(
            critic_loss, state.critics.params, by_state, STATES_AT_ONCE
        )
        entropy_alpha = jnp.exp(state.temperature.params)

        def policy_loss(normal: Normal) -> tuple[jax.Array, jax.Array]:
            actions, log_pi = sample(normal, noise[0, -1], c)
            q = twin_minimum(state.critics.params, s, actions)
            return jnp.mean(entropy_alpha * log_pi - q), -log_pi.mean()

        (loss_pi, entropy), into_normal = jax.value_and_grad(policy_loss, has_aux=True)(normal)
        (policy_gradient,) = into_policy(into_normal)
        metrics |= {"critic_loss": loss_q, "policy_loss": loss_pi, "entropy": entropy}
        target = -batch.actions.shape[-1]
        return self.step(state, critic_gradient, policy_gradient, metrics, target)

    def add_critic_loss(
        self, total: jax.Array, q: jax.Array, y: jax.Array, soft_maximum: jax.Array
    ) -> tuple[jax.Array, Metrics]:
        """Add the loss of one critic, which has the values q at recorded actions."""
        gap = jnp.mean(soft_maximum - q)
        bellman = jnp.mean((q - y) ** 2)
        metrics = {"bellman_loss": bellman, "gap": gap, "value": q.mean()}
        return total + bellman + self.alpha * gap, metrics

    def step(
        self,
        state: CQLState,
        critic_gradient: Twins,
        policy_gradient: Any,
        metrics: Metrics,
        entropy_target: float,
    ) -> tuple[CQLState, Metrics]:
        """Step critics, policy and temperature, then move the target critics."""
        critics = state.critics.step(self.rate, critic_gradient)
        after = CQLState(
            policy=state.policy.step(self.rate, policy_gradient),
            critics=critics,
            targets=moving_average(state.targets, critics.params, self.target_rate),
            temperature=update_temperature(
                state.temperature, metrics["entropy"], entropy_target, self.rate
            ),
        )
        return after, metrics | {"log_alpha": after.temperature.params}

    def critics_of(self, state: CQLState) -> CriticView:
        return CriticView(state.critics.params)

    def weights(self, state: CQLState) -> Weights:
        return {"policy": state.policy.params}

    def mode(self, weights: Weights, observations: jax.Array) -> jax.Array:
        return self.action_scale * jnp.tanh(self.policy(weights["policy"], observations).mean)


@hyperparameters
class CQL3(CQL):
    """CQL with three layers and the scaled tanh-Gaussian policy of ATAC and PSPI."""

    layers: int = setting(3, above=0)

    def init_policy(self, key: jax.Array, n: int, m: int) -> Any:
        return scaled_tanh_gaussian_init(key, n, m, self.layers, self.units)

    def policy(self, policy: Any, observations: jax.Array) -> Normal:
        return scaled_tanh_gaussian(policy, observations)


def sample(normal: Normal, noise: jax.Array, c: jax.Array | float) -> tuple[jax.Array, jax.Array]:
    """Return actions and log π of whole actions."""
    actions, log_prob = squashed_sample(normal, noise, c)
    return actions, log_prob.sum(axis=-1)


def at_actions(f: Critic, s: jax.Array, actions: jax.Array) -> jax.Array:
    """Return f(s, a) for several actions [batch, k, m] in every state."""
    s = jnp.broadcast_to(s[:, None], (*actions.shape[:-1], s.shape[-1]))
    return value(f, s, actions)
