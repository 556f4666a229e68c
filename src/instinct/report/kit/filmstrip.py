"""Draw episodes as strips of pictures, one above the other, at the same times."""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from instinct.data import Array
from instinct.report.kit.figures import figure, styled

TEXT = "#757d87"
"""Readable on white and on black, since pictures have no ground of their own."""
SHAPE = 0.9
"""Height over width of a picture."""


class Strip(NamedTuple):
    """The pictures of one episode; None where it has ended."""

    name: str
    pictures: Sequence[Array | None]
    end: str
    """What is written after the last picture of an episode that has ended."""


def draw_filmstrip(strips: Sequence[Strip], steps: Sequence[int], width: float = 1.35) -> Figure:
    """Draw the strips with the time above every column; a picture is `width` inches wide."""
    with styled():
        drawing = figure(width * len(steps), SHAPE * width * len(strips) + 0.25)
        drawing.patch.set_alpha(0)
        grid = drawing.subplots(len(strips), len(steps), squeeze=False)
        for line, strip in zip(grid, strips, strict=True):
            said = False
            for axes, picture in zip(line, strip.pictures, strict=True):
                axes.set(xticks=[], yticks=[])
                axes.spines[:].set_visible(False)
                axes.grid(visible=False)
                axes.patch.set_alpha(0)
                axes.set_box_aspect(SHAPE)
                if picture is not None:
                    axes.imshow(picture)
                elif not said:
                    said = True
                    place = {"transform": axes.transAxes, "va": "center", "fontsize": 9}
                    axes.text(0.0, 0.5, strip.end, color=TEXT, **place)
            line[0].set_ylabel(strip.name, color=TEXT, fontsize=9)
        for axes, step in zip(grid[0], steps, strict=True):
            axes.set_title(f"step {step:,}", fontsize=9, color=TEXT)
    return drawing
