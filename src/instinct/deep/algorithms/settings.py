"""Set hyperparameters by name and check them before training starts."""

import dataclasses
import math
from typing import Any

from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.algorithms.fields import Setting, Settings, range_of
from instinct.deep.algorithms.registry import find_algorithm
from instinct.errors import BadInput

__all__ = [
    "Setting",
    "Settings",
    "added_settings",
    "check",
    "configure",
    "quick_settings",
    "settings_of",
]


def configure(name: str, settings: Settings | None = None) -> Algorithm:
    """Return the algorithm with the paper's hyperparameters, except for those given.

    A value may be text, as on a command line.
    """
    cls = find_algorithm(name)
    given = dict(settings or {})
    known = [field.name for field in dataclasses.fields(cls)]
    for setting in given:
        if setting not in known:
            raise BadInput(
                f"{cls.NAME} has no hyperparameter {setting!r}; it has {', '.join(known)}"
            )
    algorithm = cls(**{name: convert(cls, name, value) for name, value in given.items()})
    check(algorithm)
    return algorithm


def convert(cls: type[Algorithm], name: str, value: Setting) -> Any:
    """Convert a value to the type of the hyperparameter."""
    kind = type(getattr(cls, name))
    try:
        if kind is bool:
            return {"true": True, "false": False}[str(value).lower()]
        number = float(value)
        if isinstance(value, bool) or (kind is int and number != int(number)):
            raise ValueError
        return kind(number)
    except (ValueError, KeyError, OverflowError, TypeError):
        words = {int: "a whole number", float: "a number", bool: "true or false"}[kind]
        raise BadInput(f"{cls.NAME} needs {words} for {name}, not {value!r}") from None


def check(algorithm: Algorithm, transitions: int | None = None) -> None:
    """Reject hyperparameters outside their ranges, or a batch larger than the data."""
    for field in dataclasses.fields(algorithm):
        value = getattr(algorithm, field.name)
        if not math.isfinite(value):
            raise BadInput(f"{algorithm.NAME} needs a finite {field.name}, not {value}")
        if value not in (accepted := range_of(field)):
            raise BadInput(f"{algorithm.NAME} needs {field.name} {accepted}, not {value:g}")
    if transitions is not None and algorithm.batch_size > transitions:
        raise BadInput(
            f"a batch of {algorithm.batch_size} is larger than the dataset of "
            f"{transitions} transitions; set batch_size to at most {transitions}"
        )


def settings_of(algorithm: Algorithm) -> dict[str, Setting]:
    """Return all hyperparameters by name."""
    return dataclasses.asdict(algorithm)


def added_settings(algorithm: type[Algorithm]) -> dict[str, Setting]:
    """Return the hyperparameters that were added later, with their defaults."""
    return {
        field.name: getattr(algorithm, field.name)
        for field in dataclasses.fields(algorithm)
        if field.metadata.get("added", False)
    }


def quick_settings(algorithm: type[Algorithm], label: str = "original") -> Settings:
    """Return the settings of the preset `quick` under a label."""
    settings = algorithm.QUICK_UNDER_LABEL.get(label, algorithm.QUICK)
    if settings is None:
        raise BadInput(
            f"{algorithm.NAME} has no quick settings; choose the preset 'paper', or give the class "
            "settings in QUICK"
        )
    return settings
