"""Draw scores and positive bias as in the paper, and performance profiles.

A question mark stands for missing and failed runs.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from instinct.data import ORIGINAL, PAPER_LABELS
from instinct.report.kit.figures import INK, figure, label_colors, styled
from instinct.report.kit.panels import Panels, arrange, lay_out, starts, unique
from instinct.study.statistics import Profile

BASELINES = {"behavior": "#7d7d7d", "BC": "#d0c6ee"}
"""Policies that read no reward, with their colors."""
ORDER = (*BASELINES, *PAPER_LABELS)
"""The order of bars; other labels come after these."""
PALE = "#aac6e6"
"""The color of infinite bars."""
MAX_NUMBERED = 24
"""Panels with at most this many bars have numbers above them."""
QUESTION: dict[str, Any] = {"marker": "$?$", "color": INK, "markersize": 6, "linestyle": ""}
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", INK)


class Bar(NamedTuple):
    """The mean of an algorithm on a dataset under a label, with its standard error.

    The label is None for behavior and BC, which read no reward. The mean is None for missing and
    failed runs.
    """

    dataset: str
    algorithm: str
    label: str | None
    mean: float | None
    stderr: float | None = None

    @property
    def kind(self) -> str:
        """The entry in the legend."""
        return self.label or self.algorithm


class BiasBar(NamedTuple):
    """The positive bias of a dataset by an algorithm, with its interval; None if unknown."""

    dataset: str
    algorithm: str
    bias: float | None
    low: float | None = None
    high: float | None = None


class Scale(NamedTuple):
    """A y axis: its quantity, smallest limits, decimals of numbers, and the best possible value."""

    quantity: str
    limits: tuple[float, float]
    decimals: int = 1
    best: float | None = None


SCORE = Scale("normalized score", (0, 115), best=100)
SUCCESS = Scale("success rate", (0, 1.05), decimals=2, best=1)
LENGTH = Scale("episode length", (0, 1050), decimals=0)


def draw_scores(bars: Iterable[Bar], scale: Scale = SCORE) -> Figure:
    """Draw bars with one standard error, and a dashed line at the best possible value."""
    panels = score_panels([*bars])
    shown = [bar for clusters in panels.values() for each in clusters for bar in each.bars]
    colors = bar_colors(shown)
    numbered = len(panels) == 1 and len(shown) <= MAX_NUMBERED
    with styled():
        drawing, axes = lay_out(panels, unit=0.3)
        for panel, clusters in zip(axes, panels.values(), strict=True):
            panel.set_ylabel(scale.quantity)
            panel.axhline(0, color=INK, linewidth=0.8)
            if scale.best is not None:
                panel.axhline(scale.best, color=INK, linewidth=0.7, linestyle=(0, (4, 3)), zorder=1)
            places = [
                (x, bar)
                for start, cluster in zip(starts(clusters), clusters, strict=True)
                for x, bar in enumerate(cluster.bars, start)
            ]
            draw_bars(panel, places, colors)
            if numbered:
                number_bars(panel, places, scale.decimals)
        axes[0].set_ylim(ends(shown, scale))
        drawing.legend(
            handles=legend(shown, colors),
            loc="outside upper center",
            ncols=int(drawing.get_figwidth() / 1.2),
            columnspacing=1.2,
            handlelength=1.2,
        )
    return drawing


def draw_bias(bars: Iterable[BiasBar]) -> Figure:
    """Draw bars from 1 on a log axis, with ∞ above the infinite ones."""
    panels = bias_panels([*bars])
    shown = [each.bars[0] for clusters in panels.values() for each in clusters]
    finite = [
        end
        for bar in shown
        for end in (bar.bias, bar.low, bar.high)
        if end is not None and end < math.inf
    ]
    bottom, top = 0.9 * min([1, *finite]), 2.5 * max([8, *finite])
    with styled():
        drawing, axes = lay_out(panels, unit=0.4)
        axes[0].set_yscale("log")
        axes[0].set_ylim(bottom, top)
        for panel, clusters in zip(axes, panels.values(), strict=True):
            panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if top < 60 else (1,)))
            panel.yaxis.set_minor_locator(NullLocator())
            panel.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            panel.set_ylabel("positive bias")
            panel.axhline(1, color=INK, linewidth=0.8)
            for start, cluster in zip(starts(clusters), clusters, strict=True):
                draw_bias_bar(panel, start, cluster.bars[0], top)
        if any(bar.bias is None for bar in shown):
            drawing.legend(handles=[missing()], loc="outside upper right")
    return drawing


def draw_profiles(profiles: Mapping[str, Profile], quantity: str = SCORE.quantity) -> Figure:
    """Draw the fraction of runs above τ, one line with an interval per name."""
    with styled():
        drawing = figure(6.2, 3.4)
        axes = drawing.add_subplot()
        for number, (name, profile) in enumerate(profiles.items()):
            shade, line = PALETTE[number % len(PALETTE)], LINES[number % len(LINES)]
            axes.plot(profile.taus, profile.fractions, color=shade, linestyle=line, label=name)
            axes.fill_between(
                profile.taus, profile.low, profile.high, color=shade, alpha=0.15, linewidth=0
            )
        axes.set_xlabel(f"{quantity} τ")
        axes.set_ylabel("fraction of runs above τ")
        axes.set_ylim(0, 1.02)
        axes.margins(x=0)
        drawing.legend(loc="outside right upper", handlelength=3)
    return drawing


def ends(bars: list[Bar], scale: Scale) -> tuple[float, float]:
    """Return the limits of the axis: those of the scale, extended to hold all bars and errors."""
    reached = [
        bar.mean + sign * (bar.stderr or 0)
        for bar in bars
        if bar.mean is not None
        for sign in (-1, 1)
    ]
    low, high = min([scale.limits[0], *reached]), max([scale.limits[1], *reached])
    room = (high - low) / 20 or 1
    below, above = low < scale.limits[0], high > scale.limits[1] or high == low
    return low - room * below, high + room * above


def draw_bars(panel: Axes, places: list[tuple[int, Bar]], colors: Mapping[str, str]) -> None:
    there = [(x, bar) for x, bar in places if bar.mean is not None]
    panel.bar(
        [x for x, _ in there],
        [bar.mean or 0 for _, bar in there],
        1,
        color=[colors[bar.kind] for _, bar in there],
        edgecolor=INK,
        linewidth=0.4,
    )
    certain = [(x, bar) for x, bar in there if bar.stderr is not None]
    panel.errorbar(
        [x for x, _ in certain],
        [bar.mean or 0 for _, bar in certain],
        [bar.stderr or 0 for _, bar in certain],
        fmt="none",
        ecolor=INK,
        elinewidth=0.9,
    )
    for x, bar in places:
        if bar.mean is None:
            mark_missing(panel, x)


def number_bars(panel: Axes, places: list[tuple[int, Bar]], decimals: int) -> None:
    for x, bar in places:
        if bar.mean is not None:
            top = max(bar.mean + (bar.stderr or 0), 0)
            number(panel, x, top, short_number(bar.mean, decimals))


def short_number(value: float, decimals: int) -> str:
    """Write a number with so few decimals that it is no wider than its bar.

    >>> short_number(2937.97, 2), short_number(-1.19, 2), short_number(87.44, 1)
    ('2938', '-1.19', '87.4')
    """
    digits = len(f"{abs(value):.0f}")
    return f"{value:.{max(0, min(decimals, 3 - digits))}f}"


def draw_bias_bar(panel: Axes, x: float, bar: BiasBar, top: float) -> None:
    """Draw one bar; an infinite bar is pale, and an infinite interval ends in an arrow."""
    if bar.bias is None:
        mark_missing(panel, x)
        return
    infinite = math.isinf(bar.bias)
    end, fill = (top / 1.6, PALE) if infinite else (bar.bias, ORIGINAL.color)
    panel.bar(x, end - 1, 1, bottom=1, color=fill, edgecolor=INK, linewidth=0.4)
    low, high = bar.low or bar.bias, bar.high or bar.bias
    panel.vlines(x, min(low, end), min(high, end if infinite else top), color=INK, linewidth=0.9)
    if infinite:
        panel.text(x, top / 1.3, "∞", ha="center", va="center", fontsize=14).set_in_layout(False)
    elif math.isinf(high):
        panel.plot(x, top / 1.05, "^", color=INK, markersize=4)
        number(panel, x, bar.bias, f"{bar.bias:.3g}", beside=True)
    else:
        number(panel, x, max(high, 1), f"{bar.bias:.3g}")


def number(panel: Axes, x: float, y: float, text: str, beside: bool = False) -> None:
    """Write a small number above a point, or above and beside it."""
    panel.annotate(
        text,
        (x, y),
        (2 if beside else 0, 1.5),
        textcoords="offset points",
        ha="left" if beside else "center",
        va="bottom",
        fontsize=7,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0},
    ).set_in_layout(False)


def mark_missing(panel: Axes, x: float) -> None:
    panel.plot(x, 0.08, transform=panel.get_xaxis_transform(), **QUESTION)


def missing() -> Line2D:
    return Line2D([], [], label="not run or failed", **QUESTION)


def legend(bars: list[Bar], colors: Mapping[str, str]) -> list[Patch | Line2D]:
    kinds: list[Patch | Line2D] = [
        Patch(facecolor=colors[kind], edgecolor=INK, linewidth=0.4, label=kind)
        for kind in unique(bar.kind for bar in bars)
    ]
    return [*kinds, missing()] if any(bar.mean is None for bar in bars) else kinds


def bar_colors(bars: Iterable[Bar]) -> dict[str, str]:
    """Return the color of every kind of bar."""
    return BASELINES | label_colors(bar.kind for bar in bars if bar.kind not in BASELINES)


def score_panels(bars: list[Bar]) -> Panels[Bar]:
    """Arrange the bars, with a place for every label in every cluster.

    Behavior has a place only where it is known, because it is never run.
    """
    there = {(bar.dataset, bar.algorithm, bar.label): bar for bar in bars}
    kinds = sorted(unique(bar.kind for bar in bars), key=lambda kind: [*ORDER, kind].index(kind))

    labels_used = {bar.label for bar in bars}
    labeled = {bar.algorithm for bar in bars if bar.label is not None}

    def of(dataset: str, algorithm: str) -> list[Bar]:
        if algorithm == "behavior" and (dataset, algorithm, None) not in there:
            return []
        labels = [k for k in kinds if k in labels_used] if algorithm in labeled else [None]
        return [
            there.get((dataset, algorithm, label), Bar(dataset, algorithm, label, None))
            for label in labels
        ]

    return arrange(
        (bar.dataset for bar in bars),
        unique(bar.algorithm for bar in bars if bar.algorithm not in BASELINES),
        of,
        baselines=[name for name in BASELINES if name in kinds],
    )


def bias_panels(bars: list[BiasBar]) -> Panels[BiasBar]:
    there = {(bar.dataset, bar.algorithm): bar for bar in bars}
    return arrange(
        (bar.dataset for bar in bars),
        unique(bar.algorithm for bar in bars),
        lambda dataset, name: [there.get((dataset, name), BiasBar(dataset, name, None))],
    )
