"""Draw the length bias: one mark per episode, its return or score against its length."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from instinct.data import Array
from instinct.report.kit.figures import figure, styled

BLUE, ORANGE = "#1f5fa8", "#d9792b"
HORIZON = 1000
"""The longest episode in the paper's figures."""


@dataclass(frozen=True)
class Scatter:
    """The episodes of one dataset: lengths, values, and successes if there is a goal."""

    title: str
    lengths: Array
    values: Array
    quantity: str = "return"
    successes: Array | None = None
    horizon: int = HORIZON
    """The longest episode that there can be, at the end of the axis of lengths."""


def draw(scatter: Scatter) -> Figure:
    """Draw one dataset with crosses as in the paper; normalized scores have the paper's axes."""
    drawing = figure(4.6, 3.4)
    with styled():
        axes = drawing.add_subplot()
        draw_episodes(axes, scatter)
        axes.set_title(scatter.title)
        axes.set_xlabel("episode length")
        axes.set_ylabel(scatter.quantity)
        if scatter.successes is not None:
            axes.legend()
    return drawing


def draw_grid(rows: Sequence[Sequence[Scatter]]) -> Figure:
    """Draw all scatters in one figure; those with goals share axes and a legend."""
    columns, goals = len(rows[0]), rows[0][0].successes is not None
    drawing = figure(2.5 * columns, 2.1 * len(rows))
    with styled():
        grid = drawing.subplots(len(rows), columns, squeeze=False, sharex=goals, sharey=goals)
        for line, scatters in zip(grid, rows, strict=True):
            for axes, scatter in zip(line, scatters, strict=True):
                draw_episodes(axes, scatter)
                axes.set_title(scatter.title, fontsize=9)
            line[0].set_ylabel(scatters[0].quantity)
        for axes in grid[-1]:
            axes.set_xlabel("episode length")
        if goals:
            longest = max(scatter.lengths.max() for line in rows for scatter in line)
            grid[0][0].set_xlim(0, 1.04 * longest)
            handles, labels = grid[0][0].get_legend_handles_labels()
            drawing.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return drawing


def draw_episodes(axes: Axes, scatter: Scatter) -> None:
    """Draw successes in blue and failures in orange; without a goal, all episodes in blue."""
    reached, points = scatter.successes, (scatter.lengths, scatter.values)
    if reached is None:
        draw_crosses(axes, points, np.ones(len(scatter.lengths), bool), BLUE)
    else:
        draw_crosses(axes, points, reached, BLUE, "success, ends by a terminal")
        draw_crosses(axes, points, ~reached, ORANGE, "failure, ends by a timeout")
    axes.set_xlim(left=0)
    if scatter.quantity == "normalized score":
        axes.set_xlim(0, max(scatter.horizon, scatter.lengths.max()) * 1.02)
        axes.set_ylim(min(0, scatter.values.min()), max(120, scatter.values.max()))


def draw_crosses(
    axes: Axes, points: tuple[Array, Array], which: Array, color: str, label: str | None = None
) -> None:
    """Draw some of the points (x, y) as crosses."""
    x, y = points
    axes.scatter(
        x[which],
        y[which],
        marker="x",
        s=28,
        linewidths=1.2,
        color=color,
        label=label,
        rasterized=len(x) > 1000,
    )
