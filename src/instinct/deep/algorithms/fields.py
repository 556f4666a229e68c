"""Fields of algorithms: a default value and the range of values that is accepted."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar, cast

Setting = str | float | int | bool
"""The value of a hyperparameter."""
Settings = Mapping[str, Setting]
"""Hyperparameters by name."""
V = TypeVar("V", bound=Setting)


class Choices(NamedTuple):
    """The words that a field accepts."""

    words: tuple[str, ...]

    def __contains__(self, value: object) -> bool:
        return value in self.words

    def __str__(self) -> str:
        return f"to be {', '.join(self.words[:-1])} or {self.words[-1]}"


class Range(NamedTuple):
    """The values that a field accepts; `above` and `below` exclude the bound itself."""

    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None

    def __contains__(self, value: object) -> bool:
        number = float(cast("float", value))
        return (
            math.isfinite(number)
            and (self.above is None or number > self.above)
            and (self.at_least is None or number >= self.at_least)
            and (self.below is None or number < self.below)
            and (self.at_most is None or number <= self.at_most)
        )

    def __str__(self) -> str:
        if self.above is not None and self.below is not None:
            return f"between {self.above:g} and {self.below:g}"
        if self.at_least is not None and self.at_most is not None:
            return f"from {self.at_least:g} to {self.at_most:g}"
        bounds = {
            "above": self.above,
            "at least": self.at_least,
            "below": self.below,
            "at most": self.at_most,
        }
        parts = [f"{words} {bound:g}" for words, bound in bounds.items() if bound is not None]
        return " and ".join(parts) or "finite"


def setting(
    default: V,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    words: tuple[str, ...] = (),
    since: int = 1,
) -> V:
    """Declare a hyperparameter with its default and its range, or the words that it may be.

    `since` is 2 or more for a hyperparameter that the algorithm did not have at first: it counts in
    the identity of a trial (in the identity of a stage, from 3 on) only where it differs from its
    default, so that earlier results stay valid.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Example:
    ...     beta: float = setting(1.0, above=0)
    >>> Example().beta
    1.0
    """
    accepted = Choices(words) if words else Range(above, at_least, below, at_most)
    metadata = {"range": accepted, "since": since}
    return dataclasses.field(default=default, metadata=metadata)


def range_of(field: "dataclasses.Field[Any]") -> Range | Choices:
    """Return the range of a field; a field declared without `setting` accepts all finite values."""
    found = field.metadata.get("range", Range())
    assert isinstance(found, Range | Choices)
    return found
