"""TD3+BC: a twin delayed actor-critic whose policy also clones the data.

Fujimoto and Gu, "A Minimalist Approach to Offline Reinforcement Learning", NeurIPS 2021,
arXiv:2106.06860.

The critics are those of TD3. The policy minimizes −λ·E[f₁(s, π)] + E[(π(s) − a)²], the second a
mean over dimensions too, with λ = α/E|f₁(s, π)|. Observations have mean 0 and deviation 1.
"""

from typing import ClassVar

import jax
import jax.numpy as jnp

from instinct.data import Dataset
from instinct.deep.algorithms.algorithm import Batch, Data, Metrics, hyperparameters
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.algorithms.standardize import standardized
from instinct.deep.algorithms.td3 import QUICK_TD3, TD3, inverse_size
from instinct.deep.nn.networks import Twins, value


@hyperparameters
class TD3BC(TD3):
    """The policy maximizes the first critic, `alpha` times, and stays near the data's actions."""

    alpha: float = setting(2.5, above=0)
    standardize: bool = setting(True)

    NAME: ClassVar[str] = "TD3+BC"
    CITATION: ClassVar[str] = (
        "Fujimoto and Gu, 'A Minimalist Approach to Offline Reinforcement Learning', NeurIPS 2021, "
        "arXiv:2106.06860"
    )
    QUICK: ClassVar[Settings | None] = QUICK_TD3

    def prepare(self, dataset: Dataset) -> Data:
        data = super().prepare(dataset)
        return standardized(data) if self.standardize else data

    def policy_loss(
        self, critics: Twins, batch: Batch, actions: jax.Array
    ) -> tuple[jax.Array, Metrics]:
        f = value(critics[0], batch.observations, actions)
        cloning = jnp.mean((actions - batch.actions) ** 2)
        return cloning - self.alpha * inverse_size(f) * f.mean(), {"cloning_loss": cloning}
