"""The figure of the grid world's length bias."""

import numpy as np
from matplotlib.figure import Figure

from instinct.benchmarks.gridworld.world import GridWorld
from instinct.data import Dataset
from instinct.report.kit.figures import figure, styled


def draw_length_bias(world: GridWorld, dataset: Dataset) -> Figure:
    """Draw return against length; an episode that reached the key counts until the horizon."""
    reached = dataset.terminals[dataset.stops - 1]
    lengths = np.where(reached, world.horizon, dataset.lengths)
    drawing = figure(4.6, 3.4)
    with styled():
        axes = drawing.add_subplot()
        points, counts = np.unique(
            np.stack([lengths, dataset.returns], 1), axis=0, return_counts=True
        )
        axes.scatter(points[:, 0], points[:, 1], marker="x", s=70, linewidths=2, color="#1f5fa8")
        for (length, value), count in zip(points, counts, strict=True):
            axes.annotate(
                f"{count} episodes",
                (length, value),
                xytext=(0, 9 if value < 0 else -16),
                textcoords="offset points",
                ha="right" if length > world.horizon / 2 else "left",
            )
        axes.set(
            xlabel="episode length (at the key: until the end)",
            ylabel="return",
            xlim=(0, world.horizon * 1.05),
            ylim=(-1.4, 1.2),
            xticks=range(0, world.horizon + 1, 5),
        )
    return drawing
