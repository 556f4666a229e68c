"""An ensemble that is fitted to the data once, and that the estimators share.

Every member takes (s, a) through layers with ReLU and LayerNorm to its features φ(s, a), and from
these predicts the change of the state, the signals of a step and the recorded returns to go, all
with their variances, and whether the episode ends there. It learns from its own bootstrap sample of
the episodes.

Means are fitted by the squared error, whatever the variances are: the Gaussian likelihood of a
target is weighted by its variance (Seitzer et al., "On the Pitfalls of Heteroscedastic Uncertainty
Estimation with Probabilistic Neural Networks", ICLR 2022, arXiv:2203.09168).

LayerNorm keeps the features bounded far from the data (Ball et al., "Efficient Online Reinforcement
Learning with Offline Data", arXiv:2302.02948).
"""

from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Array
from instinct.deep import Algorithm, Data, Learner, Metrics, hyperparameters, new_learner, setting
from instinct.deep.algorithms.model_based.dynamics import variance_loss
from instinct.deep.algorithms.returns import monte_carlo_returns
from instinct.deep.nn.networks import MLP, linear, mlp_init
from instinct.deep.nn.optimizer import cosine
from instinct.deep.training.loop import advance, begin
from instinct.errors import InstinctError
from instinct.estimate.problem import BATCH, Problem, Signal

CONSTANT = 1e-6
"""A column with a smaller deviation is constant."""


class Scale(NamedTuple):
    """Mean and deviation of columns."""

    mean: Array
    std: Array

    def standardize(self, x: Any) -> Any:
        return (x - self.mean) / self.std

    def restore(self, x: Any) -> Any:
        return x * self.std + self.mean


class Sample(NamedTuple):
    """A batch; `weights` has one row per member."""

    inputs: jax.Array
    targets: jax.Array
    ends: jax.Array
    weights: jax.Array


@hyperparameters
class Fit(Algorithm):
    """Fit means and variances of standardized targets, and ends by cross entropy."""

    steps: int = setting(20_000, above=0)
    batch_size: int = setting(BATCH, above=0)
    layers: int = setting(3, above=0)
    units: int = setting(128, above=0)
    rate: float = setting(1e-3, above=0)

    PESSIMISTIC: ClassVar[bool] = False

    def init(self, key: jax.Array, data: Data, warm: Any = None) -> Learner[MLP]:
        del warm
        rows = data.rows
        outputs = 2 * rows["targets"].shape[1] + 1
        sizes = [rows["inputs"].shape[1], *[self.units] * self.layers, outputs]
        keys = jax.random.split(key, len(rows["episode_weights"]))
        return new_learner(jax.vmap(lambda each: mlp_init(each, sizes))(keys))

    def sample(self, state: Learner[MLP], data: Data, key: jax.Array) -> Sample:
        del state
        rows = data.rows
        index = jax.random.randint(key, (self.batch_size,), 0, len(rows["inputs"]))
        weights = rows["episode_weights"][:, rows["episode_numbers"][index]]
        return Sample(rows["inputs"][index], rows["targets"][index], rows["ends"][index], weights)

    def update(
        self, state: Learner[MLP], batch: Sample, key: jax.Array
    ) -> tuple[Learner[MLP], Metrics]:
        del key

        def loss(networks: MLP) -> jax.Array:
            means, log_variances, logits = predict(networks, batch.inputs)
            squares = (means - batch.targets) ** 2
            crosses = jax.nn.softplus(logits) - batch.ends * logits
            losses = jnp.sum(squares + variance_loss(squares, log_variances), axis=-1) + crosses
            return jnp.sum(jnp.mean(batch.weights * losses, axis=-1))

        value, gradient = jax.value_and_grad(loss)(state.params)
        rate = cosine(self.rate, state.optimizer, self.steps)
        return state.step(rate, gradient), {"loss": value}


