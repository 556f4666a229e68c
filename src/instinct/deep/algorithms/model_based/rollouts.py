"""Rollouts of the policy in the learned model, and the buffer of what happened in them.

A fixed number of rollouts is always under way. Every training step moves each of them by one step
of the model, under the policy of the moment, and writes the transitions to the buffer over the
oldest ones. A rollout that has ended, or is as long as it may be, starts again at a recorded state.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import Batch, Data
from instinct.deep.algorithms.model_based.dynamics import Networks, Prediction, predict
from instinct.deep.algorithms.standardize import Scaling
from instinct.deep.nn.networks import MLP, value


class Healthy(NamedTuple):
    """The height and the angle of the torso, observations 0 and 1, at which a task goes on."""

    observations: int
    low: tuple[float, float]
    high: tuple[float, float]


HEALTHY = {
    "hopper": Healthy(11, low=(0.7, -0.2), high=(1e9, 0.2)),
    "walker2d": Healthy(17, low=(0.8, -1.0), high=(2.0, 1.0)),
}
ENDS = ("learned", "withheld", *HEALTHY)


class Model(NamedTuple):
    """All that rollouts need to know about the world."""

    networks: Networks
    rewards: MLP
    least_reward: jax.Array
    most_reward: jax.Array
    change_mean: jax.Array
    change_std: jax.Array
    low: jax.Array
    high: jax.Array
    """The range of the recorded states: rollouts stay in it."""
    scaling: Scaling

    def reward(self, s: jax.Array, a: jax.Array) -> jax.Array:
        """Return r̂(s, a), within the range of the recorded rewards."""
        return jnp.clip(value(self.rewards, s, a), self.least_reward, self.most_reward)


class Imagined(NamedTuple):
    """One step of the model in every rollout, and what all members predicted there."""

    batch: Batch
    prediction: Prediction


class Rollouts(NamedTuple):
    """The rollouts under way, the buffer, and how many transitions were ever written to it."""

    states: jax.Array
    age: jax.Array
    buffer: Batch
    written: jax.Array


def make_model(networks: Networks, rewards: MLP, data: Data) -> Model:
    rows, recorded = data.rows, data.rewards["rewards"]
    return Model(
        networks,
        rewards,
        recorded.min(),
        recorded.max(),
        rows["change_mean"],
        rows["change_std"],
        rows["observations"].min(axis=0),
        rows["observations"].max(axis=0),
        Scaling(rows["mean"], rows["std"]),
    )


def new_rollouts(data: Data, key: jax.Array, number: int, capacity: int) -> Rollouts:
    """Return rollouts at recorded states, with an empty buffer for about so many transitions."""
    rows = data.rows
    steps = max(1, capacity // number)
    empty = Batch(
        *(
            jnp.zeros((steps * number, *shape))
            for shape in (
                rows["observations"].shape[1:],
                rows["actions"].shape[1:],
                (),
                rows["observations"].shape[1:],
                (),
            )
        )
    )
    start = jax.random.randint(key, (number,), 0, len(rows["observations"]))
    return Rollouts(
        jnp.asarray(rows["observations"])[start], jnp.zeros(number, int), empty, jnp.zeros((), int)
    )


def imagine(model: Model, s: jax.Array, a: jax.Array, ends: str, key: jax.Array) -> Imagined:
    """Draw the next states from random members, and whether episodes end there.

    A task's rule is asked before the state is brought back to the range of the recorded ones, in
    which nobody has fallen yet.
    """
    prediction = predict(model.networks, s, a)
    member_key, noise_key, end_key = jax.random.split(key, 3)
    members, rows = prediction.ends.shape
    chosen = jax.random.randint(member_key, (rows,), 0, members)
    mean, log_variance, logit = (each[chosen, jnp.arange(rows)] for each in prediction)
    change = mean + jnp.exp(log_variance / 2) * jax.random.normal(noise_key, mean.shape)
    s_next = s + change * model.change_std + model.change_mean
    if ends == "learned":
        ended = jax.random.uniform(end_key, (rows,)) < jax.nn.sigmoid(logit)
    elif ends == "withheld":
        ended = jnp.zeros(rows, bool)
    else:
        ended = unhealthy(s_next * model.scaling.std + model.scaling.mean, ends)
    s_next = jnp.clip(s_next, model.low, model.high)
    return Imagined(Batch(s, a, model.reward(s, a), s_next, 1.0 - ended), prediction)


def unhealthy(observations: jax.Array, task: str) -> jax.Array:
    """Tell where the task's own rule ends an episode."""
    _, low, high = HEALTHY[task]
    torso = observations[:, :2]
    return ~jnp.all((jnp.array(low) < torso) & (torso < jnp.array(high)), axis=1)


def advance(
    rollouts: Rollouts,
    data: Data,
    step: Callable[[jax.Array, jax.Array], Batch],
    horizon: jax.Array | float,
    key: jax.Array,
) -> Rollouts:
    """Move all rollouts by one `step` of the model and write down what happened."""
    step_key, start_key = jax.random.split(key)
    new = step(rollouts.states, step_key)
    number, capacity = len(rollouts.states), len(rollouts.buffer.rewards)
    place = rollouts.written % capacity
    buffer = jax.tree.map(
        lambda old, rows: jax.lax.dynamic_update_slice_in_dim(old, rows, place, axis=0),
        rollouts.buffer,
        new,
    )
    age = rollouts.age + 1
    over = (new.goes_on == 0) | (age >= horizon)
    recorded = data.rows["observations"]
    start = recorded[jax.random.randint(start_key, (number,), 0, len(recorded))]
    return Rollouts(
        states=jnp.where(over[:, None], start, new.next_observations),
        age=jnp.where(over, 0, age),
        buffer=buffer,
        written=rollouts.written + number,
    )


def draw(rollouts: Rollouts, rows: int, key: jax.Array) -> Batch:
    """Draw transitions uniformly from what was written to the buffer."""
    filled = jnp.minimum(rollouts.written, len(rollouts.buffer.rewards))
    index = jax.random.randint(key, (rows,), 0, jnp.maximum(filled, 1))
    return Batch(*(each[index] for each in rollouts.buffer))
