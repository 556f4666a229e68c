"""ReBRAC: TD3+BC with a penalty in the critics too, larger networks and layer normalization.

Tarasov, Kurenkov, Nikulin and Kolesnikov, "Revisiting the Minimalist Approach to Offline
Reinforcement Learning", NeurIPS 2023, arXiv:2305.09836.

With d(a, b) = Σ over dimensions of (a − b)², and â′ the recorded action in s′:

1. Critics: TD3's with y = r + γ·(min of the target critics at (s′, a′) − β₂·d(a′, â′)).
2. Policy: min E[β₁·d(π(s), a) − λ·(min of the critics at (s, π))], λ = 1/E|min of the critics|.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Dataset
from instinct.deep.algorithms.algorithm import Data, Metrics, State, batch_of, hyperparameters
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.algorithms.td3 import QUICK_TD3, TD3, inverse_size
from instinct.deep.nn.networks import MLP, Twins, small_output_init, twin_minimum, with_norms
from instinct.errors import BadInput


class BatchWithNext(NamedTuple):
    """Transitions (s, a, r, s′), and the recorded action in s′."""

    observations: jax.Array
    actions: jax.Array
    rewards: jax.Array
    next_observations: jax.Array
    goes_on: jax.Array
    next_actions: jax.Array


@hyperparameters
class ReBRAC(TD3):
    """Policy and critics are kept near the data, each with a weight of its own.

    The paper chooses both weights for every dataset, from the grid; the defaults are from its
    middle. Its batches are of 1024 for the locomotion tasks.
    """

    batch_size: int = setting(1024, above=0)
    layers: int = setting(3, above=0)
    rate: float = setting(1e-3, above=0)
    policy_weight: float = setting(0.01, at_least=0)
    critic_weight: float = setting(0.01, at_least=0)

    CITATION: ClassVar[str] = (
        "Tarasov, Kurenkov, Nikulin and Kolesnikov, 'Revisiting the Minimalist Approach to Offline "
        "Reinforcement Learning', NeurIPS 2023, arXiv:2305.09836"
    )
    GRID: ClassVar[Mapping[str, tuple[float, ...]]] = {
        "policy_weight": (0.001, 0.01, 0.05, 0.1),
        "critic_weight": (0.0, 0.001, 0.01, 0.1, 0.5),
    }
    QUICK: ClassVar[Settings | None] = QUICK_TD3 | {"policy_weight": 0.1, "target_rate": 0.01}

    def prepare(self, dataset: Dataset) -> Data:
        """Leave out transitions after which no action is known: the last before a timeout."""
        data = super().prepare(dataset)
        known = ~dataset.timeouts
        if not known.any():
            raise BadInput("ReBRAC needs the action after a transition, and no episode has two")
        following = np.append(data.rows["actions"][1:], data.rows["actions"][-1:], axis=0)
        rows = data.rows | {"next_actions": following}
        return Data(
            {name: values[known] for name, values in rows.items()},
            {name: values[known] for name, values in data.rewards.items()},
        )

    def init_policy(self, key: jax.Array, observations: int, actions: int) -> MLP:
        return small_output_init(key, [observations, *[self.units] * self.layers, actions], 1e-3)

    def init_critics(self, key: jax.Array, inputs: int) -> Twins:
        widths = [inputs, *[self.units] * self.layers, 1]
        first, second = (small_output_init(each, widths, 3e-3) for each in jax.random.split(key))
        return with_norms(first), with_norms(second)

    def sample(self, state: State, data: Data, key: jax.Array) -> BatchWithNext:
        del state
        index = jax.random.randint(key, (self.batch_size,), 0, len(data.rows["observations"]))
        return BatchWithNext(*batch_of(data, index), data.rows["next_actions"][index])

    def penalty(self, batch: Any, next_actions: jax.Array) -> jax.Array | float:
        return self.critic_weight * distance(next_actions, batch.next_actions)

    def policy_loss(
        self, critics: Twins, batch: Any, actions: jax.Array
    ) -> tuple[jax.Array, Metrics]:
        f = twin_minimum(critics, batch.observations, actions)
        d = distance(actions, batch.actions).mean()
        return self.policy_weight * d - inverse_size(f) * f.mean(), {"distance": d}


def distance(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return the squared distance of the actions in every row."""
    return jnp.sum((a - b) ** 2, axis=-1)
