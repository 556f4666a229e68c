"""AWR: advantage-weighted regression, on recorded data alone.

Peng, Kumar, Zhang and Levine, "Advantage-Weighted Regression: Simple and Scalable Off-Policy
Reinforcement Learning", arXiv:1910.00177.

1. `Valuation` fits V to the discounted returns of the data: min E[(V(s) − G)²].
2. The policy clones the data's actions with weights: min E[−w·log π(a|s)], w = min(exp(A/β), 20),
   with A the advantage G^λ − V(s), scaled to mean 0 and deviation 1 over the data.

G^λ is the TD(λ) return: r + γ·((1 − λ)·V(s′) + λ·(G^λ of the next step)); after a terminal nothing
follows, and at a timeout V(s′) does. In the paper both parts alternate while data arrive. Recorded
data stay the same, and so do V, the advantages and the weights.
"""

from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Dataset
from instinct.deep.algorithms.algorithm import (
    Algorithm,
    Data,
    Metrics,
    State,
    Weights,
    hyperparameters,
    sizes,
)
from instinct.deep.algorithms.bc import QUICK_GAUSSIAN, GaussianPolicy
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.algorithms.returns import mean_value, monte_carlo_returns
from instinct.deep.algorithms.warm_start import shared_settings
from instinct.deep.nn.networks import MLP, mlp_init, value
from instinct.deep.nn.optimizer import Learner, new_learner

ROWS_AT_ONCE = 4096
"""How many states V is computed for at a time."""
SMALLEST = 1e-5
"""Added to the deviation of the advantages before they are divided by it."""


class ValueBatch(NamedTuple):
    """States with their returns."""

    observations: jax.Array
    returns: jax.Array


class WeightedBatch(NamedTuple):
    """Pairs (s, a) with their weights."""

    observations: jax.Array
    actions: jax.Array
    weights: jax.Array


class AWRState(NamedTuple):
    """The training state of AWR; the weights are those of all recorded actions."""

    policy: Learner[Any]
    action_weights: jax.Array


@hyperparameters
class Valuation(Algorithm):
    """V fitted to the discounted returns of the data; the network holds (1 − γ)·V."""

    layers: int = setting(2, above=0)
    units: int = setting(128, above=0)
    rate: float = setting(3e-4, above=0)
    discount: float = setting(0.99, above=0, below=1)

    def prepare(self, dataset: Dataset) -> Data:
        """Add the returns; a cut is a timeout like any other."""
        data, discount = super().prepare(dataset), float(self.discount)
        returns = monte_carlo_returns(dataset, discount, mean_value(dataset, discount))
        return Data(data.rows, data.rewards | {"returns": returns})

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> Learner[MLP]:
        del warm
        n, _ = sizes(data)
        return new_learner(mlp_init(key, [n, *[self.units] * self.layers, 1]))

    def sample(self, state: State, data: Data, key: jax.Array) -> ValueBatch:
        del state
        returns = data.rewards["returns"]
        index = jax.random.randint(key, (self.batch_size,), 0, len(returns))
        return ValueBatch(data.rows["observations"][index], returns[index])

    def update(
        self, state: Learner[MLP], batch: ValueBatch, key: jax.Array
    ) -> tuple[Learner[MLP], Metrics]:
        del key
        scale = 1 - self.discount

        def loss(v: MLP) -> jax.Array:
            return jnp.mean((value(v, batch.observations) - scale * batch.returns) ** 2)

        error, gradient = jax.value_and_grad(loss)(state.params)
        return state.step(self.rate, gradient), {"value_loss": error / scale**2}

    def weights(self, state: Learner[MLP]) -> Weights:
        return {"value": state.params}


