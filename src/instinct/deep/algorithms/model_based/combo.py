"""COMBO: critics are low where the model leads the policy, and not where the data are.

Yu, Kumar, Rafailov, Rajeswaran, Levine and Finn, "COMBO: Conservative Offline Model-Based Policy
Optimization", NeurIPS 2021, arXiv:2102.08363.

The critics minimize, besides the Bellman error on recorded and imagined transitions (whose weight
in the paper is ½, and 1 here, so that β is twice the paper's),

    2β·(E[f(s, π)] over imagined states − E[f(s, a)] over recorded pairs).

No uncertainty of the model is estimated.
"""

from collections.abc import Mapping
from typing import ClassVar

import jax

from instinct.deep.algorithms.algorithm import hyperparameters
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.algorithms.model_based.agent import QUICK_MODEL, ModelBasedAgent
from instinct.deep.algorithms.model_based.imagination import MixedBatch, mean_where
from instinct.deep.nn.networks import Critic, value


@hyperparameters
class COMBO(ModelBasedAgent):
    """Critics push imagined states down and recorded pairs up, with the paper's weight `beta`."""

    layers: int = setting(3, above=0)
    real_share: float = setting(0.5, above=0, below=1)
    beta: float = setting(1.0, at_least=0)

    CITATION: ClassVar[str] = (
        "Yu, Kumar, Rafailov, Rajeswaran, Levine and Finn, 'COMBO: Conservative Offline "
        "Model-Based Policy Optimization', NeurIPS 2021, arXiv:2102.08363"
    )
    GRID: ClassVar[Mapping[str, tuple[float, ...]]] = {"beta": (0.5, 1.0, 5.0)}
    QUICK: ClassVar[Settings | None] = QUICK_MODEL

    def conservatism(
        self, f: Critic, q: jax.Array, actions: jax.Array, batch: MixedBatch
    ) -> jax.Array:
        f_policy = value(f, batch.transitions.observations, actions)
        imagined = mean_where(f_policy, ~batch.real)
        return 2 * self.beta * (imagined - mean_where(q, batch.real))
