"""The deep algorithms by name: a new one is its file and one line here, or `register_algorithm`."""

from typing import TypeVar

from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.algorithms.atac import ATAC
from instinct.deep.algorithms.bc import BC
from instinct.deep.algorithms.cql import CQL, CQL3
from instinct.deep.algorithms.dt import DT
from instinct.deep.algorithms.iql import IQL
from instinct.deep.algorithms.pspi import PSPI
from instinct.errors import BadInput

C = TypeVar("C", bound=type[Algorithm])

ALGORITHMS: dict[str, type[Algorithm]] = {
    algorithm.NAME: algorithm for algorithm in (ATAC, PSPI, IQL, CQL, CQL3, DT, BC)
}
"""All deep algorithms by their display names."""


def find_algorithm(name: str) -> type[Algorithm]:
    """Return the algorithm with this name; upper and lower case do not matter."""
    for known, algorithm in ALGORITHMS.items():
        if known.casefold() == name.casefold():
            return algorithm
    raise BadInput(f"no algorithm is called {name!r}; there are {', '.join(ALGORITHMS)}")


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
