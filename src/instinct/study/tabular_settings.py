"""Settings of the tabular algorithms in a plan."""

from collections.abc import Mapping

from instinct.benchmarks.gridworld.world import GridWorld
from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput
from instinct.tabular.registry import find_algorithm
from instinct.theory.bounds import required_admissibility


def tabular_settings(algorithm: str, given: Mapping[str, Setting]) -> dict[str, Setting]:
    """R, which is enough for the paper's theorem unless another is given; BC has no settings."""
    found = find_algorithm(algorithm)
    if {*given} - {"R"}:
        raise BadInput(f"{algorithm} has no setting {min({*given} - {'R'})!r}; it has R")
    R = float(given.get("R", required_admissibility(2 * GridWorld().horizon + 1)))
    return {"R": R} if found.pessimistic else {}
