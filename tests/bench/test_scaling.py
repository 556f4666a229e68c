"""Scaling curves at a tiny size."""

from pathlib import Path

import numpy as np
import pytest

from instinct.bench.scaling import ScalingPoint
from instinct.bench.scaling_figure import draw_scaling
from instinct.report.kit.figures import svg
from tests.cli.conftest import Run
from tests.cli.conftest import run as run  # the fixture


@pytest.mark.slow
def test_the_command(run: Run, tmp_path: Path) -> None:
    figure = tmp_path / "scaling.svg"
    sizes = ("--transitions", 1000, "--runs", 2, "--cores", 1, "--steps", 5)
    rows = run("bench", "scaling", *sizes, "--figure", figure, "--json").json["results"]
    curves = [(row["curve"], row["transitions"], row["runs"]) for row in rows]
    assert [row[0] for row in curves] == ["transitions", "runs", "cores"]
    assert [row[1] for row in curves] == [1000, 10_000, 20_000]
    assert rows[-1]["cores"] == 1
    for row in rows:
        assert row["runs_per_hour"] == pytest.approx(3600 * row["runs"] / row["seconds"])
        assert row["training_seconds"] < row["seconds"] * row["cores"]
    assert "transitions" in figure.read_text()


def test_the_figure_has_a_panel_per_curve() -> None:
    points = [
        ScalingPoint("transitions", 10**4, 2, 2, 5.0, 8.0, 1.0, 1440),
        ScalingPoint("transitions", 10**5, 2, 2, 6.0, 8.0, 1.0, 1200),
        ScalingPoint("cores", 10**4, 8, 1, 20.0, 18.0, 1.0, 1440),
        ScalingPoint("cores", 10**4, 8, 2, 11.0, 18.0, 1.0, 2618),
    ]
    drawing = draw_scaling(points)
    assert [axes.get_xlabel() for axes in drawing.axes] == ["transitions", "cores"]
    ideal = drawing.axes[1].lines[1].get_ydata()
    np.testing.assert_allclose(np.asarray(ideal), [20, 10])
    assert "seconds" in svg(drawing)


def test_wrong_numbers_are_refused_before_any_work(run: Run) -> None:
    outcome = run("bench", "scaling", "--runs", "10,many")
    assert outcome.code == 2
    assert "'many' is not a whole number" in outcome.err
    outcome = run("bench", "scaling", "--cores", "5000")
    assert outcome.code == 2
    assert "cores" in outcome.err
    outcome = run("bench", "scaling", "--figure", "curves.txt")
    assert outcome.code == 2
    assert ".svg" in outcome.err
