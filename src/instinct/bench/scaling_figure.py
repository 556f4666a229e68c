"""Draw how the time of a study grows with its transitions, its runs and the cores."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from instinct.bench.scaling import ScalingPoint
from instinct.report.kit.figures import FALLBACK_COLORS, INK, figure, label_powers, styled


def draw_scaling(points: Sequence[ScalingPoint]) -> Figure:
    """Draw one panel per curve, with seconds above what grows."""
    curves = [*dict.fromkeys(point.curve for point in points)]
    with styled():
        drawing = figure(3.4 * len(curves), 3.0)
        for i, curve in enumerate(curves, start=1):
            mine = [point for point in points if point.curve == curve]
            draw_curve(drawing.add_subplot(1, len(curves), i), mine)
    return drawing


def draw_curve(axes: Axes, points: Sequence[ScalingPoint]) -> None:
    """Draw the points of a curve, and a dashed line for a time that is proportional to them.

    Over cores the dashed line is that of a time divided by their number.
    """
    curve = points[0].curve
    x = [getattr(point, curve) for point in points]
    seconds = [point.seconds for point in points]
    axes.plot(x, seconds, "o-", color=FALLBACK_COLORS[0])
    if curve == "cores":
        ideal = [seconds[0] * x[0] / each for each in x]
        axes.set_xticks(x)
        axes.set_ylim(bottom=0)
    else:
        ideal = [seconds[-1] * each / x[-1] for each in x]
        axes.set_xscale("log")
        axes.set_yscale("log")
        label_powers(axes.xaxis)
        label_powers(axes.yaxis)
        axes.set_ylim(bottom=min(seconds) / 3)
    axes.plot(x, ideal, color=INK, linewidth=0.8, linestyle="--")
    axes.set_xlabel(curve)
    axes.set_ylabel("seconds")
