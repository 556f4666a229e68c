"""Dose-response curves, read from the findings of the three kinds of studies."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from instinct.data import ALL, Array
from instinct.dose.changepoint import Changepoint, find_changepoint
from instinct.study.findings import Findings
from instinct.study.plan import reads_rewards

AXES = {
    "corrupt": "share of rewards replaced at random",
    "negate": "share of rewards with the wrong sign",
    "bad-episodes": "share of bad episodes",
    "early-episodes": "share of episodes that ended early",
}
"""What a dose is, by the name of its label or filter."""
GAP = "what the true reward adds"


class Point(NamedTuple):
    """The results of all seeds at a dose."""

    dose: float
    values: Array


class Line(NamedTuple):
    """One algorithm under one label, or under the label of every dose."""

    name: str
    points: tuple[Point, ...]


class Curve(NamedTuple):
    """The response to one kind of dose: the measured lines, and what the changepoint is of."""

    algorithm: str
    kind: str
    quantity: str
    lines: tuple[Line, ...]
    response: Line

    @property
    def axis(self) -> str:
        return AXES[self.kind]

    def changepoint(self) -> Changepoint | None:
        """Find the dose from which on the reward matters."""
        doses = np.array([point.dose for point in self.response.points])
        return find_changepoint(doses, [point.values for point in self.response.points])


def read_curves(findings: Findings) -> Iterator[Curve]:
    """Yield the curves of a study; doses without results are left out."""
    return Reader(findings).curves()


class Reader:
    """Reads the points of curves from the cells of a study."""

    def __init__(self, findings: Findings) -> None:
        self.findings, self.plan = findings, findings.plan
        self.dataset, self.quantity = findings.plan.datasets[0], str(findings.main)

    @cached_property
    def untouched(self) -> str:
        """The label of dose 0: the true rewards, on data with the terminals of all other doses."""
        cells = {cell.label for cell in self.plan.cells()}
        return "no-terminal" if "no-terminal" in cells else "original"

    def curves(self) -> Iterator[Curve]:
        for algorithm in filter(reads_rewards, self.plan.algorithms):
            for kind in ("corrupt", "negate"):
                labels = [name for name in self.plan.labels if name.startswith(f"{kind}:")]
                if labels:
                    doses = [(0.0, self.untouched), *((number(name), name) for name in labels)]
                    line = self.line(kind, [(dose, algorithm, name, "") for dose, name in doses])
                    yield Curve(algorithm, kind, self.quantity, (line,), line)
            for kind in ("bad-episodes", "early-episodes"):
                filters = [name for name in self.plan.filters if name.startswith(f"{kind}:")]
                if filters:
                    yield self.gap(algorithm, kind, filters)

    def gap(self, algorithm: str, kind: str, filters: list[str]) -> Curve:
        """Return the curve of the difference between true and zero rewards, seed by seed."""
        lines = [
            self.line(label, [(number(name), algorithm, label, name) for name in filters])
            for label in ("original", "zero")
        ]
        both = zip(*(line.points for line in lines), strict=False)
        differences = tuple(
            Point(true.dose, true.values - zero.values)
            for true, zero in both
            if true.dose == zero.dose and len(true.values) == len(zero.values)
        )
        return Curve(algorithm, kind, self.quantity, tuple(lines), Line(GAP, differences))

    def line(self, name: str, cells: list[tuple[float, str, str, str]]) -> Line:
        points = []
        for dose, algorithm, label, chosen in cells:
            found = self.findings.result(self.dataset, algorithm, label, chosen or ALL)
            if found is not None and self.quantity in found.means:
                points.append(Point(dose, found.means[self.quantity]))
        return Line(name, tuple(points))


def number(name: str) -> float:
    return float(name.partition(":")[2])
