"""The map of the grid world, with its data and the agents' paths."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon, Rectangle

from instinct.benchmarks.gridworld.world import HEADINGS, KEY, LAVA, MOVES, WALL, GridWorld
from instinct.data import Array, Dataset
from instinct.report.kit.figures import INK, figure, styled

COLORS = {"BC": "#c62828", "PEVI": "#1f5fa8"}
OFFSETS = {"BC": -0.1, "PEVI": 0.1}
DATA = "#2e7d32"

GridPath = Sequence[Sequence[int]]
"""The (x, y, d) states of an episode."""


def draw_map(world: GridWorld, dataset: Dataset, paths: Mapping[str, GridPath]) -> Figure:
    """Draw the map: darker squares are more frequent in the data; lines are the agents' paths."""
    drawing = figure(4.6, 4.9)
    height, width = world.squares.shape
    with styled():
        axes = drawing.add_subplot()
        axes.set_aspect("equal")
        axes.set(xlim=(-0.05, width + 0.05), ylim=(height + 0.05, -0.05))
        axes.axis("off")
        frequency = visits(world, dataset)
        for y, x in np.ndindex(height, width):
            draw_square(axes, x, y, str(world.squares[y, x]), float(frequency[y, x]))
        for name, path in paths.items():
            draw_path(axes, name, path[: arrival(world, path) + 1])
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=len(paths))
    return drawing


def visits(world: GridWorld, dataset: Dataset) -> Array:
    """Return the fraction of transitions that start on each square, [y, x]."""
    counts = np.zeros(world.squares.shape)
    np.add.at(counts, (dataset.observations[:, 1], dataset.observations[:, 0]), 1)
    return counts / len(dataset)


def draw_square(axes: Axes, x: int, y: int, square: str, frequency: float) -> None:
    fill = {WALL: "#9e9e9e", LAVA: "#ffb27a"}.get(square, "white")
    axes.add_patch(Rectangle((x, y), 1, 1, facecolor=fill, edgecolor="#cccccc", linewidth=1))
    if frequency:
        alpha = min(1.0, 0.15 + 2.2 * frequency)
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=DATA, alpha=alpha, linewidth=0))
    if square == LAVA:
        wave = np.linspace(0.12, 0.88, 40)
        for level in (0.3, 0.5, 0.7):
            axes.plot(
                x + wave, y + level + 0.05 * np.sin(wave * 24), color="#d84315", linewidth=1.4
            )
    elif square == KEY:
        axes.add_patch(
            Circle((x + 0.34, y + 0.5), 0.13, facecolor="none", edgecolor="#b8860b", linewidth=3)
        )
        for end in (
            [(0.47, 0.82), (0.5, 0.5)],
            [(0.69, 0.69), (0.5, 0.64)],
            [(0.8, 0.8), (0.5, 0.64)],
        ):
            axes.plot(x + np.array(end[0]), y + np.array(end[1]), color="#b8860b", linewidth=3)
    elif square in HEADINGS:
        ahead = MOVES[HEADINGS[square]]
        side = np.array([-ahead[1], ahead[0]])
        center = np.array([x + 0.5, y + 0.5])
        corners = [center + 0.26 * ahead, *(center - 0.2 * ahead + s * 0.2 * side for s in (1, -1))]
        axes.add_patch(Polygon(corners, facecolor=INK))


def arrival(world: GridWorld, path: GridPath) -> int:
    """Return the step at which a path reaches lava or key, else its last step."""
    for step, (x, y, _) in enumerate(path):
        if world.squares[y, x] in (LAVA, KEY):
            return step
    return len(path) - 1


def draw_path(axes: Axes, name: str, path: GridPath) -> None:
    """Draw a path, shifted to the right of its heading so that the way back is visible.

    The name begins with the algorithm, which has its own color.
    """
    x, y, d = np.array(path).T
    aside = MOVES[(d + 1) % len(MOVES)]
    algorithm = name.partition(",")[0]
    points = np.stack([x, y], axis=1) + 0.5 + OFFSETS.get(algorithm, 0.0) + 0.05 * aside
    color = COLORS.get(algorithm, INK)
    axes.plot(*points.T, color=color, linewidth=2.2, label=name, solid_joinstyle="round")
    axes.plot(*points[-1], marker="o", color=color, markersize=7)
