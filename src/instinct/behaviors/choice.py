"""Which behavior of a task is the default of a quality, with the facts that decided.

The default is the behavior whose data are nearest to wanted facts. What agents learn from the data
has no part in the choice.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from instinct.behaviors.shipped import FIRST, FOLDER
from instinct.util.atomic import write_atomically

FILE = "choice.json"


class Fact(NamedTuple):
    """A wanted value, such as a mean length, and the deviation that counts as 1."""

    name: str
    value: float
    unit: float


def distance(measured: Mapping[str, float], wanted: Sequence[Fact]) -> float:
    """Return the mean of |measured − wanted| / unit; infinite if a fact was not measured."""
    deviations = [
        abs(measured[fact.name] - fact.value) / fact.unit if fact.name in measured else math.inf
        for fact in wanted
    ]
    return sum(deviations) / len(deviations)


@dataclass(frozen=True)
class Candidate:
    """A behavior with the measured facts of its data and their distance to the wanted ones."""

    behavior: str
    measured: Mapping[str, float]
    distance: float


@dataclass(frozen=True)
class Choice:
    """The candidates for a quality; facts were measured on so many transitions of each."""

    quality: str
    transitions: int
    wanted: tuple[Fact, ...]
    candidates: tuple[Candidate, ...]

    @property
    def default(self) -> str:
        """The nearest behavior; the first of equals."""
        return min(self.candidates, key=lambda each: each.distance).behavior


def compare(
    quality: str,
    transitions: int,
    wanted: tuple[Fact, ...],
    measured: Mapping[str, Mapping[str, float]],
) -> Choice:
    """Compare the data of several behaviors with the wanted facts."""
    candidates = [Candidate(name, m, distance(m, wanted)) for name, m in measured.items()]
    return Choice(quality, transitions, wanted, tuple(candidates))


@cache
def choices(task: str, folder: Path = FOLDER) -> dict[str, Choice]:
    """Return the recorded choices of a task by quality; none if it has only one behavior."""
    path = folder / task / FILE
    rows = json.loads(path.read_text("utf-8"))["choices"] if path.exists() else []
    return {
        row["quality"]: Choice(
            row["quality"],
            row["transitions"],
            tuple(Fact(*fact) for fact in row["wanted"]),
            tuple(Candidate(**candidate) for candidate in row["candidates"]),
        )
        for row in rows
    }


def default_behavior(task: str, quality: str, folder: Path = FOLDER) -> str:
    """Return the behavior that records a dataset when none is named."""
    chosen = choices(task, folder).get("medium" if quality == "medium-expert" else quality)
    return FIRST if chosen is None else chosen.default


def write_choices(task: str, found: Sequence[Choice], folder: Path = FOLDER) -> None:
    """Record the choices of a task beside its policies."""
    rows = [{"default": each.default, **asdict(each)} for each in found]
    text = json.dumps({"task": task, "choices": rows}, indent=2) + "\n"
    write_atomically(folder / task / FILE, text.encode())
    choices.cache_clear()
