"""Draw learning curves: a panel per quantity, a line with a band per label."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from instinct.data import Array
from instinct.report.kit.figures import figure, label_colors, styled


class PanelGrid(NamedTuple):
    """Panels side by side, and width and height of each in inches."""

    across: int
    width: float
    height: float


WIDE, PHONE = PanelGrid(3, 3.3, 2.3), PanelGrid(2, 2.4, 2.0)
"""How panels are arranged on a page, and on a phone."""


@dataclass(frozen=True)
class Curve:
    """A quantity over training steps under one label: mean, and the lowest and highest seed."""

    name: str
    label: str
    steps: Array
    mean: Array
    low: Array
    high: Array


def draw(curves: Sequence[Curve], grid: PanelGrid = WIDE) -> Figure:
    """Draw one panel per quantity with a shared legend, in the order of the curves."""
    names = [*dict.fromkeys(curve.name for curve in curves)]
    colors = label_colors(curve.label for curve in curves)
    columns = min(grid.across, len(names))
    lines = math.ceil(len(names) / columns)
    drawing = figure(grid.width * columns, grid.height * lines + 0.4)
    with styled():
        panels: list[Axes] = [*drawing.subplots(lines, columns, squeeze=False).flat]
        for panel, name in zip(panels, names, strict=False):
            for curve in curves:
                if curve.name == name:
                    plot(panel, curve, colors[curve.label])
            panel.set_title(name)
            panel.set_xlabel("steps")
            panel.xaxis.set_major_formatter(EngFormatter(sep=""))
        for panel in panels[len(names) :]:
            panel.remove()
        handles = {str(line.get_label()): line for panel in panels for line in panel.lines}
        drawing.legend(
            handles.values(),
            handles,
            loc="outside lower center",
            ncols=min(len(handles), 2 * columns),
        )
    return drawing


def plot(panel: Axes, curve: Curve, color: str) -> None:
    panel.plot(curve.steps, curve.mean, color=color, linewidth=1.4, label=curve.label)
    panel.fill_between(curve.steps, curve.low, curve.high, color=color, alpha=0.18, linewidth=0)
