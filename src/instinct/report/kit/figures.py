"""What all figures share: one look, and files that are the same for the same contents."""

import io
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib.style
from matplotlib.figure import Figure

from instinct.errors import BadInput
from instinct.util.atomic import replacing

FORMATS = (".svg", ".pdf", ".png")
INK, GRID = "#222222", "#dddddd"
LABEL_COLORS = {
    "original": "#1f5fa8",
    "zero": "#ffb74d",
    "random": "#f57c00",
    "negative": "#bf360c",
}
"""Lines of what was trained on each label."""
OTHER_COLORS = ("#7e57c2", "#2e7d32", "#00838f", "#ad1457", "#6d4c41")
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
    "xtick.color": INK,
    "ytick.color": INK,
}


def styled() -> AbstractContextManager[None]:
    """The look of all figures, while they are drawn and written."""
    return matplotlib.style.context(STYLE)


def figure(width: float, height: float) -> Figure:
    return Figure(figsize=(width, height), layout="constrained")


def check_format(path: Path) -> None:
    """Refuse a name that cannot be drawn to, before any work is done."""
    if path.suffix not in FORMATS:
        raise BadInput(f"a figure must end in {', '.join(FORMATS)}", file=path)


def save(drawing: Figure, path: Path) -> None:
    check_format(path)
    with replacing(path) as scratch, styled():
        drawing.savefig(scratch, metadata={} if path.suffix == ".png" else dateless(path.suffix))


def svg(drawing: Figure) -> str:
    """The figure as the text of an SVG file."""
    buffer = io.StringIO()
    with styled():
        drawing.savefig(buffer, format="svg", metadata=dateless(".svg"))
    return buffer.getvalue()


def dateless(suffix: str) -> dict[str, None]:
    return {"Date": None} if suffix == ".svg" else {"CreationDate": None}
