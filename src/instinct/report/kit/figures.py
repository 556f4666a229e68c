"""What all figures share: one style, and files that depend only on their contents."""

import io
import math
import warnings
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import matplotlib.style
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, NullFormatter

from instinct.data import find_label
from instinct.errors import BadInput
from instinct.util.atomic import replacing
from instinct.util.hashing import hash_bytes
from instinct.util.text import plain

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
FORMATS = (".svg", ".pdf", ".png")
INK, GRID = "#222222", "#dddddd"
FALLBACK_COLORS = (
    *("#7e57c2", "#2e7d32", "#00838f", "#ad1457"),
    *("#6d4c41", "#5c6bc0", "#9e9d24", "#546e7a"),
)
"""For labels without a color of their own, and for lines that are not labels."""
STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": 10,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "instinct",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}


def styled() -> AbstractContextManager[None]:
    """Apply the style of all figures while they are drawn and written."""
    return matplotlib.style.context(STYLE)


@contextmanager
def written_as_it_is(drawing: Figure) -> Iterator[None]:
    """Write texts of files without control characters, and without warnings about glyphs."""
    for text in drawing.findobj(Text):
        if text.get_text() != plain(text.get_text()):
            text.set_text(plain(text.get_text()))
    with styled(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def label_colors(names: Iterable[str]) -> dict[str, str]:
    """Choose the color of every label: its own, else a fallback that depends on its name.

    Two names have different colors as long as there are enough.
    """
    names = [*dict.fromkeys(names)]
    colors = {name: own_color(name) for name in names}
    free = [*FALLBACK_COLORS]
    for name in sorted(name for name in names if not colors[name]):
        free = free or [*FALLBACK_COLORS]
        wanted = int(hash_bytes(name.encode()), 16) % len(FALLBACK_COLORS)
        order = FALLBACK_COLORS[wanted:] + FALLBACK_COLORS[:wanted]
        colors[name] = next(color for color in order if color in free)
        free.remove(colors[name])
    return colors


def own_color(name: str) -> str:
    try:
        return find_label(name).color
    except BadInput:
        return ""


def figure(width: float, height: float) -> Figure:
    return Figure(figsize=(width, height), layout="constrained")


def label_powers(axis: Axis) -> None:
    """Label a logarithmic axis with powers of ten, in plain text."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(value)))
    axis.set_minor_formatter(NullFormatter())


def power_of_ten(value: float) -> str:
    """Write a number such as 0.01 or -10 as a power of ten.

    >>> power_of_ten(0.01), power_of_ten(-10), power_of_ten(0)
    ('10⁻²', '−10¹', '0')
    """
    if value == 0:
        return "0"
    exponent = str(round(math.log10(abs(value)))).translate(SUPERSCRIPTS)
    return f"{'−' if value < 0 else ''}10{exponent}"


def check_format(path: Path) -> None:
    """Refuse a file name that is no figure, before any work is done."""
    if path.suffix not in FORMATS:
        raise BadInput(f"a figure must end in {', '.join(FORMATS)}", file=path)


def save(drawing: Figure, path: Path) -> None:
    check_format(path)
    with replacing(path) as scratch, written_as_it_is(drawing):
        drawing.savefig(
            scratch, metadata={} if path.suffix == ".png" else without_date(path.suffix)
        )


def svg(drawing: Figure) -> str:
    """Return the figure as the text of an SVG file.

    Its layout stays as it is then, because computing it again for every file takes as long as
    drawing.
    """
    buffer = io.StringIO()
    with written_as_it_is(drawing):
        drawing.savefig(buffer, format="svg", metadata=without_date(".svg"))
    drawing.set_layout_engine("none")
    return plain(buffer.getvalue())


def without_date(suffix: str) -> dict[str, None]:
    return {"Date": None} if suffix == ".svg" else {"CreationDate": None}
