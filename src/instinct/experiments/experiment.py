"""Experiment: a computation without runs of agents, with its settings and its page."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from instinct.errors import BadInput
from instinct.experiments.results import ExperimentResults
from instinct.report.kit.page import Page
from instinct.util.progress import Progress, no_progress

Value = int | float
ExperimentSettings = Mapping[str, Value]


@dataclass(frozen=True)
class Experiment:
    """A named computation: default settings, the function that runs it, and its page.

    `compute(settings, on_progress)` returns the results; `compose(results)` makes their page.
    """

    name: str
    description: str
    defaults: ExperimentSettings
    compute: Callable[[ExperimentSettings, Progress], ExperimentResults]
    compose: Callable[[ExperimentResults], Page]
    count_runs: Callable[[ExperimentSettings], int] = lambda _: 1
    """Returns the number of runs with the given settings."""
    minimum: ExperimentSettings = field(default_factory=dict)
    """The smallest allowed value of a setting, where it is not 0."""

    def configure(self, assignments: Iterable[str] = (), **changes: Value) -> ExperimentSettings:
        """Return the defaults with changes by name and by `name=value` texts."""
        settings = dict(self.defaults) | changes
        for assignment in assignments:
            name, _, text = assignment.partition("=")
            if name not in self.defaults:
                known = ", ".join(self.defaults) or "none"
                raise BadInput(f"{self.name} has no setting {name!r}; its settings: {known}")
            settings[name] = self._parse(name, text)
        return settings

    def run(
        self, settings: ExperimentSettings | None = None, on_progress: Progress = no_progress
    ) -> ExperimentResults:
        """Compute the results with the given settings, by default with the defaults."""
        return self.compute(self.defaults if settings is None else settings, on_progress)

    def _parse(self, name: str, text: str) -> Value:
        kind = type(self.defaults[name])
        try:
            value: Value = kind(text)
        except ValueError:
            need = "a whole number" if kind is int else "a number"
            raise BadInput(f"{name} must be {need}, not {text!r}") from None
        minimum = self.minimum.get(name, 0)
        if not minimum <= value < float("inf"):
            raise BadInput(f"{name} must be finite and at least {minimum:g}, not {text}")
        return value


def predict_seconds(experiment: Experiment) -> float:
    """Predict the time of an experiment from one with the smallest settings."""
    small = dict(experiment.defaults) | dict(experiment.minimum)
    started = time.perf_counter()
    experiment.run(small)
    runs = experiment.count_runs(experiment.defaults) / experiment.count_runs(small)
    return (time.perf_counter() - started) * runs
