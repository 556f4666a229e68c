"""What a page shows while its study is running."""

import math
from dataclasses import dataclass

REFRESH = 5
"""Seconds after which a page that is not final loads itself again."""


@dataclass(frozen=True)
class Spark:
    """A small curve of a metric over training steps.

    >>> Spark("loss", ((0.0, 2.0), (50.0, 1.0), (100.0, 0.0))).line
    '0.0,0.0 50.0,50.0 100.0,100.0'
    """

    name: str
    points: tuple[tuple[float, float], ...]

    @property
    def last(self) -> str:
        return f"{self.points[-1][1]:.3g}"

    @property
    def line(self) -> str:
        """The points in a square of 100 units, with y downwards."""
        known = [(x, y) for x, y in self.points if math.isfinite(y)]
        if len(known) < 2:
            return ""
        (left, low), (right, high) = (
            tuple(map(pick, zip(*known, strict=True))) for pick in (min, max)
        )
        wide, tall = (right - left) or 1.0, (high - low) or 1.0
        return " ".join(
            f"{100 * (x - left) / wide:.1f},{100 * (high - y) / tall:.1f}" for x, y in known
        )


@dataclass(frozen=True)
class RunningRun:
    """A run that is running: its stage, how far that is, and its curves so far."""

    name: str
    dataset: str
    stage: str
    step: int
    steps: int
    sparks: tuple[Spark, ...] = ()


@dataclass(frozen=True)
class Live:
    """How far a study is, what is running, and when this was written."""

    ended: int
    trials: int
    running: tuple[RunningRun, ...]
    at: str
    doing: str = ""
    """What is done besides runs, such as estimates."""
    refresh: int = REFRESH
