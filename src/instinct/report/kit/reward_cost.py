"""Draw rewards against costs of agents with and without a filter, and of recorded episodes.

Marks to the right of the dashed line exceed the cost target. Agents without a filter are empty
marks, agents with a filter are filled marks, and an arrow leads from one to the other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.typing import FillStyleType

from instinct.data import ALL, Array
from instinct.report.kit.figures import INK, figure, styled
from instinct.report.kit.panels import unique
from instinct.report.kit.score_figures import PALETTE

SHAPES = ("o", "s", "^", "D", "v", "P")
FILLS: tuple[FillStyleType, ...] = ("full", "left", "top", "right", "bottom")
DASHES = (0, (4, 3))
CLOUD = "#9a9a9a"
ACROSS = 4
"""Panels side by side."""


class Agent(NamedTuple):
    """Reward and cost of an algorithm under a label and a filter, with standard errors."""

    algorithm: str
    label: str
    filter: str
    reward: float
    cost: float
    reward_error: float = 0.0
    cost_error: float = 0.0

    @property
    def pair(self) -> tuple[str, str]:
        """The key that agents share which differ only in the filter."""
        return self.algorithm, self.label


@dataclass(frozen=True)
class CostPanel:
    """The agents of one dataset, and (cost, reward) of some recorded episodes."""

    title: str
    agents: Sequence[Agent]
    episodes: Array


@dataclass(frozen=True)
class Look:
    """Colors of algorithms, shapes of labels, and fill styles of filters."""

    colors: dict[str, str]
    shapes: dict[str, str]
    fills: dict[str, FillStyleType]

    @classmethod
    def of(cls, agents: Sequence[Agent]) -> "Look":
        filters = [name for name in unique(agent.filter for agent in agents) if name != ALL]
        return cls(
            dict(zip(unique(agent.algorithm for agent in agents), cycle(PALETTE), strict=False)),
            dict(zip(unique(agent.label for agent in agents), cycle(SHAPES), strict=False)),
            {ALL: "none", **dict(zip(filters, cycle(FILLS), strict=False))},
        )


def draw_reward_cost(panels: Sequence[CostPanel], reward: str) -> Figure:
    """Draw one panel per dataset with a shared legend; `reward` is the label of the y axis."""
    columns = min(ACROSS, len(panels))
    lines = math.ceil(len(panels) / columns)
    alone = len(panels) == 1
    drawing = figure(*(7.4, 3.8) if alone else (2.5 * columns, 2.2 * lines + 0.6))
    look = Look.of([agent for panel in panels for agent in panel.agents])
    with styled():
        grid = drawing.subplots(lines, columns, squeeze=False)
        for axes, panel in zip(grid.flat, panels, strict=False):
            draw_panel(axes, panel, look)
        for axes in [*grid.flat][len(panels) :]:
            axes.remove()
        for row in grid:
            row[0].set_ylabel(reward)
        for axes in grid[-1]:
            axes.set_xlabel("normalized cost")
        drawing.legend(
            handles=legend(look),
            loc="outside right upper" if alone else "outside lower center",
            ncols=1 if alone else columns,
        )
    return drawing


def draw_panel(axes: Axes, panel: CostPanel, look: Look) -> None:
    axes.set_title(panel.title, fontsize=10)
    axes.axvline(1, color=INK, linewidth=0.9, linestyle=DASHES, zorder=1)
    if len(panel.episodes):
        costs, rewards = panel.episodes.T
        axes.scatter(costs, rewards, s=9, color=CLOUD, alpha=0.35, linewidths=0, zorder=1)
    whole = {agent.pair: agent for agent in panel.agents if agent.filter == ALL}
    for agent in panel.agents:
        color = look.colors[agent.algorithm]
        axes.errorbar(
            agent.cost,
            agent.reward,
            agent.reward_error,
            agent.cost_error,
            marker=look.shapes[agent.label],
            fillstyle=look.fills[agent.filter],
            color=color,
            markerfacecoloralt="white",
            markersize=6,
            elinewidth=0.9,
            zorder=3,
        )
        before = whole.get(agent.pair)
        if before is not None and before is not agent:
            arrow = {"arrowstyle": "->", "color": color, "shrinkA": 4, "shrinkB": 4}
            axes.annotate(
                "",
                (agent.cost, agent.reward),
                (before.cost, before.reward),
                arrowprops=arrow,
                zorder=2,
            )
    axes.set_xlim(left=0)


def legend(look: Look) -> list[Line2D]:
    """Make the legend; labels and filters are in it if there are several."""

    def mark(text: str, color: str = INK, shape: str = "o", fill: FillStyleType = "full") -> Line2D:
        return Line2D(
            *([], []),
            linestyle="",
            marker=shape,
            fillstyle=fill,
            color=color,
            markerfacecoloralt="white",
            label=text,
        )

    found = [mark(name, color) for name, color in look.colors.items()]
    if len(look.shapes) > 1:
        found += [mark(label, shape=shape) for label, shape in look.shapes.items()]
    if len(look.fills) > 1:
        found += [mark(f"data: {name}", fill=fill) for name, fill in look.fills.items()]
    found.append(mark("recorded episode", CLOUD))
    found.append(Line2D([], [], color=INK, linestyle=DASHES, label="cost target"))
    return found
