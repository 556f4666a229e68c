"""Study: something that can be run by its name, with settings that are checked before it starts."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from instinct.errors import BadInput
from instinct.experiments.results import Results

Value = int | float
Settings = Mapping[str, Value]
Progress = Callable[[int, int, str], None]
"""Called with how many steps are done, how many there are, and what was done last."""


@dataclass(frozen=True)
class Study:
    """A name, what it shows, its settings with their defaults, and how it is run."""

    name: str
    description: str
    defaults: Settings
    run: Callable[[Settings, Progress], Results]
    runs: Callable[[Settings], int] = lambda _: 1
    """How many runs there are with such settings."""
    least: Settings = field(default_factory=dict)
    """The smallest value of a setting, where that is not 0."""

    def settings(self, assignments: Iterable[str] = (), **given: Value) -> Settings:
        """The defaults, but for `name=value` texts and values given by name."""
        chosen = dict(self.defaults) | given
        for assignment in assignments:
            name, _, text = assignment.partition("=")
            if name not in self.defaults:
                known = ", ".join(self.defaults)
                raise BadInput(f"{self.name} has no setting {name!r}; it has {known}")
            chosen[name] = self._value(name, text)
        return chosen

    def _value(self, name: str, text: str) -> Value:
        kind = type(self.defaults[name])
        try:
            value: Value = kind(text)
        except ValueError:
            need = "a whole number" if kind is int else "a number"
            raise BadInput(f"{name} must be {need}, not {text!r}") from None
        least = self.least.get(name, 0)
        if not least <= value < float("inf"):
            raise BadInput(f"{name} must be finite and at least {least:g}, not {text}")
        return value


def seconds(study: Study) -> float:
    """How long a study takes, told from the smallest one that there is."""
    small = dict(study.defaults) | dict(study.least)
    started = time.perf_counter()
    study.run(small, lambda *_: None)
    return (time.perf_counter() - started) * study.runs(study.defaults) / study.runs(small)
