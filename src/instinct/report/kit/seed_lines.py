"""Draw one thin line per run along its training: a panel per algorithm, a color per label."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter

from instinct.data import Array
from instinct.report.kit.curves import WIDE, PanelGrid
from instinct.report.kit.figures import figure, label_colors, styled


class SeedLine(NamedTuple):
    """A quantity of one run along its training; the last point is the final policy."""

    panel: str
    label: str
    steps: Array
    values: Array


def draw_lines(lines: Sequence[SeedLine], quantity: str, grid: PanelGrid = WIDE) -> Figure:
    """Draw the panels in the order of the lines, with one scale and one legend for all."""
    names = [*dict.fromkeys(line.panel for line in lines)]
    colors = label_colors(line.label for line in lines)
    columns = min(grid.across, len(names))
    rows = math.ceil(len(names) / columns)
    drawing = figure(grid.width * columns, grid.height * rows + 0.4)
    with styled():
        axes = drawing.subplots(rows, columns, squeeze=False, sharey=True)
        panels: list[Axes] = [*axes.flat]
        for panel, name in zip(panels, names, strict=False):
            for line in lines:
                if line.panel == name:
                    color = colors[line.label]
                    panel.plot(line.steps, line.values, color=color, linewidth=1)
                    panel.plot(line.steps[-1:], line.values[-1:], "o", color=color, markersize=3.5)
            panel.set_title(name)
            panel.set_xlabel("steps")
            panel.set_xlim(left=0)
            panel.xaxis.set_major_formatter(EngFormatter(sep=""))
        for panel in panels[len(names) :]:
            panel.remove()
        for first in axes[:, 0]:
            first.set_ylabel(quantity)
        handles = [Line2D([], [], color=color) for color in colors.values()]
        drawing.legend(
            handles, [*colors], loc="outside lower center", ncols=min(2 * columns, len(colors))
        )
    return drawing
