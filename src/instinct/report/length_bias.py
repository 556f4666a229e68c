"""The length bias: one mark per episode, its length against its return or score."""

from dataclasses import dataclass

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
        axes.scatter(
            scatter.lengths, scatter.values, marker="x", s=28, linewidths=1.2, color="#1f5fa8"
        )
        axes.set_title(scatter.title)
        axes.set_xlabel("episode length")
        axes.set_ylabel(scatter.quantity)
        axes.set_xlim(left=0)
        if scatter.quantity == "normalised score":
            axes.set_xlim(0, max(1000, scatter.lengths.max()) * 1.02)
            axes.set_ylim(min(0, scatter.values.min()), max(120, scatter.values.max()))
    return drawing
