"""The figure of rewards against costs: agents with and without a filter, and the data's episodes.

What lies right of the dashed line costs more than the target. An agent without a filter is an
empty mark, the one with it a full mark, and an arrow leads from the one to the other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from instinct.data import ALL, Array
from instinct.report.figures import INK, figure, styled
from instinct.report.panels import unique
from instinct.report.score_figures import PALETTE

MARKERS = ("o", "s", "^", "D", "v", "P")
CLOUD = "#9a9a9a"
ACROSS = 4
"""Panels side by side."""


class Agent(NamedTuple):
    """What an algorithm reached under a label after a filter, with standard errors over seeds."""

    algorithm: str
    label: str
    filter: str
    reward: float
    cost: float
    reward_error: float = 0.0
    cost_error: float = 0.0

    @property
    def pair(self) -> tuple[str, str]:
        """What agents that differ in the filter alone have in common."""
        return self.algorithm, self.label


@dataclass(frozen=True)
class Panel:
    """The agents of one dataset, and cost and reward of some recorded episodes."""

    title: str
    agents: Sequence[Agent]
    episodes: Array


def draw_reward_cost(panels: Sequence[Panel], reward: str) -> Figure:
    """A panel for each dataset, with one legend; `reward` names the y axis."""
    columns = min(ACROSS, len(panels))
    lines = math.ceil(len(panels) / columns)
    size = (5.6, 3.8) if len(panels) == 1 else (2.5 * columns, 2.2 * lines + 0.6)
    agents = [agent for panel in panels for agent in panel.agents]
    colours = dict(zip(unique(agent.algorithm for agent in agents), PALETTE, strict=False))
    markers = dict(zip(unique(agent.label for agent in agents), MARKERS, strict=False))
    drawing = figure(*size)
    with styled():
        grid = drawing.subplots(lines, columns, squeeze=False)
        for axes, panel in zip(grid.flat, panels, strict=False):
            draw_panel(axes, panel, colours, markers)
        for axes in [*grid.flat][len(panels) :]:
            axes.remove()
        for row in grid:
            row[0].set_ylabel(reward)
        for axes in grid[-1]:
            axes.set_xlabel("normalised cost")
        handles = legend(agents, colours, markers)
        drawing.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 5))
    return drawing


def draw_panel(axes: Axes, panel: Panel, colours: dict[str, str], markers: dict[str, str]) -> None:
    axes.set_title(panel.title, fontsize=10)
    axes.axvline(1, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    if len(panel.episodes):
        costs, rewards = panel.episodes.T
        axes.scatter(costs, rewards, s=9, color=CLOUD, alpha=0.35, linewidths=0, zorder=1)
    whole = {agent.pair: agent for agent in panel.agents if agent.filter == ALL}
    for agent in panel.agents:
        colour = colours[agent.algorithm]
        axes.errorbar(
            agent.cost,
            agent.reward,
            agent.reward_error,
            agent.cost_error,
            fmt=markers[agent.label],
            color=colour,
            markerfacecolor="white" if agent.filter == ALL else colour,
            markersize=6,
            elinewidth=0.9,
            zorder=3,
        )
        before = whole.get(agent.pair)
        if before is not None and before is not agent:
            axes.annotate(
                "",
                (agent.cost, agent.reward),
                (before.cost, before.reward),
                arrowprops={
                    "arrowstyle": "->",
                    "color": colour,
                    "linewidth": 1,
                    "shrinkA": 4,
                    "shrinkB": 4,
                },
                zorder=2,
            )
    axes.set_xlim(left=0)


def legend(
    agents: Sequence[Agent], colours: dict[str, str], markers: dict[str, str]
) -> list[Line2D]:
    """Algorithms by colour, labels by shape if there are several, filters by filling."""

    def mark(text: str, colour: str, shape: str = "o", full: bool = True) -> Line2D:
        face = colour if full else "white"
        return Line2D([], [], linestyle="", marker=shape, color=colour, mfc=face, label=text)

    found = [mark(name, colour) for name, colour in colours.items()]
    if len(markers) > 1:
        found += [mark(label, INK, shape) for label, shape in markers.items()]
    filters = unique(agent.filter for agent in agents)
    if filters != [ALL]:
        found += [mark(f"data: {name}", INK, full=name != ALL) for name in filters]
    found.append(mark("recorded episode", CLOUD))
    found.append(Line2D([], [], color=INK, linestyle=(0, (4, 3)), label="cost target"))
    return found
