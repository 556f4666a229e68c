"""What ATAC and PSPI share: the game of a policy against twin critics, and its warm start.

The warm start clones the behaviour policy (`Cloning`), then fits the critics to the cloned policy
by the Bellman error alone (`Evaluation`). Neither depends on β, and the first not on rewards.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from instinct.data import Dataset
from instinct.deep.algorithms.algorithm import (
    Algorithm,
    Batch,
    Data,
    Metrics,
    State,
    combine,
    hyperparameters,
    sizes,
)
from instinct.deep.algorithms.fields import Setting, setting
from instinct.deep.algorithms.standardize import scaling, standardised, unscaled
from instinct.deep.nn.networks import (
    MLP,
    mlp,
    moving_average,
    scaled_tanh_gaussian,
    scaled_tanh_gaussian_init,
    squashed_log_prob,
    squashed_sample,
    twin_minimum,
    twins_init,
    value,
)
from instinct.deep.nn.optimizer import EPSILON, Adam, adam_init, adam_step

Pair = tuple[jax.Array, jax.Array]
WEIGHT_NORM = 100.0
QUICK_GAME: dict[str, Setting] = {
    "layers": 3,
    "units": 64,
    "batch_size": 64,
    "steps": 50_000,
    "warm_start_steps": 20_000,
    "value_scale": 0.01,
    "unit_rewards": True,
    "fast_rate": 2e-3,
    "slow_rate": 5e-6,
    "policy_average": 1e-4,
}
"""The quick settings that ATAC and PSPI share."""


@hyperparameters
class Cloning(Algorithm):
    """The scaled tanh-Gaussian policy that makes the data's actions most likely.

    With `standardize` all learning is from observations of mean 0 and deviation 1. `epsilon` is
    Adam's, here and in what starts from the clone.
    """

    steps: int = setting(100_000, above=0)
    layers: int = setting(3, above=0)
    units: int = setting(256, above=0)
    standardize: bool = setting(False, added=True)
    action_scale: float = setting(1.0, above=0)
    fast_rate: float = setting(5e-4, above=0)
    epsilon: float = setting(EPSILON, above=0, added=True)

    READS_REWARDS: ClassVar[bool] = False

    def prepare(self, dataset: Dataset) -> Data:
        data = super().prepare(dataset)
        return standardised(data) if self.standardize else data

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> State:
        del warm
        policy = scaled_tanh_gaussian_init(key, *sizes(data), self.layers, self.units)
        return {"policy": policy, "policy_optimizer": adam_init(policy), **scaling(data)}

    def update(self, state: State, batch: Batch, key: jax.Array) -> tuple[State, Metrics]:
        del key

        def loss(policy: MLP) -> jax.Array:
            normal = scaled_tanh_gaussian(policy, batch.observations)
            return -squashed_log_prob(normal, batch.actions, self.action_scale).mean()

        cloning_loss, gradient = jax.value_and_grad(loss)(state["policy"])
        policy, optimizer = self.descend(
            self.fast_rate, gradient, state["policy_optimizer"], state["policy"]
        )
        state = state | {"policy": policy, "policy_optimizer": optimizer}
        return state, {"cloning_loss": cloning_loss}

    def descend(self, rate: float, gradient: Any, adam: Adam, parameters: Any) -> tuple[Any, Adam]:
        return adam_step(rate, gradient, adam, parameters, epsilon=self.epsilon)

    def weights(self, state: State) -> State:
        return {"policy": unscaled(state["policy"], state)}

    def mode(self, weights: State, observations: jax.Array) -> jax.Array:
        return self.action_scale * jnp.tanh(
            scaled_tanh_gaussian(weights["policy"], observations).mean
        )


@hyperparameters
class Evaluation(Cloning):
    """Twin critics fitted to the cloned policy by the Bellman error.

    Rewards and values are multiplied with `value_scale`; with `unit_rewards` also divided by
    max(1, max |r|), so that one β means the same for rewards of any size.
    """

    discount: float = setting(0.99, above=0, below=1)
    residual_weight: float = setting(0.5, at_least=0, at_most=1)
    target_rate: float = setting(0.005, above=0, below=1)
    value_scale: float = setting(1.0, above=0)
    unit_rewards: bool = setting(False)

    READS_REWARDS: ClassVar[bool] = True

    def warm_start(self) -> Algorithm | None:
        return Cloning(**{field.name: getattr(self, field.name) for field in fields(Cloning)})

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> State:
        assert warm is not None
        critics = twins_init(key, sum(sizes(data)), self.layers, self.units)
        scale = self.scale(data)
        v_min, v_max = self.bounds(data, scale)
        return {
            "policy": warm["policy"],
            "critics": critics,
            "targets": jax.tree.map(jnp.copy, critics),
            "critic_optimizer": adam_init(critics),
            "scale": scale,
            "v_min": v_min,
            "v_max": v_max,
            **scaling(data),
        }

    def scale(self, data: Data) -> jax.Array:
        """What rewards and values are multiplied with."""
        r = data.told["rewards"]
        unit = jnp.maximum(1, jnp.abs(r).max()) if self.unit_rewards else jnp.ones(())
        return self.value_scale / unit

    def bounds(self, data: Data, scale: jax.Array) -> Pair:
        """V_min = 2/(1−γ)·min(−1, r_min) and V_max = 2/(1−γ)·max(1, r_max), scaled."""
        horizon = 2 * scale / (1 - self.discount)
        r = data.told["rewards"]
        return horizon * jnp.minimum(-1, r.min()), horizon * jnp.maximum(1, r.max())

    def backup(self, state: State, batch: Batch, f_next: jax.Array) -> jax.Array:
        """clip(r + γ·f(s′, a′), V_min, V_max); only r where the world ended."""
        r = state["scale"] * batch.rewards
        return jnp.clip(r + self.discount * batch.goes_on * f_next, state["v_min"], state["v_max"])

    def target(self, state: State, batch: Batch, next_actions: jax.Array) -> jax.Array:
        """y, the backup of the smaller of the two target critics."""
        f_next = twin_minimum(state["targets"], batch.next_observations, next_actions)
        return self.backup(state, batch, f_next)

    def bellman_loss(
        self, state: State, batch: Batch, f: jax.Array, f_next: jax.Array, y: jax.Array
    ) -> jax.Array:
        """(1−w)·(f − y)² + w·(f − backup of f itself)², with the gradient through both sides."""
        target_error = jnp.mean((f - y) ** 2)
        residual_error = jnp.mean((f - self.backup(state, batch, f_next)) ** 2)
        w = self.residual_weight
        return (1 - w) * target_error + w * residual_error

    def step_critics(self, state: State, gradient: tuple[MLP, MLP]) -> State:
        """Adam, every weight matrix back into its norm ball, then the target critics."""
        critics, optimizer = self.descend(
            self.fast_rate, gradient, state["critic_optimizer"], state["critics"]
        )
        critics = jax.tree.map(into_ball, critics)
        targets = moving_average(state["targets"], critics, self.target_rate)
        return {"critics": critics, "targets": targets, "critic_optimizer": optimizer}

    def update(self, state: State, batch: Batch, key: jax.Array) -> tuple[State, Metrics]:
        noise = jax.random.normal(key, batch.actions.shape)
        next_actions, _ = squashed_sample(
            scaled_tanh_gaussian(state["policy"], batch.next_observations), noise, self.action_scale
        )
        y = self.target(state, batch, next_actions)
        pairs = (batch.observations, batch.actions), (batch.next_observations, next_actions)

        def loss(critics: tuple[MLP, MLP]) -> jax.Array:
            total = jnp.zeros(())
            for head in critics:
                f, f_next = at(head, *pairs)
                total = total + self.bellman_loss(state, batch, f, f_next, y)
            return total

        bellman_loss, gradient = jax.value_and_grad(loss)(state["critics"])
        return state | self.step_critics(state, gradient), {"bellman_loss": bellman_loss}


@hyperparameters
class ActorCritic(Evaluation):
    """max over π, min over f of the pessimism about π, β times the Bellman error added.

    The policy moves slowly and maximises a critic that has just answered it. What acts in the end
    is an exponential average of its weights with the rate `policy_average`; 1, the paper's, is the
    last policy itself. The weight α of its entropy starts at `entropy_weight`.
    """

    steps: int = setting(1_000_000, above=0)
    warm_start_steps: int = setting(100_000, above=0)
    beta: float = setting(1.0, above=0)
    slow_rate: float = setting(5e-7, above=0)
    policy_average: float = setting(1.0, above=0, at_most=1)
    entropy_weight: float = setting(1.0, above=0, added=True)

    GRID: ClassVar[Mapping[str, tuple[float, ...]]] = {"beta": (0.1, 1.0, 10.0, 100.0)}

    def warm_start(self) -> Algorithm | None:
        same = {field.name: getattr(self, field.name) for field in fields(Evaluation)}
        return Evaluation(**same | {"steps": self.warm_start_steps})

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> State:
        """Policy, critics and target critics go on from the warm start; optimizers are fresh."""
        del key, data
        assert warm is not None
        log_alpha = jnp.log(jnp.asarray(self.entropy_weight, jnp.float32))
        return warm | {
            "average": jax.tree.map(jnp.copy, warm["policy"]),
            "critic_optimizer": adam_init(warm["critics"]),
            "policy_optimizer": adam_init(warm["policy"]),
            "log_alpha": log_alpha,
            "alpha_optimizer": adam_init(log_alpha),
        }

    def weights(self, state: State) -> State:
        return {"policy": unscaled(state["average"], state)}

    def pessimism(self, f: jax.Array, f_policy: jax.Array) -> jax.Array:
        """What the critic minimises besides the Bellman error, from f(s, a) and f(s, π)."""
        raise NotImplementedError

    def update(self, state: State, batch: Batch, key: jax.Array) -> tuple[State, Metrics]:
        s, s_next, c = batch.observations, batch.next_observations, self.action_scale
        noise, next_noise = jax.random.normal(key, (2, *batch.actions.shape))

        (actions, log_pi), into_policy = jax.vjp(
            lambda policy: squashed_sample(scaled_tanh_gaussian(policy, s), noise, c),
            state["policy"],
        )
        next_actions, _ = squashed_sample(
            scaled_tanh_gaussian(state["policy"], s_next), next_noise, c
        )

        y = self.target(state, batch, next_actions)
        pairs = (s, batch.actions), (s_next, next_actions), (s, actions)

        def critic_loss(critics: tuple[MLP, MLP]) -> tuple[jax.Array, Metrics]:
            total, metrics = jnp.zeros(()), {}
            for head in critics:
                f, f_next, f_policy = at(head, *pairs)
                pessimism = self.pessimism(f, f_policy)
                bellman = self.bellman_loss(state, batch, f, f_next, y)
                total = total + combine(pessimism, bellman, self.beta)
                metrics = {"pessimism": pessimism, "bellman_loss": bellman, "value": f.mean()}
            return total, metrics

        (loss, metrics), gradient = jax.value_and_grad(critic_loss, has_aux=True)(state["critics"])
        state = state | self.step_critics(state, gradient)

        entropy = -log_pi.mean()
        surplus = entropy + batch.actions.shape[-1]
        log_alpha, alpha_optimizer = self.descend(
            self.fast_rate, surplus, state["alpha_optimizer"], state["log_alpha"]
        )
        alpha = jnp.exp(log_alpha)

        def policy_loss(actions: jax.Array, log_pi: jax.Array) -> jax.Array:
            return combine(-value(state["critics"][1], s, actions).mean(), log_pi.mean(), alpha)

        loss_of_policy, into_sample = jax.value_and_grad(policy_loss, argnums=(0, 1))(
            actions, log_pi
        )
        (policy_gradient,) = into_policy(into_sample)
        policy, policy_optimizer = self.descend(
            self.slow_rate, policy_gradient, state["policy_optimizer"], state["policy"]
        )
        metrics |= {
            "critic_loss": loss,
            "policy_loss": loss_of_policy,
            "entropy": entropy,
            "log_alpha": log_alpha,
        }
        return state | {
            "policy": policy,
            "average": jax.tree.map(
                lambda old, new: (1 - self.policy_average) * old + self.policy_average * new,
                state["average"],
                policy,
            ),
            "policy_optimizer": policy_optimizer,
            "log_alpha": log_alpha,
            "alpha_optimizer": alpha_optimizer,
        }, metrics


def at(head: MLP, *pairs: Pair) -> list[jax.Array]:
    """f at several batches of (s, a), in one pass."""
    inputs = jnp.concatenate([jnp.concatenate(pair, axis=-1) for pair in pairs])
    return jnp.split(mlp(head, inputs)[:, 0], len(pairs))


def into_ball(array: jax.Array) -> jax.Array:
    """A weight matrix scaled down to Frobenius norm 100 where it exceeds it; a bias as it is."""
    if array.ndim < 2:
        return array
    return array * jnp.minimum(1, WEIGHT_NORM / jnp.sqrt(jnp.sum(array**2)))
