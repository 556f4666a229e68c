"""The deep algorithms by name: a new one is its file and one line here, or `register_algorithm`.

Those for discrete actions have the same names, and the action space decides. Both have the same
settings, so that plans and identities need not know the action space.
"""

from typing import TypeVar

from instinct.data import ActionSpace, Discrete
from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.algorithms.atac import ATAC
from instinct.deep.algorithms.awr import AWR
from instinct.deep.algorithms.bc import BC
from instinct.deep.algorithms.cql import CQL, CQL3
from instinct.deep.algorithms.discrete.awr import DiscreteAWR
from instinct.deep.algorithms.discrete.bc import DiscreteBC
from instinct.deep.algorithms.discrete.cql import DiscreteCQL, DiscreteCQL3
from instinct.deep.algorithms.discrete.dt import DiscreteDT
from instinct.deep.algorithms.discrete.game import (
    DiscreteATAC,
    DiscreteNoPessimism,
    DiscretePSPI,
)
from instinct.deep.algorithms.discrete.iql import DiscreteIQL
from instinct.deep.algorithms.dt import DT
from instinct.deep.algorithms.edac import EDAC
from instinct.deep.algorithms.iql import IQL
from instinct.deep.algorithms.model_based.armor import ARMOR
from instinct.deep.algorithms.model_based.combo import COMBO
from instinct.deep.algorithms.model_based.mopo import MOPO
from instinct.deep.algorithms.model_based.morel import MOReL
from instinct.deep.algorithms.no_pessimism import NoPessimism
from instinct.deep.algorithms.pspi import PSPI
from instinct.deep.algorithms.rebrac import ReBRAC
from instinct.deep.algorithms.td3bc import TD3BC
from instinct.errors import BadInput

C = TypeVar("C", bound=type[Algorithm])

ALGORITHMS: dict[str, type[Algorithm]] = {
    algorithm.NAME: algorithm
    for algorithm in (
        *(ATAC, PSPI, IQL, CQL, CQL3, DT, BC),
        *(NoPessimism, AWR, TD3BC, ReBRAC, EDAC),
        *(MOPO, MOReL, COMBO, ARMOR),
    )
}
"""All deep algorithms by their display names."""
DISCRETE: dict[str, type[Algorithm]] = {
    algorithm.NAME: algorithm
    for algorithm in (
        *(DiscreteATAC, DiscretePSPI, DiscreteIQL, DiscreteCQL, DiscreteCQL3),
        *(DiscreteDT, DiscreteBC, DiscreteNoPessimism, DiscreteAWR),
    )
}
"""The versions for discrete actions, of the algorithms that have one beside the continuous one."""


def find_algorithm(name: str, space: ActionSpace | None = None) -> type[Algorithm]:
    """Return the algorithm with this name; upper and lower case do not matter.

    With an action space it is the version for such actions.

    >>> find_algorithm("pspi", Discrete(2)).__name__
    'DiscretePSPI'
    """
    for known, algorithm in ALGORITHMS.items():
        if known.casefold() == name.casefold():
            return algorithm if space is None else version_for(algorithm, space)
    raise BadInput(f"no algorithm is called {name!r}; there are {', '.join(ALGORITHMS)}")


def version_for(algorithm: type[Algorithm], space: ActionSpace) -> type[Algorithm]:
    """Return the version of an algorithm for the actions of a space."""
    if isinstance(space, Discrete):
        algorithm = DISCRETE.get(algorithm.NAME, algorithm)
    check_actions(algorithm, space)
    return algorithm


def check_actions(algorithm: type[Algorithm], space: ActionSpace) -> None:
    """Reject an algorithm for another kind of actions."""
    found = "discrete" if isinstance(space, Discrete) else "continuous"
    if found != algorithm.ACTIONS:
        raise BadInput(
            f"{algorithm.NAME} is for {algorithm.ACTIONS} actions, and those of the data are "
            f"{found}, in {space}"
        )


def register_algorithm(algorithm: C) -> C:
    """Add an algorithm under its `NAME`; can be used as a class decorator.

    A class that is defined again, as in a notebook, replaces its earlier version. A name that
    another class has is refused.
    """
    if "__dataclass_fields__" not in vars(algorithm):
        raise BadInput(f"{algorithm.__name__} needs the decorator @hyperparameters")
    for known, other in [*ALGORITHMS.items()]:
        if known.casefold() == algorithm.NAME.casefold():
            if not same_class(algorithm, other):
                raise BadInput(f"an algorithm called {known!r} exists already; choose another NAME")
            del ALGORITHMS[known]
    ALGORITHMS[algorithm.NAME] = algorithm
    return algorithm


def same_class(one: type, other: type) -> bool:
    """Tell whether both were defined at the same place."""
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)
