"""BC: behaviour cloning."""

from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Array, Dataset
from instinct.deep.algorithms.algorithm import (
    Algorithm,
    Batch,
    Data,
    Metrics,
    State,
    hyperparameters,
    sizes,
)
from instinct.deep.algorithms.fields import Setting, Settings, setting
from instinct.deep.algorithms.standardize import scaling, standardised, unscaled
from instinct.deep.nn.networks import Normal, gaussian, gaussian_init, gaussian_log_prob
from instinct.deep.nn.optimizer import adam_init, adam_step, cosine
from instinct.errors import BadInput

MEAN_RATE = 1e-2
"""Of the running mean of the error on held-out batches: about the last hundred count."""
PAIR = ("observations", "actions")
QUICK_GAUSSIAN: dict[str, Setting] = {
    "layers": 3,
    "units": 64,
    "batch_size": 128,
    "steps": 40_000,
    "rate": 1e-3,
}
"""The quick settings that BC and IQL share."""


@hyperparameters
class GaussianPolicy(Algorithm):
    """A Gaussian policy, trained by Adam at a rate that falls to 0 along a cosine."""

    layers: int = setting(3, above=0)
    units: int = setting(256, above=0)
    rate: float = setting(3e-4, above=0)

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> State:
        del warm
        policy = gaussian_init(key, *sizes(data), self.layers, self.units)
        return {"policy": policy, "policy_optimizer": adam_init(policy)}

    def step_policy(self, state: State, gradient: Any) -> State:
        rate = cosine(self.rate, state["policy_optimizer"], self.steps)
        policy, optimizer = adam_step(rate, gradient, state["policy_optimizer"], state["policy"])
        return state | {"policy": policy, "policy_optimizer": optimizer}

    def mode(self, weights: State, observations: jax.Array) -> jax.Array:
        return gaussian(weights["policy"], observations).mean


class Halves(NamedTuple):
    """A batch to learn from, and the pairs (s, a) of one that is held out."""

    learned: Batch
    observations: jax.Array
    actions: jax.Array


@hyperparameters
class BC(GaussianPolicy):
    """The Gaussian policy that makes the data's actions most likely.

    With a share `held_out` of the episodes it does not learn from those, and the final policy is
    the one that came nearest to their actions: training for too long does no harm. The measure is
    the squared error of the mean action, which is what acts; the likelihood also waits for the
    standard deviation, which learns slowly. With `standardize` it learns from observations of mean
    0 and deviation 1.
    """

    held_out: float = setting(0.0, at_least=0, at_most=1)
    standardize: bool = setting(False, added=True)

    CITATION: ClassVar[str] = (
        "Pomerleau, 'ALVINN: An Autonomous Land Vehicle in a Neural Network', NeurIPS 1988"
    )
    READS_REWARDS: ClassVar[bool] = False
    PESSIMISTIC: ClassVar[bool] = False
    QUICK: ClassVar[Settings | None] = QUICK_GAUSSIAN

    def prepare(self, dataset: Dataset) -> Data:
        data = super().prepare(dataset)
        if self.held_out:
            held_out = hold_out(dataset, float(self.held_out))
            rows = {name: values[~held_out] for name, values in data.rows.items()}
            rows |= {f"held_out_{name}": data.rows[name][held_out] for name in PAIR}
            data = Data(rows, {"rewards": data.told["rewards"][~held_out]})
        return standardised(data) if self.standardize else data

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> State:
        state = super().init(key, data, warm) | scaling(data)
        if "held_out_actions" not in data.rows:
            return state
        best = jax.tree.map(jnp.copy, state["policy"])
        return state | {"best": best, "mean_error": jnp.zeros(()), "best_error": jnp.array(jnp.inf)}

    def sample(self, state: State, data: Data, key: jax.Array) -> Batch | Halves:
        if "held_out_actions" not in data.rows:
            learned: Batch = super().sample(state, data, key)
            return learned
        first, second = jax.random.split(key)
        held_out = [data.rows[f"held_out_{name}"] for name in PAIR]
        index = jax.random.randint(second, (self.batch_size,), 0, len(held_out[0]))
        return Halves(super().sample(state, data, first), *(values[index] for values in held_out))

    def update(self, state: State, batch: Batch | Halves, key: jax.Array) -> tuple[State, Metrics]:
        del key
        learned = batch if isinstance(batch, Batch) else batch.learned

        def loss(policy: dict[str, Any]) -> jax.Array:
            return -log_likelihood(gaussian(policy, learned.observations), learned.actions).mean()

        policy_loss, gradient = jax.value_and_grad(loss)(state["policy"])
        state, metrics = self.step_policy(state, gradient), {"policy_loss": policy_loss}
        if isinstance(batch, Halves):
            difference = self.mode(state, batch.observations) - batch.actions
            error = jnp.mean(jnp.sum(difference**2, axis=-1))
            state |= keep_best(state, error)
            metrics |= {"held_out_error": error}
        return state, metrics

    def weights(self, state: State) -> State:
        policy = state["best" if "best" in state else "policy"]
        return {"policy": policy | {"network": unscaled(policy["network"], state)}}


def log_likelihood(normal: Normal, actions: jax.Array) -> jax.Array:
    """log π(a|s) of every row."""
    return gaussian_log_prob(normal, actions).sum(axis=-1)


def keep_best(state: State, error: jax.Array) -> State:
    """The running mean of the error, free of its start at 0, and the policy where it was lowest."""
    steps = state["policy_optimizer"]["count"]
    mean = (1 - MEAN_RATE) * state["mean_error"] + MEAN_RATE * error
    unbiased = mean / (1 - (1 - MEAN_RATE) ** steps)
    better = unbiased < state["best_error"]
    return {
        "mean_error": mean,
        "best_error": jnp.where(better, unbiased, state["best_error"]),
        "best": jax.tree.map(
            lambda new, old: jnp.where(better, new, old), state["policy"], state["best"]
        ),
    }


def hold_out(dataset: Dataset, share: float) -> Array:
    """Which transitions are held out: those of so many episodes, evenly spaced."""
    episodes = dataset.episodes
    number = round(share * episodes)
    if not 0 < number < episodes:
        raise BadInput(
            f"held_out={share:g} of {episodes} episodes leaves none to learn from or none to hold "
            "out; choose another share"
        )
    chosen = ((np.arange(number) + 0.5) * episodes / number).astype(int)
    return np.repeat(np.isin(np.arange(episodes), chosen), dataset.lengths)
