"""Settings of the tabular algorithms in a plan."""

from collections.abc import Mapping

from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput
from instinct.tabular.registry import find_algorithm
from instinct.theory.bounds import required_admissibility


def tabular_settings(
    algorithm: str, given: Mapping[str, Setting], horizon: int | None
) -> dict[str, Setting]:
    """Return the degree of pessimism R: the given one, or as much as the paper's theorem needs.

    An algorithm without pessimism, such as BC, has no settings.
    """
    found = find_algorithm(algorithm)
    if {*given} - {"R"}:
        raise BadInput(f"{algorithm} has no setting {min({*given} - {'R'})!r}; it has R")
    if not found.pessimistic:
        return {}
    if "R" in given:
        return {"R": float(given["R"])}
    if horizon is None:
        raise BadInput(f"{algorithm} needs a task with a horizon, or the setting R")
    return {"R": float(required_admissibility(2 * horizon + 1))}
