"""The tuned weight α of the entropy (Haarnoja et al., "Soft Actor-Critic Algorithms and
Applications", 2018, arXiv:1812.05905).

α changes so that the entropy of the policy approaches its target, −dim(A) for continuous actions:
log α ← log α − rate·Adam(entropy − target).
"""

import jax

from instinct.deep.nn.optimizer import EPSILON, Learner


def update_temperature(
    temperature: Learner[jax.Array],
    entropy: jax.Array,
    target: float,
    rate: jax.Array | float,
    epsilon: jax.Array | float = EPSILON,
) -> Learner[jax.Array]:
    """Make one step of log α: down where the entropy is above its target, up where it is below."""
    return temperature.step(rate, entropy - target, epsilon=epsilon)
