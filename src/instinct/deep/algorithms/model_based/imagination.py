"""What all agents share that learn from rollouts of their own in the learned model.

Rollouts move with the training: every step moves each of them by one step of the model, and their
transitions go to a buffer (`rollouts`). A row of a batch is a recorded transition with probability
`real_share`, otherwise one from the buffer.
"""

from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp

from instinct.data import Dataset
from instinct.deep.algorithms.algorithm import Batch, Data, State, batch_of, hyperparameters
from instinct.deep.algorithms.fields import setting
from instinct.deep.algorithms.model_based.dynamics import ModelSettings, prepare_for_model
from instinct.deep.algorithms.model_based.rollouts import (
    ENDS,
    HEALTHY,
    Imagined,
    Model,
    Rollouts,
    advance,
    draw,
    imagine,
)
from instinct.deep.nn.networks import MLP
from instinct.deep.nn.optimizer import Learner
from instinct.errors import BadInput


class Recorded(NamedTuple):
    """Recorded transitions, which rows of the batch they are for, and all the data."""

    transitions: Batch
    real: jax.Array
    data: Data


class MixedBatch(NamedTuple):
    """Recorded and imagined transitions, and which of them are recorded."""

    transitions: Batch
    real: jax.Array


class Imagining(Protocol):
    """A training state with a policy, a model and rollouts in it."""

    @property
    def policy(self) -> Learner[MLP]: ...
    @property
    def model(self) -> Model: ...
    @property
    def rollouts(self) -> Rollouts: ...


@hyperparameters
class Imagination(ModelSettings):
    """Rollouts of the policy in the model, beside the data.

    `rollouts` of them are under way, each of at most `horizon` steps; the buffer has their last
    `buffer` transitions. The settings of the model begin with `model_`; it has `members` networks.
    The rewards of the label are learned in `reward_steps`. With `ends` "withheld" no rollout ends;
    with the name of a task they end by its own rule, which no agent can know from data.
    """

    real_share: float = setting(0.05, at_least=0, at_most=1)
    horizon: float = setting(5.0, at_least=1)
    rollouts: int = setting(256, above=0)
    buffer: int = setting(250_000, above=0)
    ends: str = setting("learned", words=ENDS)
    reward_steps: int = setting(50_000, above=0)

    def prepare(self, dataset: Dataset) -> Data:
        size = dataset.observations.shape[1]
        if self.ends in HEALTHY and size != HEALTHY[self.ends].observations:
            raise BadInput(
                f"ends={self.ends} is the rule of a task with {HEALTHY[self.ends].observations} "
                f"observations, and the data have {size}"
            )
        return prepare_for_model(dataset)

    def draw(self, policy: MLP, s: jax.Array, noise: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return actions of π and log π."""
        raise NotImplementedError

    def imagined(self, state: State, found: Imagined) -> Batch:
        """Return imagined transitions with the algorithm's pessimism."""
        del state
        return found.batch

    def play(self, state: Imagining, data: Data, key: jax.Array) -> Rollouts:
        """Move all rollouts by one step of the model."""
        shape = (self.rollouts, data.rows["actions"].shape[-1])

        def step(s: jax.Array, key: jax.Array) -> Batch:
            action_key, model_key = jax.random.split(key)
            actions, _ = self.draw(state.policy.params, s, jax.random.normal(action_key, shape))
            return self.imagined(state, imagine(state.model, s, actions, self.ends, model_key))

        return advance(state.rollouts, data, step, self.horizon, key)

    def sample(self, state: State, data: Data, key: jax.Array) -> Recorded:
        """Draw recorded transitions; a row is one of them with probability `real_share`."""
        del state
        real_key, row_key = jax.random.split(key)
        real = jax.random.uniform(real_key, (self.batch_size,)) < self.real_share
        rows = len(data.rows["observations"])
        index = jax.random.randint(row_key, (self.batch_size,), 0, rows)
        return Recorded(batch_of(data, index), real, data)

    def mix(self, state: Imagining, batch: Recorded, key: jax.Array) -> MixedBatch:
        """Fill the rows that are not recorded from the buffer.

        It is read after rollouts wrote to it; the other way around it would be copied every step.
        """
        imagined = draw(state.rollouts, self.batch_size, key)

        def choose(one: jax.Array, other: jax.Array) -> jax.Array:
            return jnp.where(batch.real.reshape(-1, *[1] * (one.ndim - 1)), one, other)

        return MixedBatch(jax.tree.map(choose, batch.transitions, imagined), batch.real)


def mean_where(x: jax.Array, chosen: jax.Array) -> jax.Array:
    """Return the mean over the chosen rows, 0 if there are none."""
    return jnp.sum(x * chosen) / jnp.maximum(jnp.sum(chosen), 1)
