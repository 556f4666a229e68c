"""What a model-based agent learns from the data besides the dynamics: rewards and a clone.

A network learns the rewards of the label: min E[(r̂(s, a) − r)²]. It is apart from the dynamics, so
that a wrong reward changes nothing in what the model knows about the world. A policy learns the
recorded actions, min E[−log π(a|s)], for agents that start from it.
"""

from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from instinct.data import Dataset
from instinct.deep.algorithms.algorithm import (
    Batch,
    Data,
    Metrics,
    State,
    Weights,
    hyperparameters,
    sizes,
)
from instinct.deep.algorithms.fields import setting
from instinct.deep.algorithms.model_based.dynamics import (
    Dynamics,
    ModelSettings,
    Networks,
    prepare_for_model,
)
from instinct.deep.nn.networks import (
    MLP,
    mlp_init,
    scaled_tanh_gaussian,
    scaled_tanh_gaussian_init,
    squashed_log_prob,
    value,
)
from instinct.deep.nn.optimizer import Learner, cosine, new_learner


class RewardsState(NamedTuple):
    """The training state of `Rewards`; the dynamics do not change."""

    dynamics: Networks
    rewards: Learner[MLP]
    clone: Learner[MLP]


@hyperparameters
class Rewards(ModelSettings):
    """The rewards of a label, and a clone of the behavior."""

    steps: int = setting(50_000, above=0)
    layers: int = setting(2, above=0)
    units: int = setting(256, above=0)
    rate: float = setting(1e-3, above=0)
    action_scale: float = setting(1.0, above=0, since=3)

    PESSIMISTIC: ClassVar[bool] = False

    def warm_start(self) -> Dynamics:
        return self.dynamics()

    def prepare(self, dataset: Dataset) -> Data:
        return prepare_for_model(dataset)

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> RewardsState:
        assert isinstance(warm, Learner)
        n, m = sizes(data)
        reward_key, clone_key = jax.random.split(key)
        rewards = mlp_init(reward_key, [n + m, *[self.units] * self.layers, 1])
        clone = scaled_tanh_gaussian_init(clone_key, n, m, self.layers, self.units)
        return RewardsState(warm.params, new_learner(rewards), new_learner(clone))

    def update(
        self, state: RewardsState, batch: Batch, key: jax.Array
    ) -> tuple[RewardsState, Metrics]:
        del key

        def loss(network: MLP) -> jax.Array:
            found = value(network, batch.observations, batch.actions)
            return jnp.mean((found - batch.rewards) ** 2)

        def cloning_loss(clone: MLP) -> jax.Array:
            normal = scaled_tanh_gaussian(clone, batch.observations)
            return -squashed_log_prob(normal, batch.actions, self.action_scale).mean()

        error, gradient = jax.value_and_grad(loss)(state.rewards.params)
        cloning, clone_gradient = jax.value_and_grad(cloning_loss)(state.clone.params)
        rate = cosine(self.rate, state.rewards.optimizer, self.steps)
        after = state._replace(
            rewards=state.rewards.step(rate, gradient), clone=state.clone.step(rate, clone_gradient)
        )
        return after, {"reward_error": error, "cloning_loss": cloning}

    def weights(self, state: RewardsState) -> Weights:
        return {"rewards": state.rewards.params, "clone": state.clone.params}
