"""An ensemble of networks that predicts the next state and whether the episode ends.

Chua, Calandra, McAllister and Levine, "Deep Reinforcement Learning in a Handful of Trials using
Probabilistic Dynamics Models", NeurIPS 2018, arXiv:1805.12114.

Every member predicts a Gaussian of the change Δ = s′ − s, in units of the data's changes, and the
probability of an end. On its own random batches it minimizes

    E[Σ over dimensions of (μ − Δ)² + σ²·((μ − Δ)²/σ² + log σ²)] + E[cross entropy of the end],

where μ learns from the first square alone and log σ² from the rest, without its factor σ². The
plain likelihood gives up on what is hard to predict (Seitzer et al., "On the Pitfalls of
Heteroscedastic Uncertainty Estimation with Probabilistic Neural Networks", ICLR 2022,
arXiv:2203.09168). log σ² is between two learned bounds that are kept close to each other. Rewards
have no part in it: all labels share the model.
"""

from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Array, Dataset
from instinct.deep.algorithms.algorithm import (
    Algorithm,
    Data,
    Metrics,
    State,
    Weights,
    hyperparameters,
    sizes,
    transitions,
)
from instinct.deep.algorithms.fields import setting
from instinct.deep.algorithms.standardize import LEAST, standardized
from instinct.deep.nn.networks import MLP, linear, mlp_init
from instinct.deep.nn.optimizer import Learner, cosine, new_learner

HELD_OUT_SHARE, HELD_OUT_MOST = 0.1, 5000
"""At most this share of the rows, and so many, judge the members instead of teaching them."""
CLOSENESS = 0.01
"""The weight of the distance between the bounds of log σ²."""
FIRST_BOUNDS = (-10.0, 0.5)
"""The bounds of log σ² before they have learned."""


class Networks(NamedTuple):
    """The members, stacked, and the bounds of log σ² by dimension, which they share."""

    layers: MLP
    least: jax.Array
    most: jax.Array


class Prediction(NamedTuple):
    """The predictions of all members for the same pairs (s, a), [members, rows, dimensions]."""

    means: jax.Array
    """Of the change of the state, in deviations of the data's changes."""
    log_variances: jax.Array
    ends: jax.Array
    """Logits of an end, [members, rows]."""


class Steps(NamedTuple):
    """A batch of every member, [members, rows, …]."""

    inputs: jax.Array
    changes: jax.Array
    ends: jax.Array


@hyperparameters
class Dynamics(Algorithm):
    """The ensemble that all model-based agents play in; its defaults are MOPO's."""

    steps: int = setting(200_000, above=0)
    members: int = setting(7, above=0)
    layers: int = setting(4, above=0)
    units: int = setting(200, above=0)
    rate: float = setting(1e-3, above=0)

    READS_REWARDS: ClassVar[bool] = False
    PESSIMISTIC: ClassVar[bool] = False

    def prepare(self, dataset: Dataset) -> Data:
        return prepare_for_model(dataset)

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> Learner[Networks]:
        del warm
        n, m = sizes(data)
        shape = [n + m, *[self.units] * self.layers, 2 * n + 1]
        layers = jax.vmap(lambda each: mlp_init(each, shape))(jax.random.split(key, self.members))
        return new_learner(Networks(layers, *(jnp.full(n, bound) for bound in FIRST_BOUNDS)))

    def sample(self, state: Learner[Networks], data: Data, key: jax.Array) -> Steps:
        """Draw a batch for every member, from rows that are not held out."""
        del state
        rows = data.rows
        place = jax.random.randint(
            key, (self.members, self.batch_size), held_out_rows(data), len(rows["order"])
        )
        index = rows["order"][place]
        s, a = rows["observations"][index], rows["actions"][index]
        ends = 1 - rows["goes_on"][index]
        return Steps(jnp.concatenate([s, a], axis=-1), changes(data, index), ends)

    def update(
        self, state: Learner[Networks], batch: Steps, key: jax.Array
    ) -> tuple[Learner[Networks], Metrics]:
        del key
        (losses, squares), gradient = model_gradient(state.params, batch)
        rate = cosine(self.rate, state.optimizer, self.steps)
        metrics = {"change_error": squares.mean(), "model_loss": losses.sum()}
        return state.step(rate, gradient), metrics

    def weights(self, state: Learner[Networks]) -> Weights:
        return {"model": state.params._asdict()}


@hyperparameters
class ModelSettings(Algorithm):
    """The settings of the dynamics, for all that comes after them."""

    model_steps: int = setting(200_000, above=0)
    model_batch: int = setting(256, above=0)
    model_layers: int = setting(4, above=0)
    model_units: int = setting(200, above=0)
    model_rate: float = setting(1e-3, above=0)
    members: int = setting(7, above=0)

    def dynamics(self) -> Dynamics:
        """Return the stage that learns the dynamics."""
        return Dynamics(
            steps=self.model_steps,
            batch_size=self.model_batch,
            layers=self.model_layers,
            units=self.model_units,
            rate=self.model_rate,
            members=self.members,
        )


