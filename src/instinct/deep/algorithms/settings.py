"""Hyperparameters from names and values, checked before anything starts."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.algorithms.registry import algorithm_class
from instinct.errors import BadInput

Setting = str | float | int | bool


def configure(name: str, settings: Mapping[str, Setting] | None = None) -> Algorithm:
    """The algorithm with the paper's hyperparameters, except for those given.

    A value may be text, as on a command line.
    """
    cls = algorithm_class(name)
    given = dict(settings or {})
    known = [field.name for field in dataclasses.fields(cls)]
    for setting in given:
        if setting not in known:
            raise BadInput(
                f"{cls.__name__} has no hyperparameter {setting!r}; it has {', '.join(known)}"
            )
    algorithm = cls(**{name: convert(cls, name, value) for name, value in given.items()})
    check(algorithm)
    return algorithm


def convert(cls: type[Algorithm], name: str, value: Setting) -> Any:
    """The value in the type of the hyperparameter."""
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
        raise BadInput(f"{cls.__name__} needs {words} for {name}, not {value!r}") from None


def check(algorithm: Algorithm, transitions: int | None = None) -> None:
    """Reject hyperparameters that cannot be meant, or a batch larger than the data."""
    name = type(algorithm).__name__
    for field in dataclasses.fields(algorithm):
        value = getattr(algorithm, field.name)
        if not math.isfinite(value):
            raise BadInput(f"{name} needs a finite {field.name}, not {value}")
        counts = isinstance(value, int) and not isinstance(value, bool)
        if (counts or field.name in algorithm.POSITIVE) and value <= 0:
            raise BadInput(f"{name} needs {field.name} above 0, not {value:g}")
        if field.name in algorithm.FRACTIONS and not 0 < value < 1:
            raise BadInput(f"{name} needs {field.name} between 0 and 1, not {value:g}")
        if field.name in algorithm.SHARES and not 0 <= value <= 1:
            raise BadInput(f"{name} needs {field.name} from 0 to 1, not {value:g}")
    if transitions is not None and algorithm.batch_size > transitions:
        raise BadInput(
            f"a batch of {algorithm.batch_size} is larger than the dataset of "
            f"{transitions} transitions; set batch_size to at most {transitions}"
        )


def settings_of(algorithm: Algorithm) -> dict[str, Setting]:
    """All hyperparameters by name."""
    return dataclasses.asdict(algorithm)
