"""Arrange bars in panels.

One dataset has one panel, with the algorithms along x. Several datasets have a panel per algorithm,
with the datasets along x, grouped by task.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Generic, NamedTuple, TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from instinct.benchmarks.registry import display_name
from instinct.report.kit.figures import figure

WIDEST = 9.5
"""Inches."""

B = TypeVar("B")


class Cluster(NamedTuple, Generic[B]):
    """Neighboring bars, with the name below them and their task."""

    text: str
    task: str
    bars: list[B]


Panels = Mapping[str, Sequence[Cluster[B]]]
"""Clusters by the title of their panel."""


def arrange(
    datasets: Iterable[str],
    algorithms: Sequence[str],
    bars: Callable[[str, str], list[B]],
    baselines: Sequence[str] = (),
) -> Panels[B]:
    """Arrange `bars(dataset, algorithm)` in panels; every panel has the baselines."""
    where = places(datasets)
    if len(where) == 1:
        [dataset] = where
        names = [*baselines, *algorithms]
        return {dataset: [Cluster(name, "", bars(dataset, name)) for name in names]}
    return {
        algorithm: [
            Cluster(
                text, task, [b for name in (*baselines, algorithm) for b in bars(dataset, name)]
            )
            for dataset, (task, text) in where.items()
        ]
        for algorithm in algorithms or [""]
    }


def places(datasets: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return group and text of every dataset, sorted by group and by the order within it."""
    names = {dataset: display_name(dataset) for dataset in datasets}
    groups = unique(name.group for name in names.values())
    ordered = sorted(names, key=lambda each: (groups.index(names[each].group), names[each].order))
    return {dataset: (names[dataset].group, names[dataset].text) for dataset in ordered}


def unique(names: Iterable[str]) -> list[str]:
    return [*dict.fromkeys(names)]


def starts(clusters: Sequence[Cluster[B]]) -> list[int]:
    """Return the x of every cluster: bars are 1 wide, clusters 1 apart, and tasks 2."""
    found, x = [], 0
    for number, cluster in enumerate(clusters):
        x += number > 0 and cluster.task != clusters[number - 1].task
        found.append(x)
        x += len(cluster.bars) + 1
    return found


def lay_out(panels: Panels[B], unit: float) -> tuple[Figure, list[Axes]]:
    """Make a figure with axes per panel and names below the clusters; a bar has `unit` inches."""
    clusters = next(iter(panels.values()))
    begin = starts(clusters)
    middle = [x + (len(each.bars) - 1) / 2 for x, each in zip(begin, clusters, strict=True)]
    end = begin[-1] + len(clusters[-1].bars)
    height = 3.2 if len(panels) == 1 else 1 + 1.45 * len(panels)
    drawing = figure(min(WIDEST, max(5.0, 1 + unit * end)), height)
    grid = drawing.subplots(len(panels), squeeze=False, sharex=True, sharey=True)
    axes: list[Axes] = [*grid[:, 0]]
    axes[0].set_xticks(middle, [each.text.replace("-", "-\n") for each in clusters])
    axes[0].set_xlim(-1, end)
    for panel, title in zip(axes, panels, strict=True):
        panel.set_title(title, loc="left", fontsize=10, fontweight="bold")
        panel.grid(visible=False, axis="x")
        panel.tick_params(axis="x", length=0, labelsize=8)
        panel.spines.bottom.set_visible(False)
    for task, members in groupby(zip(middle, clusters, strict=True), lambda pair: pair[1].task):
        inside = [x for x, _ in members]
        axes[0].annotate(
            task,
            ((inside[0] + inside[-1]) / 2, 1),
            (0, 5),
            xycoords=axes[0].get_xaxis_transform(),
            textcoords="offset points",
            ha="center",
        )
    return drawing, axes