def prepare_for_model(dataset: Dataset) -> Data:
    """Return standardized transitions, the scale of the changes, and which rows are held out.

    The first rows of `order` are held out. It is the same for every label and seed.
    """
    data = standardized(transitions(dataset))
    differences = data.rows["next_observations"] - data.rows["observations"]
    deviations = np.maximum(differences.std(axis=0), LEAST)
    order = np.random.default_rng(0).permutation(len(differences)).astype(np.int32)
    return Data(
        data.rows
        | {
            "change_mean": differences.mean(axis=0),
            "change_std": deviations,
            "order": order,
        },
        data.rewards,
    )


def held_out_rows(data: Data) -> int:
    """Return how many rows are held out."""
    return min(int(HELD_OUT_SHARE * len(data.rows["order"])), HELD_OUT_MOST)


def changes(data: Data, index: Any) -> jax.Array:
    """Return the changes of these rows in deviations of the data's changes."""
    rows = data.rows
    difference = rows["next_observations"][index] - rows["observations"][index]
    scaled: jax.Array = (difference - rows["change_mean"]) / rows["change_std"]
    return scaled


def predict(networks: Networks, s: jax.Array, a: jax.Array) -> Prediction:
    """Return what all members predict at the pairs (s, a)."""
    inputs = jnp.concatenate([s, a], axis=-1)
    found = jax.vmap(one_member, (0, None, None, None))(
        networks.layers, inputs, networks.least, networks.most
    )
    return Prediction(*found)


def one_member(
    layers: MLP, inputs: jax.Array, least: jax.Array, most: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return the mean, the log-variance within its bounds and the logit of an end."""
    x = inputs
    for layer in layers[:-1]:
        x = jax.nn.silu(linear(layer, x))
    outputs = linear(layers[-1], x)
    n = least.shape[-1]
    mean, raw, logit = outputs[..., :n], outputs[..., n:-1], outputs[..., -1]
    raw = most - jax.nn.softplus(most - raw)
    return mean, least + jax.nn.softplus(raw - least), logit


def model_gradient(
    networks: Networks, batch: Steps
) -> tuple[tuple[jax.Array, jax.Array], Networks]:
    """Return the loss and the mean squared error of every member, and the gradient of their sum.

    The members come one after the other, so that the arrays of each fit into the processor's cache.
    """

    def loss(networks: Networks, steps: Steps) -> tuple[jax.Array, jax.Array]:
        found = one_member(networks.layers, steps.inputs, networks.least, networks.most)
        losses, squares = row_losses(Prediction(*found), steps.changes, steps.ends)
        return losses.mean() + closeness(networks) / len(batch.ends), squares.mean()

    def of_member(own: tuple[MLP, Steps]) -> Any:
        layers, steps = own
        return jax.value_and_grad(loss, has_aux=True)(networks._replace(layers=layers), steps)

    found, gradient = jax.lax.map(of_member, (networks.layers, batch))
    return found, Networks(gradient.layers, gradient.least.sum(axis=0), gradient.most.sum(axis=0))


def row_losses(
    prediction: Prediction, changes: jax.Array, ends: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Return the loss of every member at every row, and the squared errors of the means."""
    means, log_variances, logits = prediction
    squares = (means - changes) ** 2
    errors = squares + variance_loss(squares, log_variances)
    return errors.sum(axis=-1) + jax.nn.softplus(logits) - ends * logits, squares


def closeness(networks: Networks) -> jax.Array:
    """Return the weighted distance between the bounds of log σ²."""
    return CLOSENESS * jnp.sum(networks.most - networks.least)


def variance_loss(squares: jax.Array, log_variances: jax.Array) -> jax.Array:
    """Return σ²·(error²/σ² + log σ²), from which log σ² alone learns; the factor σ² is fixed."""
    squares, variances = jax.lax.stop_gradient((squares, jnp.exp(log_variances)))
    loss: jax.Array = variances * (squares * jnp.exp(-log_variances) + log_variances)
    return loss


def best_members(networks: Networks, data: Data, keep: int) -> Networks:
    """Return the members with the lowest errors on the rows that are held out."""
    index: Array | jax.Array = data.rows["order"][: max(held_out_rows(data), 1)]
    rows = data.rows
    found = predict(networks, rows["observations"][index], rows["actions"][index])
    errors = jnp.mean((found.means - changes(data, index)) ** 2, axis=(1, 2))
    chosen = jnp.argsort(errors)[:keep]
    return networks._replace(layers=jax.tree.map(lambda each: each[chosen], networks.layers))
