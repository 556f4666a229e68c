"""MOReL: where the model is unknown, everything stops for good.

Kidambi, Rajeswaran, Netrapalli and Joachims, "MOReL: Model-Based Offline Reinforcement Learning",
NeurIPS 2020, arXiv:2005.05951.

A pair (s, a) is unknown if the members' predictions of the next state differ by more than they do
anywhere in the data, times `tolerance`. From there the pessimistic MDP goes to HALT, with reward
−κ at every step, so that the pair is worth r̂(s, a) − γ·κ/(1 − γ).

The paper plans in this MDP by natural policy gradient and says that any planner will do; here it is
the soft actor-critic of all model-based agents.
"""

from collections.abc import Mapping
from typing import ClassVar

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import Batch, Data, hyperparameters
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.algorithms.model_based.agent import QUICK_MODEL, AgentState, ModelBasedAgent
from instinct.deep.algorithms.model_based.dynamics import predict
from instinct.deep.algorithms.model_based.rollouts import Imagined, Model
from instinct.util.spacing import evenly_spaced

ROWS = 10_000
"""The largest disagreement is sought at so many recorded pairs."""


@hyperparameters
class MOReL(ModelBasedAgent):
    """Unknown pairs end in HALT, whose reward is −`kappa`·max(1, max |r|) forever."""

    real_share: float = setting(0.0, at_least=0, at_most=1)
    start_from_clone: bool = setting(True)
    horizon: float = setting(500.0, at_least=1)
    tolerance: float = setting(1.0, above=0)
    kappa: float = setting(1.0, at_least=0)
    members: int = setting(4, above=1)
    elites: int = setting(4, above=0)
    model_layers: int = setting(2, above=0)
    model_units: int = setting(512, above=0)

    CITATION: ClassVar[str] = (
        "Kidambi, Rajeswaran, Netrapalli and Joachims, 'MOReL: Model-Based Offline Reinforcement "
        "Learning', NeurIPS 2020, arXiv:2005.05951"
    )
    GRID: ClassVar[Mapping[str, tuple[float, ...]]] = {"tolerance": (0.5, 1.0, 2.0)}
    QUICK: ClassVar[Settings | None] = QUICK_MODEL | {"tolerance": 0.3}

    def uncertainty_limit(self, model: Model, data: Data) -> jax.Array:
        """Return the largest disagreement at recorded pairs, times `tolerance`."""
        rows = data.rows
        index = evenly_spaced(len(rows["observations"]), ROWS)
        found = predict(model.networks, rows["observations"][index], rows["actions"][index])
        return self.tolerance * disagreement(found.means).max()

    def imagined(self, state: AgentState, found: Imagined) -> Batch:
        unknown = disagreement(found.prediction.means) > state.limit
        batch, model = found.batch, state.model
        size = jnp.maximum(jnp.abs(model.least_reward), jnp.abs(model.most_reward))
        halt = -self.kappa * jnp.maximum(1, size) / (1 - self.discount)
        return batch._replace(
            rewards=batch.rewards + unknown * self.discount * halt,
            goes_on=batch.goes_on * ~unknown,
        )


def disagreement(means: jax.Array) -> jax.Array:
    """Return the largest distance between the predictions of two members, [rows]."""
    apart = means[:, None] - means[None, :]
    return jnp.sqrt(jnp.sum(apart**2, axis=-1)).max(axis=(0, 1))
