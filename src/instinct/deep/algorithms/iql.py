"""IQL: implicit Q-learning.

Kostrikov, Nair and Levine, "Offline Reinforcement Learning with Implicit Q-Learning", ICLR 2022,
arXiv:2110.06169.

Every step, all with the V of the step before:

1. V: min E[|τ − 1(u < 0)|·u²], u = min of the target critics at (s, a) − V(s).
2. Critics: min E[(f(s, a) − (r + γ·V(s′)))²], the mean over both.
3. Policy: min E[−min(exp(β·u), 100)·log π(a|s)].
4. The target critics follow the critics.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Dataset
from instinct.deep.algorithms.algorithm import (
    Batch,
    CriticView,
    Data,
    Metrics,
    State,
    Weights,
    hyperparameters,
    sizes,
)
from instinct.deep.algorithms.bc import QUICK_GAUSSIAN, GaussianPolicy
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.nn.networks import (
    MLP,
    Twins,
    critics_init,
    mlp_init,
    moving_average,
    twin_minimum,
    value,
)
from instinct.deep.nn.optimizer import Learner, new_learner

WEIGHT_LIMIT = 100.0
"""The largest weight of an action in the loss of the policy."""


class IQLState(NamedTuple):
    """The training state of IQL."""

    policy: Learner[Any]
    critics: Learner[Twins]
    targets: Twins
    value: Learner[MLP]


@hyperparameters
class IQL(GaussianPolicy):
    """V is an upper expectile of Q over the data's actions; the policy clones good actions.

    With `scale_rewards`, rewards are multiplied by 1000/(max return − min return), as is usual for
    locomotion. If all returns are equal, rewards are not scaled.
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
        return Data(data.rows, {"rewards": data.rewards["rewards"] * scale})

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> IQLState:
        del warm
        n, m = sizes(data)
        policy_key, critic_key, value_key = jax.random.split(key, 3)
        discrete = self.ACTIONS == "discrete"
        critics = critics_init(critic_key, n, m, self.layers, self.units, per_action=discrete)
        v = mlp_init(value_key, [n, *[self.units] * self.layers, 1])
        return IQLState(
            policy=new_learner(self.init_policy(policy_key, n, m)),
            critics=new_learner(critics),
            targets=jax.tree.map(jnp.copy, critics),
            value=new_learner(v),
        )

    def update(self, state: IQLState, batch: Batch, key: jax.Array) -> tuple[IQLState, Metrics]:
        del key
        s, a, s_next = batch.observations, batch.actions, batch.next_observations
        q = twin_minimum(state.targets, s, a)

        def value_loss(v: MLP) -> tuple[jax.Array, jax.Array]:
            advantage = q - value(v, s)
            weight = jnp.where(advantage < 0, 1 - self.tau, self.tau)
            return jnp.mean(weight * advantage**2), advantage

        (loss_v, advantage), value_gradient = jax.value_and_grad(value_loss, has_aux=True)(
            state.value.params
        )
        y = batch.rewards + self.discount * batch.goes_on * value(state.value.params, s_next)

        def critic_loss(critics: Twins) -> jax.Array:
            first, second = (jnp.mean((value(f, s, a) - y) ** 2) for f in critics)
            return (first + second) / 2

        loss_q, critic_gradient = jax.value_and_grad(critic_loss)(state.critics.params)
        weight = jnp.minimum(jnp.exp(self.beta * advantage), WEIGHT_LIMIT)

        def policy_loss(policy: Any) -> jax.Array:
            return -jnp.mean(weight * self.log_likelihood(policy, s, a))

        loss_pi, policy_gradient = jax.value_and_grad(policy_loss)(state.policy.params)

        critics = state.critics.step(self.rate, critic_gradient)
        after = IQLState(
            policy=self.step_policy(state.policy, policy_gradient),
            critics=critics,
            targets=moving_average(state.targets, critics.params, self.target_rate),
            value=state.value.step(self.rate, value_gradient),
        )
        metrics = {
            "value_loss": loss_v,
            "critic_loss": loss_q,
            "policy_loss": loss_pi,
            "value": q.mean(),
            "weight": weight.mean(),
        }
        return after, metrics

    def critics_of(self, state: IQLState) -> CriticView:
        return CriticView(state.critics.params)

    def weights(self, state: IQLState) -> Weights:
        return {"policy": state.policy.params}


def reward_scale(dataset: Dataset) -> float:
    """Return 1000/(max return − min return), or 1 if all returns are equal (zero rewards)."""
    returns = dataset.returns
    spread = float(returns.max() - returns.min())
    return 1000 / spread if spread > 0 else 1.0
