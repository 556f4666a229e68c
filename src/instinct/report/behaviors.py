"""Draw the training curves of the shipped behaviors."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from instinct.behaviors.shipped import Shipped
from instinct.benchmarks.registry import find_task
from instinct.data import Array
from instinct.report.kit.figures import figure, styled


def draw_curves(trainings: list[tuple[Shipped, Mapping[str, Array]]]) -> Figure:
    """Draw normalized score against steps: test episodes without noise, training with noise."""
    drawing = figure(3.6 * len(trainings), 3.0)
    with styled():
        panels = drawing.subplots(1, len(trainings), squeeze=False)[0]
        for axes, (shipped, curve) in zip(panels, trainings, strict=True):
            steps = curve["step"] / 1000
            for column, name, color in (
                ("mean_return", "test, without noise", "#1f5fa8"),
                ("training_return", "training, with noise", "#d9822b"),
            ):
                scores = find_task(shipped.task).scores(curve[column])
                assert scores is not None
                axes.plot(steps, scores, color=color, linewidth=1.2, label=name)
            for snapshot in shipped.snapshots:
                if snapshot.name in ("medium", "expert"):
                    x, y = snapshot.step / 1000, snapshot.score or 0.0
                    axes.plot([x], [y], "o", color="#222222", markersize=4)
                    axes.annotate(
                        snapshot.name, (x, y), (0, 6), textcoords="offset points", ha="center"
                    )
            axes.set_title(shipped.task)
            axes.set_xlabel("thousand steps")
        panels[0].set_ylabel("normalized score")
        panels[0].legend(loc="upper left", fontsize=8)
    return drawing
