"""The grid world's audit opens with its map and the agents' paths."""

from pathlib import Path
from typing import Any

import numpy as np

import instinct
from instinct.benchmarks.gridworld.world import GridWorld
from instinct.report.kit.page import html
from instinct.report.scenes import scene


def grid_audit(folder: Path, **options: Any) -> instinct.Audit:
    return instinct.audit(
        "gridworld", seeds=2, episodes=10, folder=folder, progress=False, **options
    )


def path_names(found: instinct.Audit) -> list[str]:
    legend = found.figures["map"].axes[0].get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def test_the_page_opens_with_the_map(tmp_path: Path) -> None:
    found = grid_audit(tmp_path)
    [axes] = found.figures["map"].axes
    lines = {str(line.get_label()): line for line in axes.lines}
    assert {"BC", "PEVI, any reward"} <= {*lines}
    squares = GridWorld().squares
    ends = {}
    for name in ("BC", "PEVI, any reward"):
        x, y = np.asarray(lines[name].get_xydata())[-1].astype(int).tolist()
        ends[name] = str(squares[y, x])
    assert ends == {"BC": "~", "PEVI, any reward": "K"}
    page = html(found.page)
    assert page.index("figure-map") < page.index("What was found")
    assert (found.write().parent / "map.svg").exists()


def test_rewards_that_lead_elsewhere_have_their_own_paths(tmp_path: Path) -> None:
    found = grid_audit(tmp_path, algorithms=["PEVI"], labels=["original", "zero"])
    assert path_names(found) == ["BC", "PEVI, any reward"]
    alone = grid_audit(tmp_path / "alone", labels=["original"])
    assert path_names(alone) == ["BC", "PEVI, original"]


def test_the_same_data_in_a_file_have_the_map_until_they_are_gone(tmp_path: Path) -> None:
    data = instinct.load("gridworld")
    found = instinct.audit(data, seeds=1, folder=tmp_path, progress=False, env="gridworld")
    assert "map" in found.figures
    for path in tmp_path.glob("*.npz"):
        path.unlink()
    assert scene(found.findings) is None
