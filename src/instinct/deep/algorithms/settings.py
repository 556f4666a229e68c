"""Set hyperparameters by name and check them before training starts."""

import dataclasses
import math
from typing import Any

from instinct.data import ActionSpace
from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.algorithms.fields import Setting, Settings, range_of
from instinct.deep.algorithms.registry import find_algorithm
from instinct.errors import BadInput

__all__ = [
    "Setting",
    "Settings",
    "check",
    "configure",
    "identity_settings",
    "quick_settings",
    "settings_of",
    "without_former",
]


def configure(
    name: str, settings: Settings | None = None, space: ActionSpace | None = None
) -> Algorithm:
    """Return the algorithm with the paper's hyperparameters, except for those given.

    A value may be text, as on a command line. `space` is the action space of the data to learn
    from: discrete actions have their own version of an algorithm, with the same hyperparameters.
    """
    cls = find_algorithm(name, space)
    given = without_former(cls, settings or {})
    known = [field.name for field in dataclasses.fields(cls)]
    for setting in given:
        if setting not in known:
            raise BadInput(
                f"{cls.NAME} has no hyperparameter {setting!r}; it has {', '.join(known)}"
            )
    algorithm = cls(**{name: convert(cls, name, value) for name, value in given.items()})
    check(algorithm)
    return algorithm


def without_former(cls: type[Algorithm], settings: Settings) -> dict[str, Setting]:
    """Leave out settings of earlier versions, if they mean what the algorithm does today."""
    former = {**cls.FORMER, **cls.BRIEF}
    for name, neutral in former.items():
        if settings.get(name, neutral) != neutral:
            raise BadInput(
                f"{cls.NAME} no longer has {name}: an earlier version meant something else by "
                "beta. Finished runs can be read; to train, plan the study again"
            )
    return {name: value for name, value in settings.items() if name not in former}


def convert(cls: type[Algorithm], name: str, value: Setting) -> Any:
    """Convert a value to the type of the hyperparameter."""
    kind = type(getattr(cls, name))
    try:
        if kind is bool:
            return {"true": True, "false": False}[str(value).lower()]
        if kind is str:
            return str(value)
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
        shown = value if isinstance(value, str) else f"{value:g}"
        if not isinstance(value, str) and not math.isfinite(value):
            raise BadInput(f"{algorithm.NAME} needs a finite {field.name}, not {value}")
        if value not in (accepted := range_of(field)):
            raise BadInput(f"{algorithm.NAME} needs {field.name} {accepted}, not {shown}")
    if transitions is not None and algorithm.batch_size > transitions:
        raise BadInput(
            f"a batch of {algorithm.batch_size} is larger than the dataset of "
            f"{transitions} transitions; set batch_size to at most {transitions}"
        )


def settings_of(algorithm: Algorithm) -> dict[str, Setting]:
    """Return all hyperparameters by name."""
    return dataclasses.asdict(algorithm)


def identity_settings(
    algorithm: type[Algorithm], settings: Settings, since: int
) -> dict[str, Setting]:
    """Return the settings that count in an identity.

    Those that were added in version `since` or later count only where they differ from their
    defaults, and those of earlier versions have their former places: an identity of before stays
    valid.
    """
    added = {
        field.name: getattr(algorithm, field.name)
        for field in dataclasses.fields(algorithm)
        if field.metadata.get("since", 1) >= since
    }
    return {
        name: value
        for name, value in {**algorithm.FORMER, **settings}.items()
        if (name not in added or value != added[name])
        and (name not in algorithm.BRIEF or value != algorithm.BRIEF[name])
    }


def quick_settings(algorithm: type[Algorithm]) -> Settings:
    """Return the settings of the preset `quick`."""
    if algorithm.QUICK is None:
        raise BadInput(
            f"{algorithm.NAME} has no quick settings; choose the preset 'paper', or give the class "
            "settings in QUICK"
        )
    return algorithm.QUICK
