"""MOPO: rewards in the model are lowered by its uncertainty.

Yu, Thomas, Yu, Ermon, Zou, Levine, Finn and Ma, "MOPO: Model-based Offline Policy Optimization",
NeurIPS 2020, arXiv:2005.13239.

An imagined transition has the reward r̂(s, a) − λ·u(s, a), where u is the largest of the members'
|σ(s, a)|, the length of the vector of standard deviations of the next state.
"""

from collections.abc import Mapping
from typing import ClassVar

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import Batch, hyperparameters
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.algorithms.model_based.agent import QUICK_MODEL, AgentState, ModelBasedAgent
from instinct.deep.algorithms.model_based.rollouts import Imagined, Model


@hyperparameters
class MOPO(ModelBasedAgent):
    """Imagined rewards are lowered by `penalty` times the model's uncertainty."""

    penalty: float = setting(1.0, at_least=0)

    CITATION: ClassVar[str] = (
        "Yu, Thomas, Yu, Ermon, Zou, Levine, Finn and Ma, 'MOPO: Model-based Offline Policy "
        "Optimization', NeurIPS 2020, arXiv:2005.13239"
    )
    GRID: ClassVar[Mapping[str, tuple[float, ...]]] = {"penalty": (0.5, 1.0, 5.0)}
    QUICK: ClassVar[Settings | None] = QUICK_MODEL | {"penalty": 5.0}

    def imagined(self, state: AgentState, found: Imagined) -> Batch:
        u = uncertainty(state.model, found.prediction.log_variances)
        return found.batch._replace(rewards=found.batch.rewards - self.penalty * u)


def uncertainty(model: Model, log_variances: jax.Array) -> jax.Array:
    """Return the largest |σ(s, a)| of the members, in the units of the observations."""
    units = model.change_std * model.scaling.std
    deviations = units * jnp.exp(log_variances / 2)
    return jnp.sqrt(jnp.sum(deviations**2, axis=-1)).max(axis=0)
