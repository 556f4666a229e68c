"""NoPessimism: the control of ATAC and PSPI, the same actor-critic without their pessimism.

The critics minimize the Bellman error alone; the policy maximizes E[f(s, π)]. That is β = ∞, and
then ATAC and PSPI are one algorithm: both are compared with this one. What else the quick preset
does out of caution is left out as well: V_min where the data were cut, and the doubt of critics
that disagree. All else is theirs, down to the target y, which is the smaller of the two target
critics.

What wrong rewards still teach this agent is not due to the pessimism of the game. If agents survive
with pessimism and fall without it, pessimism is the cause.
"""

import math
from collections.abc import Mapping
from typing import ClassVar

import jax

from instinct.deep.algorithms.actor_critic import GameState
from instinct.deep.algorithms.algorithm import Algorithm, hyperparameters
from instinct.deep.algorithms.atac import ATAC
from instinct.deep.algorithms.warm_start import NeutralReturnFitting, PolicyEvaluation


@hyperparameters
class NoPessimism(ATAC):
    """The critics fit the Bellman equation of the policy and nothing else.

    It has the settings of ATAC and PSPI, so that what is set for them can be set for their control;
    `beta`, `tuned_beta`, `distance` and `doubt` have no effect. The metric `pessimism` is
    E[f(s, π) − f(s, a)], which the critics do not lower here.
    """

    PESSIMISTIC: ClassVar[bool] = False
    FEARS_CUTS: ClassVar[bool] = False
    STAGES: ClassVar[tuple[type[Algorithm], type[Algorithm]]] = (
        PolicyEvaluation,
        NeutralReturnFitting,
    )
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

    def agreed(self, gains: jax.Array) -> jax.Array:
        """Return the mean of the critics' gains."""
        return gains.mean(axis=0)
