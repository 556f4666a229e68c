"""NoPessimism: the control of ATAC and PSPI, the same actor-critic without their pessimism.

The critics minimize the Bellman error alone; the policy maximizes E[f(s, π)]. That is β = ∞, and
then ATAC and PSPI are one algorithm: both are compared with this one. All else is theirs, from the
warm start to the target y, which is the smaller of the two target critics.

What wrong rewards still teach this agent is not due to the pessimism of the game. If agents survive
with pessimism and fall without it, pessimism is the cause.
"""

import math
from collections.abc import Mapping
from typing import ClassVar

import jax

from instinct.deep.algorithms.actor_critic import GameState
from instinct.deep.algorithms.algorithm import hyperparameters
from instinct.deep.algorithms.atac import ATAC


@hyperparameters
class NoPessimism(ATAC):
    """The critics fit the Bellman equation of the policy and nothing else.

    It has the settings of ATAC and PSPI, so that what is set for them can be set for their control;
    `beta`, `tuned_beta` and `distance` have no effect. The metric `pessimism` is
    E[f(s, π) − f(s, a)], which the critics do not lower here.
    """

    PESSIMISTIC: ClassVar[bool] = False
    CONTROL: ClassVar[str] = ""
    GRID: ClassVar[Mapping[str, tuple[float, ...]]] = {}

    def first_beta(self, reward: jax.Array) -> jax.Array | None:
        """Return no β: there is nothing to tune."""
        del reward
        return None

    def bellman_weight(self, state: GameState) -> jax.Array | float:
        """Return β = ∞."""
        del state
        return math.inf
