"""Settings of the tabular algorithms in a plan."""

from collections.abc import Mapping

from instinct.benchmarks.gridworld.world import GridWorld
from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput
from instinct.tabular.pessimism import degree
from instinct.tabular.registry import ALGORITHMS


def tabular_settings(algorithm: str, given: Mapping[str, Setting]) -> dict[str, Setting]:
    """R, which is enough for the paper's theorem unless another is given; BC has no settings."""
    if algorithm not in ALGORITHMS:
        known = ", ".join(ALGORITHMS)
        raise BadInput(f"{algorithm!r} is no tabular algorithm; there are {known}")
    if {*given} - {"R"}:
        raise BadInput(f"{algorithm} has no setting {min({*given} - {'R'})!r}; it has R")
    R = float(given.get("R", degree(2 * GridWorld().horizon + 1)))
    return {} if algorithm == "BC" else {"R": R}
