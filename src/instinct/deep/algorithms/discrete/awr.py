"""AWR for discrete actions: V and weights as ever, and a categorical policy."""

from typing import ClassVar

from instinct.deep.algorithms.algorithm import hyperparameters
from instinct.deep.algorithms.awr import AWR
from instinct.deep.algorithms.discrete.categorical import Categorical


@hyperparameters
class DiscreteAWR(Categorical, AWR):
    """Cloning of a categorical policy with weights that grow with the advantage."""

    NAME: ClassVar[str] = "AWR"
