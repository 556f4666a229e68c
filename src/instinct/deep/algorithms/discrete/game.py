"""ATAC, PSPI and their control for discrete actions, and their warm start.

The game is the same as with continuous actions. Its policy is the row of its probabilities, so that
f(s, π) = Σ over a of π(a|s)·f(s, a) and the entropy are exact where the continuous game draws one
action (Christodoulou, "Soft Actor-Critic for Discrete Action Settings", arXiv:1910.07207). The
Bellman error of f against its own backup is then that of the expectation, without the variance of a
drawn action. The entropy's target is a share of log |A|. `action_scale` has no effect.
"""

from typing import ClassVar

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import Algorithm, hyperparameters
from instinct.deep.algorithms.atac import ATAC
from instinct.deep.algorithms.discrete.categorical import (
    Categorical,
    log_policy,
    negative_entropy,
)
from instinct.deep.algorithms.no_pessimism import NoPessimism
from instinct.deep.algorithms.pspi import PSPI
from instinct.deep.algorithms.warm_start import (
    Cloning,
    NeutralReturnFitting,
    PolicyEvaluation,
    ReturnFitting,
)
from instinct.deep.nn.networks import MLP, expected


class CategoricalGame(Categorical):
    """A categorical policy as critics take it: the probabilities of all actions."""

    def draw(self, policy: MLP, s: jax.Array, noise: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return π(·|s) instead of a drawn action, and E[log π] in every state."""
        del noise
        log_pi = log_policy(policy, s)
        return jnp.exp(log_pi), negative_entropy(log_pi)

    def noiseless(self, policy: MLP, s: jax.Array) -> jax.Array:
        """Return π(·|s): the expectation needs no noise."""
        return jnp.exp(log_policy(policy, s))

    def divergence(self, policy: MLP, other: MLP, s: jax.Array) -> jax.Array:
        """Return KL(π, π′) in every state."""
        log_pi = log_policy(policy, s)
        return expected(jnp.exp(log_pi), log_pi - log_policy(other, s))


@hyperparameters
class DiscreteCloning(CategoricalGame, Cloning):
    """The categorical policy that makes the data's actions most likely."""

    NAME: ClassVar[str] = "Cloning"


@hyperparameters
class DiscretePolicyEvaluation(CategoricalGame, PolicyEvaluation):
    """Twin critics fitted to the cloned policy by the Bellman error."""

    NAME: ClassVar[str] = "Evaluation"
    CLONING: ClassVar[type[Cloning]] = DiscreteCloning


@hyperparameters
class DiscreteReturnFitting(CategoricalGame, ReturnFitting):
    """Twin critics fitted to the discounted returns of the data."""

    NAME: ClassVar[str] = "Returns"
    CLONING: ClassVar[type[Cloning]] = DiscreteCloning


@hyperparameters
class DiscreteNeutralReturnFitting(CategoricalGame, NeutralReturnFitting):
    """The same without pessimism at cuts."""

    NAME: ClassVar[str] = "NeutralReturns"
    CLONING: ClassVar[type[Cloning]] = DiscreteCloning


STAGES = (DiscretePolicyEvaluation, DiscreteReturnFitting)


@hyperparameters
class DiscreteATAC(CategoricalGame, ATAC):
    """ATAC with a categorical policy: E[f(s, π) − f(s, a)] is exact over actions."""

    NAME: ClassVar[str] = "ATAC"
    STAGES: ClassVar[tuple[type[Algorithm], type[Algorithm]]] = STAGES


@hyperparameters
class DiscretePSPI(CategoricalGame, PSPI):
    """PSPI with a categorical policy: E[f(s, π)] is exact over actions."""

    NAME: ClassVar[str] = "PSPI"
    STAGES: ClassVar[tuple[type[Algorithm], type[Algorithm]]] = STAGES


@hyperparameters
class DiscreteNoPessimism(CategoricalGame, NoPessimism):
    """The control with a categorical policy."""

    NAME: ClassVar[str] = "NoPessimism"
    STAGES: ClassVar[tuple[type[Algorithm], type[Algorithm]]] = (
        DiscretePolicyEvaluation,
        DiscreteNeutralReturnFitting,
    )
