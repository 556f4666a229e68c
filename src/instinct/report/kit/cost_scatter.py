"""Draw score against cost: one mark per episode, and the cost target."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from instinct.report.datasets import CostRow
from instinct.report.kit.figures import figure, styled
from instinct.report.kit.length_bias import BLUE, ORANGE, draw_crosses

COLUMNS = 4


def draw_costs(rows: Sequence[CostRow], target: float) -> Figure:
    """Draw a panel per dataset, four in a row; safe episodes in blue, the others in orange."""
    lines = -(-len(rows) // COLUMNS)
    drawing = figure(2.6 * COLUMNS, 2.1 * lines + 0.4)
    with styled():
        grid = drawing.subplots(lines, COLUMNS, squeeze=False)
        panels = grid.ravel()
        for axes, row in zip(panels, rows, strict=False):
            draw_episodes(axes, row, target)
        for axes in panels[len(rows) :]:
            axes.set_axis_off()
        for axes in grid[:, 0]:
            axes.set_ylabel("score")
        for axes in panels[max(0, len(rows) - COLUMNS) : len(rows)]:
            axes.set_xlabel("cost")
        handles, labels = panels[0].get_legend_handles_labels()
        drawing.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    return drawing


def draw_episodes(axes: Axes, row: CostRow, target: float) -> None:
    points = (row.costs, row.scores)
    draw_crosses(axes, points, row.safe, BLUE, "safe episode")
    draw_crosses(axes, points, ~row.safe, ORANGE, "unsafe episode")
    axes.axvline(target, color="#888888", linewidth=1, linestyle="--", label=f"κ = {target:.2f}")
    axes.set_xlim(left=-0.03 * max(row.costs.max(), target))
    axes.set_title(row.name, fontsize=9)
