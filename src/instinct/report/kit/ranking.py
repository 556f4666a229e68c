"""Draw the positive bias of many datasets, one row each, the largest on top."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from instinct.data import ORIGINAL
from instinct.report.kit.figures import GRID, INK, figure, styled
from instinct.report.kit.score_figures import PALE
from instinct.report.kit.tables import rounded

ROW = 0.27
"""Inches."""
BEYOND = 1.6
"""An infinite value ends at this multiple of the largest finite end."""


class Ranked(NamedTuple):
    """The positive bias of a dataset with its interval, if there is one."""

    name: str
    bias: float
    low: float | None = None
    high: float | None = None


def draw_ranking(rows: Sequence[Ranked]) -> Figure:
    """Draw bars from 1 on a log axis in the order of the rows; pale bars and arrows are endless."""
    finite = [x for row in rows for x in row[1:] if x is not None and math.isfinite(x)]
    end = BEYOND * max([8.0, *finite])
    with styled():
        drawing = figure(7.2, 0.7 + ROW * len(rows))
        axes = drawing.add_subplot()
        axes.set_xscale("log")
        axes.set_xlim(0.9 * min([1.0, *finite]), 3.0 * end)
        for y, row in enumerate(rows):
            right = min(row.bias, end)
            fill = PALE if math.isinf(row.bias) else ORIGINAL.color
            axes.barh(y, right - 1, 0.62, left=1, color=fill, edgecolor=INK, linewidth=0.4)
            reach = right
            if row.low is not None and row.high is not None and math.isfinite(row.low):
                reach = min(row.high, end)
                axes.hlines(y, row.low, reach, color=INK, linewidth=0.9)
                if math.isinf(row.high):
                    axes.plot(reach, y, ">", color=INK, markersize=4)
            axes.annotate(
                rounded(row.bias, ".1f"),
                (max(reach, right, 1.0), y),
                (5, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
        axes.axvline(1, color=INK, linewidth=0.8)
        axes.set_yticks(range(len(rows)), [row.name for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0, labelsize=8)
        axes.grid(visible=False, axis="y")
        axes.grid(visible=True, axis="x", color=GRID)
        axes.spines.left.set_visible(False)
        axes.xaxis.set_major_locator(LogLocator())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.set_xlabel("positive bias")
    return drawing
