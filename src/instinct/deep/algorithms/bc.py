"""BC: behavior cloning.

Pomerleau, "ALVINN: An Autonomous Land Vehicle in a Neural Network", NeurIPS 1988.

The policy minimizes E[−log π(a|s)] over the data.
"""

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
    Weights,
    hyperparameters,
    sizes,
)
from instinct.deep.algorithms.fields import Setting, Settings, setting
from instinct.deep.algorithms.standardize import Scaling, scaling_of, standardized, unscaled
from instinct.deep.nn.networks import gaussian, gaussian_init, gaussian_log_prob
from instinct.deep.nn.optimizer import Learner, cosine, new_learner
from instinct.errors import BadInput

MEAN_RATE = 1e-2
"""The rate of the running mean of the held-out error: about the last hundred batches count."""
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
    """A Gaussian policy, trained by Adam with a rate that falls to 0 along a cosine."""

    layers: int = setting(3, above=0)
    units: int = setting(256, above=0)
    rate: float = setting(3e-4, above=0)

    def init_policy(self, key: jax.Array, observations: int, actions: int) -> Any:
        """Draw the parameters of the policy."""
        return gaussian_init(key, observations, actions, self.layers, self.units)

    def log_likelihood(self, policy: Any, s: jax.Array, a: jax.Array) -> jax.Array:
        """Return log π(a|s) of every row."""
        return gaussian_log_prob(gaussian(policy, s), a).sum(axis=-1)

    def step_policy(self, policy: Learner[Any], gradient: Any) -> Learner[Any]:
        """Make one step of Adam at the rate of the schedule."""
        return policy.step(cosine(self.rate, policy.optimizer, self.steps), gradient)

    def mode(self, weights: Weights, observations: jax.Array) -> jax.Array:
        return gaussian(weights["policy"], observations).mean


class SplitBatch(NamedTuple):
    """A batch to learn from, and pairs (s, a) of episodes that are held out."""

    learned: Batch
    observations: jax.Array
    actions: jax.Array


class Best(NamedTuple):
    """The policy with the lowest error on held-out episodes, and the errors' running mean."""

    policy: Any
    error: jax.Array
    mean_error: jax.Array


class BCState(NamedTuple):
    """The training state of BC; `best` is None if no episodes are held out."""

    policy: Learner[Any]
    best: Best | None
    scaling: Scaling | None


@hyperparameters
class BC(GaussianPolicy):
    """The Gaussian policy that makes the data's actions most likely.

    A share `held_out` of the episodes is not learned from; the final policy is the one with the
    lowest error on their actions, so that training for too long does no harm. The error is the
    squared error of the mean action, because the mean is what acts. (The likelihood also depends on
    the standard deviation, which learns slowly.) With `standardize` it learns from observations of
    mean 0 and deviation 1.
    """

    held_out: float = setting(0.0, at_least=0, at_most=1)
    standardize: bool = setting(False, since=2)

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
            data = Data(rows, {"rewards": data.rewards["rewards"][~held_out]})
        return standardized(data) if self.standardize else data

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> BCState:
        del warm
        policy, best = new_learner(self.init_policy(key, *sizes(data))), None
        if "held_out_actions" in data.rows:
            copy = jax.tree.map(jnp.copy, policy.params)
            best = Best(copy, error=jnp.array(jnp.inf), mean_error=jnp.zeros(()))
        return BCState(policy, best, scaling_of(data))

    def sample(self, state: BCState, data: Data, key: jax.Array) -> Batch | SplitBatch:
        if "held_out_actions" not in data.rows:
            batch: Batch = super().sample(state, data, key)
            return batch
        first, second = jax.random.split(key)
        held_out = [data.rows[f"held_out_{name}"] for name in PAIR]
        index = jax.random.randint(second, (self.batch_size,), 0, len(held_out[0]))
        return SplitBatch(
            super().sample(state, data, first), *(values[index] for values in held_out)
        )

    def update(
        self, state: BCState, batch: Batch | SplitBatch, key: jax.Array
    ) -> tuple[BCState, Metrics]:
        del key
        learned = batch if isinstance(batch, Batch) else batch.learned

        def loss(policy: Any) -> jax.Array:
            return -self.log_likelihood(policy, learned.observations, learned.actions).mean()

        policy_loss, gradient = jax.value_and_grad(loss)(state.policy.params)
        policy, best = self.step_policy(state.policy, gradient), state.best
        metrics = {"policy_loss": policy_loss}
        if isinstance(batch, SplitBatch) and best is not None:
            error = self.action_error(policy.params, batch.observations, batch.actions)
            best = update_best(best, policy, error)
            metrics |= {"held_out_error": error}
        return BCState(policy, best, state.scaling), metrics

    def action_error(self, policy: Any, s: jax.Array, a: jax.Array) -> jax.Array:
        """Return how far the actions of the policy are from held-out ones."""
        difference = self.mode({"policy": policy}, s) - a
        return jnp.mean(jnp.sum(difference**2, axis=-1))

    def weights(self, state: BCState) -> Weights:
        policy = state.policy.params if state.best is None else state.best.policy
        return {"policy": self.unscaled_policy(policy, state.scaling)}

    def unscaled_policy(self, policy: Any, scaling: Scaling | None) -> Any:
        """Return the policy for observations as the task gives them."""
        return policy | {"network": unscaled(policy["network"], scaling)}


def update_best(best: Best, policy: Learner[Any], error: jax.Array) -> Best:
    """Update the running mean of the error, and keep the policy if the mean is the lowest so far.

    The mean is corrected for its start at 0, as in Adam.
    """
    steps = policy.optimizer.count
    mean = (1 - MEAN_RATE) * best.mean_error + MEAN_RATE * error
    unbiased = mean / (1 - (1 - MEAN_RATE) ** steps)
    better = unbiased < best.error
    return Best(
        policy=jax.tree.map(
            lambda new, old: jnp.where(better, new, old), policy.params, best.policy
        ),
        error=jnp.where(better, unbiased, best.error),
        mean_error=mean,
    )


def hold_out(dataset: Dataset, share: float) -> Array:
    """Return which transitions are held out: those of a share of the episodes, evenly spaced."""
    episodes = dataset.episodes
    number = round(share * episodes)
    if not 0 < number < episodes:
        raise BadInput(
            f"held_out={share:g} of {episodes} episodes leaves none to learn from or none to hold "
            "out; choose another share"
        )
    chosen = ((np.arange(number) + 0.5) * episodes / number).astype(int)
    return np.repeat(np.isin(np.arange(episodes), chosen), dataset.lengths)
