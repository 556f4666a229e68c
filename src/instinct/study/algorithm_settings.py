"""Settings of an algorithm in a plan, for deep and for tabular algorithms.

Some names, such as ATAC, are in both registries. The benchmark of the task decides which applies.
"""

from collections.abc import Mapping

from instinct.benchmarks.registry import find_benchmark, find_task
from instinct.deep import ALGORITHMS, configure, find_algorithm, settings_of
from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput
from instinct.study.extensions import find_own
from instinct.study.presets import preset
from instinct.tabular.registry import ALGORITHMS as TABULAR_ALGORITHMS
from instinct.tabular.registry import find_algorithm as find_tabular_algorithm
from instinct.theory.bounds import required_admissibility

Grid = Mapping[str, tuple[Setting, ...]]


def is_tabular(task: str) -> bool:
    """Tell whether a task is for tabular algorithms."""
    return find_benchmark(task).algorithms == "tabular"


def reads_rewards(algorithm: str) -> bool:
    """Tell whether an algorithm learns from rewards; one that is not registered does."""
    if (own := find_own(algorithm)) is not None:
        return own.reads_rewards
    if algorithm in ALGORITHMS:
        return ALGORITHMS[algorithm].READS_REWARDS
    return algorithm not in TABULAR_ALGORITHMS or TABULAR_ALGORITHMS[algorithm].reads_rewards


def control_of(algorithm: str) -> str:
    """Return the name of the same algorithm without its pessimism; empty if there is none."""
    return ALGORITHMS[algorithm].CONTROL if algorithm in ALGORITHMS else ""


def default_grid(algorithm: str, task: str) -> Grid:
    """Return the paper's grid of an algorithm; tabular algorithms have none."""
    if is_tabular(task) or algorithm not in ALGORITHMS:
        return {}
    return find_algorithm(algorithm).GRID


def all_settings(
    algorithm: str, task: str, preset_name: str, given: Mapping[str, Setting]
) -> dict[str, Setting]:
    """Return all settings of an algorithm: the paper's, then the preset's, then the given ones."""
    if is_tabular(task):
        return tabular_settings(algorithm, given, find_task(task).horizon)
    if algorithm not in ALGORITHMS:
        known = ", ".join(ALGORITHMS)
        raise BadInput(
            f"no deep algorithm is called {algorithm!r}; there are {known}", field="algorithms"
        )
    smaller = preset(preset_name, algorithm, task)
    return settings_of(configure(algorithm, {**smaller, **given}))


def changed_settings(
    algorithm: str, task: str, settings: Mapping[str, Setting]
) -> dict[str, Setting]:
    """Return the settings that differ from the paper's; all of them for tabular algorithms."""
    if is_tabular(task) or algorithm not in ALGORITHMS:
        return dict(settings)
    found = find_algorithm(algorithm)
    own = {**found.FORMER, **found.BRIEF, **settings_of(configure(algorithm))}
    return {name: value for name, value in settings.items() if value != own.get(name)}


def tabular_settings(
    algorithm: str, given: Mapping[str, Setting], horizon: int | None
) -> dict[str, Setting]:
    """Return the degree of pessimism R: the given one, or as much as the paper's theorem needs.

    An algorithm without pessimism, such as BC, has no settings.
    """
    found = find_tabular_algorithm(algorithm)
    if {*given} - {"R"}:
        raise BadInput(f"{algorithm} has no setting {min({*given} - {'R'})!r}; it has R")
    if not found.pessimistic:
        return {}
    if "R" in given:
        return {"R": float(given["R"])}
    if horizon is None:
        raise BadInput(f"{algorithm} needs a task with a horizon, or the setting R")
    return {"R": float(required_admissibility(2 * horizon + 1))}
