"""What can be seen of the agents: paths on the map of the grid world, pictures of bodies."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import instinct
from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.benchmarks.gridworld.world import GridWorld
from instinct.benchmarks.locomotion.film import record_positions, render
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.report.kit.filmstrip import Strip, draw_filmstrip
from instinct.report.kit.page import html
from instinct.report.scenes import scene
from instinct.study.findings import read_findings
from instinct.tasks.evaluation import evaluate
from tests.study.stores import scores, store_with


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


class Still:
    """A policy that does nothing."""

    def start(self, n: int, seed: int) -> None:
        del n, seed

    def act(self, memory: None, observations: Any, rewards: Any) -> tuple[Any, None]:
        del memory, rewards
        return np.zeros((len(observations), 3)), None


def test_positions_are_those_of_a_test_episode() -> None:
    task = LocomotionTask("hopper")
    positions = record_positions(Still(), task, seed=5)
    assert len(positions) == evaluate(Still(), task, episodes=1, seed=5).lengths[0]
    assert (positions[:-1, 1] > 0.7).all()
    assert positions.shape[1] == 6


def test_pictures_are_drawn_where_that_works_and_left_out_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = LocomotionTask("hopper")
    positions = record_positions(Still(), task, seed=5)[[0, -1]]
    frames = render(task, positions)
    if frames is not None:
        assert frames.shape == (2, 180, 200, 3)
        assert (frames[0] != frames[1]).any()
    monkeypatch.setenv("MUJOCO_GL", "nothing")
    assert render(task, positions) is None


def test_strips_have_a_picture_for_every_time_until_the_end() -> None:
    picture = np.zeros((18, 20, 3), np.uint8)
    strips = [Strip("BC", [picture, None], "fell"), Strip("PSPI", [picture, picture], "")]
    axes = draw_filmstrip(strips, [1, 500]).axes
    assert [len(each.images) for each in axes] == [1, 0, 1, 1]
    assert [each.get_title() for each in axes[:2]] == ["step 1", "step 500"]
    assert [text.get_text() for text in axes[1].texts] == ["fell"]


def test_runs_without_policies_have_no_pictures(tmp_path: Path) -> None:
    plan = audit_plan("hopper-medium", AuditOptions(algorithms=["PSPI"], seeds=2))
    store_with(tmp_path, plan, lambda trial: scores(trial, 50.0 + trial.seed))
    assert scene(read_findings(tmp_path), tmp_path) is None
