"""A plot of means with their intervals on one axis, as data that the page lays out itself.

It is drawn by the page's own style sheet: its text stays text of the page, readable on a phone, in
the dark and in print.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from matplotlib.ticker import MaxNLocator

Kind = Literal["true", "wrong", "imitation", "recorded", "other"]
TICKS = 4
"""The largest number of intervals between ticks."""
CLIPPED = 0.6
"""An interval reaches at most this multiple of the range of the means beyond them."""
MARGIN = 0.06


@dataclass(frozen=True)
class Dot:
    """A mean; without an interval if there is none to be had."""

    kind: Kind
    value: float
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, ...]:
        """The finite ends of the interval."""
        return tuple(x for x in (self.low, self.high) if x is not None and math.isfinite(x))


@dataclass(frozen=True)
class Line:
    """A row of the plot: its name, what it is of, its dots, and the number beside it."""

    name: str
    dots: tuple[Dot, ...]
    detail: str = ""
    number: str = ""


@dataclass(frozen=True)
class Bar:
    """A dot with its interval in percent of the axis, and whether the interval goes on."""

    kind: Kind
    at: float
    start: float | None = None
    width: float | None = None
    goes_on: str = ""


@dataclass(frozen=True)
class DotPlot:
    """Rows of dots on one axis, and the gap to look at.

    >>> plot = DotPlot("score", (Line("true", (Dot("true", 90.0, 80.0, 100.0),)),))
    >>> [text for _, text in plot.ticks]
    ['80', '90', '100']
    """

    quantity: str
    lines: tuple[Line, ...]
    gap: tuple[float, float] | None = None
    """Between which two values the gap is."""
    best: float | None = None
    """The best possible value."""
    caption: str = ""

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the axis: all means, and intervals up to a limit."""
        dots = [dot for line in self.lines for dot in line.dots]
        means = [*(dot.value for dot in dots), *(self.gap or ())]
        if self.best is not None:
            means.append(self.best)
        low, high = min(means), max(means)
        span = (high - low) or abs(high) or 1.0
        ends = [end for dot in dots for end in dot.ends]
        low = min(low, max(min([*ends, low]), low - CLIPPED * span))
        high = max(high, min(max([*ends, high]), high + CLIPPED * span))
        room = MARGIN * ((high - low) or span)
        return low - room, high + room

    def place(self, value: float) -> float:
        """Return where a value is, in percent of the axis."""
        low, high = self.limits
        return round(100 * (value - low) / (high - low), 3)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """The places of the ticks in percent, with their texts."""
        low, high = self.limits
        values = [
            float(x)
            for x in MaxNLocator(TICKS, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
            if low <= x <= high
        ]
        return tuple((self.place(x), f"{x:g}".replace("-", "−")) for x in values)

    @property
    def band(self) -> tuple[float, float] | None:
        """The start and the width of the gap in percent."""
        if self.gap is None:
            return None
        start, end = sorted(map(self.place, self.gap))
        return start, round(end - start, 3)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return the kinds of dots for the key, if rows have dots of several kinds."""
        if all(len(line.dots) == 1 for line in self.lines):
            return ()
        return tuple(dict.fromkeys(dot.kind for line in self.lines for dot in line.dots))

    def bars(self, line: Line) -> Iterator[Bar]:
        """Yield the dots of a row with their places."""
        for dot in line.dots:
            if dot.low is None or dot.high is None:
                yield Bar(dot.kind, self.place(dot.value))
                continue
            ends = [
                self.place(x) if math.isfinite(x) else math.copysign(math.inf, x)
                for x in (dot.low, dot.high)
            ]
            start, end = max(ends[0], 0.0), min(ends[1], 100.0)
            beyond = " ".join(
                side for side, out in (("left", ends[0] < 0), ("right", ends[1] > 100)) if out
            )
            yield Bar(dot.kind, self.place(dot.value), start, round(end - start, 3), beyond)
