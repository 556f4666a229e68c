"""A cloned density of the recorded actions: how the data were made, as far as they tell."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Array, Box
from instinct.deep import Algorithm, Run, Weights, configure, train
from instinct.errors import InstinctError
from instinct.estimate.policies import mode
from instinct.estimate.problem import BATCH, Problem

SETTINGS: dict[str, Any] = {
    "layers": 2,
    "units": 64,
    "rate": 2e-3,
    "batch_size": BATCH,
    "standardize": True,
}
MOST_STEPS = 4000


class Behavior(NamedTuple):
    """The policy that makes the recorded actions most likely."""

    algorithm: Algorithm
    weights: Weights

    def log_density(self, observations: Array, actions: Array) -> Array:
        """Return log μ(a|s) of every row, with actions as networks take them."""
        s, a = jnp.asarray(observations, jnp.float32), jnp.asarray(actions)
        return np.asarray(log_likelihood(self.algorithm, self.weights["policy"], s, a), float)

    def most_likely(self, problem: Problem, observations: Array) -> Array:
        """Return the most likely actions as networks take them."""
        pair, space = (self.algorithm, self.weights), problem.dataset.action_space
        return np.asarray(mode(pair, jnp.asarray(observations, jnp.float32), space))

    def distance(self, problem: Problem, observations: Array, actions: Array) -> Array:
        """Return how far actions are from the most likely ones, in deviations of the behavior.

        d² = 2·log(max μ/μ(a)), per dimension. For a Gaussian this is the root mean square of
        (a − mean)/deviation over dimensions; for discrete actions it is the same measure of how
        much rarer an action is than the most likely one.
        """
        likely = self.most_likely(problem, observations)
        best = self.log_density(observations, likely)
        gap = np.maximum(best - self.log_density(observations, actions), 0)
        box = isinstance(problem.dataset.action_space, Box)
        return np.asarray(np.sqrt(2 * gap / (actions.shape[-1] if box else 1)))


@jax.jit
def log_likelihood(algorithm: Any, policy: Any, s: jax.Array, a: jax.Array) -> jax.Array:
    """Return log μ(a|s) of every row; compiled once for all policies compared with it."""
    found: jax.Array = algorithm.log_likelihood(policy, s, a)
    return found


def clone(problem: Problem, **settings: Any) -> Behavior:
    """Clone the behavior in the compiled loop."""
    dataset = problem.dataset
    chosen = SETTINGS | {"steps": problem.steps(MOST_STEPS)} | settings
    chosen["batch_size"] = min(int(chosen["batch_size"]), len(dataset))
    algorithm = configure("BC", chosen, dataset.action_space)
    outcome = train(Run(dataset, algorithm, problem.seed))
    if outcome.failure:
        raise InstinctError(f"cloning the behavior failed: {outcome.failure}")
    return Behavior(*jax.tree.map(jnp.asarray, (algorithm, outcome.weights)))
