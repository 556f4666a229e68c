"""IQL for discrete actions: V, critics and weights as ever, and a categorical policy."""

from typing import ClassVar

from instinct.deep.algorithms.algorithm import hyperparameters
from instinct.deep.algorithms.discrete.categorical import Categorical
from instinct.deep.algorithms.iql import IQL


@hyperparameters
class DiscreteIQL(Categorical, IQL):
    """V is an upper expectile of Q over the data's actions; the policy clones good actions.

    IQL never asks for the value of an action that is not in the data. So it differs from the
    continuous one only in the networks: critics with one output per action, of which that of the
    recorded one is trained, and the log-likelihood of a categorical policy.
    """

    NAME: ClassVar[str] = "IQL"
