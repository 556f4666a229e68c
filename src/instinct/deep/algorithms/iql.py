"""IQL: implicit Q-learning."""

from collections.abc import Mapping
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Dataset
from instinct.deep.algorithms.algorithm import Batch, Data, Metrics, State, hyperparameters, sizes
from instinct.deep.algorithms.bc import QUICK_GAUSSIAN, GaussianPolicy, log_likelihood
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.nn.networks import (
    MLP,
    gaussian,
    mlp_init,
    moving_average,
    twin_minimum,
    twins_init,
    value,
)
from instinct.deep.nn.optimizer import adam_init, adam_step

WEIGHT_LIMIT = 100.0


@hyperparameters
class IQL(GaussianPolicy):
    """V is an upper expectile of Q over the data's actions; the policy clones good actions.

    With `scale_rewards` rewards are multiplied by 1000/(max return − min return), as is usual on
    locomotion; where all returns are equal they stay as they are.
    """

    beta: float = setting(3.0, above=0)
    tau: float = setting(0.7, above=0, below=1)
    discount: float = setting(0.99, above=0, below=1)
    target_rate: float = setting(0.005, above=0, below=1)
    scale_rewards: bool = setting(True)

    CITATION: ClassVar[str] = (
        "Kostrikov, Nair and Levine, 'Offline Reinforcement Learning with Implicit Q-Learning', "
        "ICLR 2022, arXiv:2110.06169"
    )
    GRID: ClassVar[Mapping[str, tuple[float, ...]]] = {"beta": (0.3, 3.0), "tau": (0.7, 0.9)}
    QUICK: ClassVar[Settings | None] = QUICK_GAUSSIAN | {"beta": 0.3}

    def prepare(self, dataset: Dataset) -> Data:
        data = super().prepare(dataset)
        if not self.scale_rewards:
            return data
        scale = np.float32(reward_scale(dataset))
        return Data(data.rows, {"rewards": data.told["rewards"] * scale})

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> State:
        del warm
        n, m = sizes(data)
        policy_key, critic_key, value_key = jax.random.split(key, 3)
        critics = twins_init(critic_key, n + m, self.layers, self.units)
        v = mlp_init(value_key, [n, *[self.units] * self.layers, 1])
        return super().init(policy_key, data) | {
            "critics": critics,
            "targets": jax.tree.map(jnp.copy, critics),
            "critic_optimizer": adam_init(critics),
            "value": v,
            "value_optimizer": adam_init(v),
        }

    def update(self, state: State, batch: Batch, key: jax.Array) -> tuple[State, Metrics]:
        del key
        s, a, s_next = batch.observations, batch.actions, batch.next_observations
        q = twin_minimum(state["targets"], s, a)

        def value_loss(v: MLP) -> tuple[jax.Array, jax.Array]:
            advantage = q - value(v, s)
            weight = jnp.where(advantage < 0, 1 - self.tau, self.tau)
            return jnp.mean(weight * advantage**2), advantage

        (loss_v, advantage), value_gradient = jax.value_and_grad(value_loss, has_aux=True)(
            state["value"]
        )
        y = batch.rewards + self.discount * batch.goes_on * value(state["value"], s_next)

        def critic_loss(critics: tuple[MLP, MLP]) -> jax.Array:
            first, second = (jnp.mean((value(f, s, a) - y) ** 2) for f in critics)
            return (first + second) / 2

        loss_q, critic_gradient = jax.value_and_grad(critic_loss)(state["critics"])
        weight = jnp.minimum(jnp.exp(self.beta * advantage), WEIGHT_LIMIT)

        def policy_loss(policy: dict[str, Any]) -> jax.Array:
            return -jnp.mean(weight * log_likelihood(gaussian(policy, s), a))

        loss_pi, policy_gradient = jax.value_and_grad(policy_loss)(state["policy"])

        v, value_optimizer = adam_step(
            self.rate, value_gradient, state["value_optimizer"], state["value"]
        )
        critics, critic_optimizer = adam_step(
            self.rate, critic_gradient, state["critic_optimizer"], state["critics"]
        )
        metrics = {
            "value_loss": loss_v,
            "critic_loss": loss_q,
            "policy_loss": loss_pi,
            "value": q.mean(),
            "weight": weight.mean(),
        }
        return self.step_policy(state, policy_gradient) | {
            "value": v,
            "value_optimizer": value_optimizer,
            "critics": critics,
            "targets": moving_average(state["targets"], critics, self.target_rate),
            "critic_optimizer": critic_optimizer,
        }, metrics


def reward_scale(dataset: Dataset) -> float:
    """1000/(max return − min return); 1 where all returns are equal, as under zero rewards."""
    returns = dataset.returns
    spread = float(returns.max() - returns.min())
    return 1000 / spread if spread > 0 else 1.0