@hyperparameters
class AWR(GaussianPolicy):
    """Cloning with weights that grow with the advantage; with a large `beta` it is BC.

    `value_steps` are those of V. Optimizer and policy are those of BC: Adam, at a rate that falls
    to 0, and a deviation that is learned, where the paper has momentum and a fixed deviation.
    """

    layers: int = setting(2, above=0)
    units: int = setting(128, above=0)
    discount: float = setting(0.99, above=0, below=1)
    value_steps: int = setting(200_000, above=0)
    td_lambda: float = setting(0.95, at_least=0, at_most=1)
    beta: float = setting(1.0, above=0)
    weight_limit: float = setting(20.0, above=0)

    CITATION: ClassVar[str] = (
        "Peng, Kumar, Zhang and Levine, 'Advantage-Weighted Regression: Simple and Scalable "
        "Off-Policy Reinforcement Learning', 2019, arXiv:1910.00177"
    )
    PESSIMISTIC: ClassVar[bool] = False
    QUICK: ClassVar[Settings | None] = QUICK_GAUSSIAN | {"value_steps": 10_000}

    def warm_start(self) -> Valuation:
        return Valuation(**shared_settings(self, Valuation) | {"steps": self.value_steps})

    def prepare(self, dataset: Dataset) -> Data:
        """Add the ends of episodes to the data of V."""
        data = self.warm_start().prepare(dataset)
        ends = np.asarray(dataset.terminals | dataset.timeouts, np.float32)
        return Data(data.rows | {"ends": ends}, data.rewards)

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> AWRState:
        assert isinstance(warm, Learner)
        policy = self.init_policy(key, *sizes(data))
        return AWRState(new_learner(policy), self.action_weights(warm.params, data))

    def action_weights(self, v: MLP, data: Data) -> jax.Array:
        """Return w of every transition."""
        before, after = (
            values_of(v, data.rows[name]) / (1 - self.discount)
            for name in ("observations", "next_observations")
        )
        advantage = self.td_returns(data, after) - before
        advantage = (advantage - advantage.mean()) / (advantage.std() + SMALLEST)
        return jnp.minimum(jnp.exp(advantage / self.beta), self.weight_limit)

    def td_returns(self, data: Data, v_next: jax.Array) -> jax.Array:
        """Return G^λ of every transition, from V(s′)."""
        rows = data.rows
        going_on = self.td_lambda * (1 - rows["ends"])
        known = self.discount * rows["goes_on"] * (1 - going_on) * v_next
        first = data.rewards["rewards"] + known, self.discount * going_on
        returns, _ = jax.lax.associative_scan(chain, first, reverse=True)
        return jnp.asarray(returns)

    def sample(self, state: AWRState, data: Data, key: jax.Array) -> WeightedBatch:
        """Draw a batch; no time is spent on row numbers that do not exist."""
        rows, weights = data.rows, state.action_weights
        index = jax.random.randint(key, (self.batch_size,), 0, len(weights))
        every = rows["observations"], rows["actions"], weights
        drawn = (jnp.asarray(x).at[index].get(mode="promise_in_bounds") for x in every)
        return WeightedBatch(*drawn)

    def update(
        self, state: AWRState, batch: WeightedBatch, key: jax.Array
    ) -> tuple[AWRState, Metrics]:
        del key

        def loss(policy: Any) -> jax.Array:
            likelihood = self.log_likelihood(policy, batch.observations, batch.actions)
            return -jnp.mean(batch.weights * likelihood)

        policy_loss, gradient = jax.value_and_grad(loss)(state.policy.params)
        metrics = {"policy_loss": policy_loss, "weight": batch.weights.mean()}
        return state._replace(policy=self.step_policy(state.policy, gradient)), metrics

    def weights(self, state: AWRState) -> Weights:
        return {"policy": state.policy.params}


def values_of(v: MLP, states: jax.Array) -> jax.Array:
    """Return V of many states, a few at a time."""
    values: jax.Array = jax.lax.map(lambda s: value(v, s), states, batch_size=ROWS_AT_ONCE)
    return values


def chain(
    later: tuple[jax.Array, jax.Array], earlier: tuple[jax.Array, jax.Array]
) -> tuple[jax.Array, jax.Array]:
    """Return the two steps x ↦ b + c·x as one; each is (b, c)."""
    (b_later, c_later), (b, c) = later, earlier
    return b + c * b_later, c * c_later