class Model(NamedTuple):
    """The fitted ensemble; `networks` is a stack of members."""

    networks: MLP
    states: Scale
    targets: Scale
    signals: tuple[str, ...]
    """The quantities whose step by step values are predicted, after the change of the state."""

    @property
    def state_size(self) -> int:
        return len(self.states.mean)

    def inputs(self, observations: Any, actions: Any) -> jax.Array:
        return jnp.concatenate([self.states.standardize(observations), actions], axis=-1)


def features(network: MLP, inputs: jax.Array) -> jax.Array:
    """Return φ(s, a) of one member."""
    x = inputs
    for layer in network[:-1]:
        x = jax.nn.relu(layer_norm(linear(layer, x)))
    return x


class Prediction(NamedTuple):
    """The predictions of all members at the same pairs, [members, rows, targets]."""

    means: jax.Array
    """Standardized targets, the change of the state first."""
    log_variances: jax.Array
    logits: jax.Array
    """Of an end, [members, rows]."""


def predict(networks: MLP, inputs: jax.Array) -> Prediction:
    """Return what all members predict."""

    def outputs_of(network: MLP) -> jax.Array:
        return linear(network[-1], features(network, inputs))

    outputs = jax.vmap(outputs_of)(networks)
    targets = outputs.shape[-1] // 2
    return Prediction(outputs[..., :targets], outputs[..., targets:-1], outputs[..., -1])


def layer_norm(x: jax.Array) -> jax.Array:
    """Standardize every row."""
    centered = x - x.mean(axis=-1, keepdims=True)
    return centered * jax.lax.rsqrt(jnp.mean(centered**2, axis=-1, keepdims=True) + 1e-5)


def step_signals(problem: Problem) -> list[Signal]:
    """Return the signals that differ step by step: the reward and the cost."""
    return [each for each in problem.signals if each.quantity in ("return", "cost")]


def fit(problem: Problem, **settings: Any) -> Model:
    """Fit the ensemble in the compiled loop."""
    states = scale_of(problem.observations)
    change = states.standardize(problem.next_observations) - states.standardize(
        problem.observations
    )
    predicted = step_signals(problem)
    columns = [each.values[:, None] for each in predicted]
    returns = [recorded_returns(problem, each.values)[:, None] for each in problem.signals]
    targets = np.concatenate([change, *columns, *returns], axis=1)
    target_scale = scale_of(targets)
    rows = {
        "inputs": np.concatenate([states.standardize(problem.observations), problem.actions], 1),
        "targets": target_scale.standardize(targets),
        "ends": problem.dataset.terminals.astype(np.float32),
        "episode_numbers": problem.episode_numbers,
        "episode_weights": problem.episode_weights,
    }
    chosen = {"steps": problem.steps(Fit.steps)} | settings
    algorithm: Fit = jax.tree.map(jnp.asarray, Fit(**chosen))
    data = jax.tree.map(jnp.asarray, Data(rows, {}))
    key = jax.random.key(problem.seed)
    state = begin(algorithm, key, data, None)
    state, _, bad = advance(algorithm, state, data, key, 0, algorithm.steps)
    if int(bad) >= 0:
        raise InstinctError(f"fitting the ensemble diverged at step {int(bad)}")
    return Model(state.params, states, target_scale, tuple(each.quantity for each in predicted))


def recorded_returns(problem: Problem, values: Array) -> Array:
    """Return the discounted sum of a signal from every row on."""
    told = replace(problem.dataset, rewards=values, has_rewards=True)
    return monte_carlo_returns(told, problem.discount, 0.0)


def scale_of(columns: Array) -> Scale:
    """Return mean and deviation of columns; one that is constant is not scaled."""
    std = columns.std(axis=0, dtype=np.float64)
    std = np.where(std > CONSTANT, std, 1.0)
    return Scale(columns.mean(axis=0, dtype=np.float64).astype(np.float32), std.astype(np.float32))
