"""The algorithms by name: a new one is its file and one line here."""

from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.algorithms.atac import ATAC
from instinct.deep.algorithms.bc import BC
from instinct.deep.algorithms.cql import CQL, CQL3
from instinct.deep.algorithms.dt import DT
from instinct.deep.algorithms.iql import IQL
from instinct.deep.algorithms.pspi import PSPI
from instinct.errors import BadInput

ALGORITHMS: dict[str, type[Algorithm]] = {
    algorithm.__name__: algorithm for algorithm in (ATAC, PSPI, IQL, CQL, CQL3, DT, BC)
}


def algorithm_class(name: str) -> type[Algorithm]:
    """The algorithm of that name, whatever the case of its letters."""
    if name.upper() not in ALGORITHMS:
        raise BadInput(f"no algorithm is called {name!r}; there are {', '.join(ALGORITHMS)}")
    return ALGORITHMS[name.upper()]
