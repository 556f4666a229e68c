"""The length bias: one mark per episode, its length against its return or score."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from instinct.data import Array
from instinct.report.figures import figure, styled


@dataclass(frozen=True)
class Scatter:
    """The episodes of one dataset, and what their y values are."""

    title: str
    lengths: Array
    values: Array
    quantity: str = "return"


def draw(scatter: Scatter) -> Figure:
    """Crosses as in the paper; a scatter of normalised scores has the paper's axes."""
    drawing = figure(4.6, 3.4)
    with styled():
        axes = drawing.add_subplot()
        mark(axes, scatter)
        axes.set_title(scatter.title)
        axes.set_xlabel("episode length")
        axes.set_ylabel(scatter.quantity)
    return drawing


def draw_grid(rows: Sequence[Sequence[Scatter]]) -> Figure:
    """All scatters in one figure, as in the paper: a row per task, a column per quality."""
    columns = len(rows[0])
    drawing = figure(2.5 * columns, 2.1 * len(rows))
    with styled():
        grid = drawing.subplots(len(rows), columns, squeeze=False)
        for line, scatters in zip(grid, rows, strict=True):
            for axes, scatter in zip(line, scatters, strict=True):
                mark(axes, scatter)
                axes.set_title(scatter.title, fontsize=9)
            line[0].set_ylabel(scatters[0].quantity)
        for axes in grid[-1]:
            axes.set_xlabel("episode length")
    return drawing


def mark(axes: Axes, scatter: Scatter) -> None:
    axes.scatter(
        scatter.lengths,
        scatter.values,
        marker="x",
        s=28,
        linewidths=1.2,
        color="#1f5fa8",
        rasterized=len(scatter.lengths) > 1000,
    )
    axes.set_xlim(left=0)
    if scatter.quantity == "normalised score":
        axes.set_xlim(0, max(1000, scatter.lengths.max()) * 1.02)
        axes.set_ylim(min(0, scatter.values.min()), max(120, scatter.values.max()))
