"""Read the drawn figures back and compare them with their data."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from instinct.data import PAPER_LABELS
from instinct.paper.tables import table
from instinct.report.kit.figures import svg
from instinct.report.kit.panels import places
from instinct.report.kit.score_figures import (
    SUCCESS,
    Bar,
    BiasBar,
    Scale,
    draw_bias,
    draw_profiles,
    draw_scores,
)
from instinct.study.statistics import performance_profile

HOPPER = [
    Bar("hopper-medium", "behavior", None, 44.3),
    Bar("hopper-medium", "BC", None, 53.3, 0.1),
    Bar("hopper-medium", "ATAC", "negative", 91.5, 0.4),
    Bar("hopper-medium", "ATAC", "original", 84.8, 1.5),
    Bar("hopper-medium", "ATAC", "zero", 94.0, 0.6),
    Bar("hopper-medium", "ATAC", "random", 92.3, 0.3),
]


def bars_of(axes: Axes) -> list[Rectangle]:
    return [bar for bar in axes.patches if isinstance(bar, Rectangle)]


def heights(axes: Axes) -> list[float]:
    return [round(bar.get_height(), 6) for bar in bars_of(axes)]


def spans(axes: Axes) -> list[list[float]]:
    """The lower and the upper end of every error bar."""
    lines = [each for each in axes.collections if isinstance(each, LineCollection)]
    return [[float(y) for _, y in segment] for line in lines for segment in line.get_segments()]


def legend(drawing: Figure) -> list[str]:
    return [text.get_text() for text in drawing.legends[0].get_texts()]


def ticks(drawing: Figure) -> list[str]:
    return [text.get_text().replace("\n", "") for text in drawing.axes[-1].get_xticklabels()]


def marks(axes: Axes, marker: str) -> list[float]:
    found = [line for line in axes.lines if line.get_marker() == marker]
    return [float(np.ravel(line.get_xdata())[0]) for line in found]


def test_one_dataset_has_one_panel() -> None:
    drawing = draw_scores(HOPPER)
    [axes] = drawing.axes
    assert axes.get_title("left") == "hopper-medium"
    assert ticks(drawing) == ["behavior", "BC", "ATAC"]
    assert heights(axes) == [44.3, 53.3, 84.8, 94.0, 92.3, 91.5]
    assert legend(drawing) == ["behavior", "BC", "original", "zero", "random", "negative"]
    assert [text.get_text() for text in axes.texts if text.get_text()][:2] == ["44.3", "53.3"]


def test_error_bars_are_one_standard_error() -> None:
    ends = spans(draw_scores(HOPPER).axes[0])
    assert ends[1] == pytest.approx([84.8 - 1.5, 84.8 + 1.5])
    assert len(ends) == 5


def test_the_paper_has_a_panel_for_each_algorithm_and_six_bars_for_each_dataset() -> None:
    rows = [row for row in table("d4rl_scores") if row.label != "no-terminal"]
    bars = [Bar(row.dataset, row.algorithm, row.label, row.mean, row.stderr) for row in rows]
    drawing = draw_scores(reversed(bars))
    assert [axes.get_title("left") for axes in drawing.axes] == ["DT", "CQL", "IQL", "PSPI", "ATAC"]
    qualities = ["random", "medium", "medium-replay", "medium-expert", "expert"]
    assert ticks(drawing) == 3 * qualities
    headings = [text.get_text() for text in drawing.axes[0].texts]
    assert headings == ["halfcheetah", "walker2d", "hopper"]
    assert [len(axes.patches) for axes in drawing.axes] == [90] * 5
    atac = {
        row.label: row.mean
        for row in rows
        if (row.dataset, row.algorithm) == ("hopper-expert", "ATAC")
    }
    assert heights(drawing.axes[4])[-4:] == [atac[name] for name in PAPER_LABELS]


@pytest.mark.parametrize("how", ["none", "absent"])
def test_missing_runs_are_marked_and_not_drawn_as_zero(how: str) -> None:
    other = [bar._replace(dataset="hopper-expert") for bar in HOPPER]
    lost = Bar("hopper-expert", "ATAC", "zero", None)
    bars = [*HOPPER, *(bar for bar in other if bar.label != "zero")]
    drawing = draw_scores([*bars, lost] if how == "none" else bars)
    [axes] = drawing.axes
    assert heights(axes) == [44.3, 53.3, 84.8, 94.0, 92.3, 91.5, 44.3, 53.3, 84.8, 92.3, 91.5]
    assert marks(axes, "$?$") == [7 + 3]
    assert legend(drawing)[-1] == "not run or failed"


def test_unknown_behavior_is_left_out() -> None:
    other = [bar._replace(dataset="hopper-expert") for bar in HOPPER[1:]]
    drawing = draw_scores([*HOPPER, *other])
    [axes] = drawing.axes
    assert heights(axes) == [44.3, 53.3, 84.8, 94.0, 92.3, 91.5, 53.3, 84.8, 94.0, 92.3, 91.5]
    assert not marks(axes, "$?$")


def test_complete_results_have_no_marks() -> None:
    drawing = draw_scores(HOPPER)
    assert "not run or failed" not in legend(drawing)
    assert not marks(drawing.axes[0], "$?$")


def test_own_label_comes_after_the_papers() -> None:
    drawing = draw_scores([Bar("mine", "ATAC", "upside-down", 3.0), *HOPPER[2:]])
    assert legend(drawing)[:-1] == ["original", "zero", "random", "negative", "upside-down"]


def test_data_with_bc_only() -> None:
    bars = [Bar(name, "BC", None, 0.5, 0.1) for name in ("reach", "push")]
    drawing = draw_scores(bars, SUCCESS)
    assert ticks(drawing) == ["reach", "push"]
    assert heights(drawing.axes[0]) == [0.5, 0.5]


@settings(max_examples=20)
@given(st.lists(st.floats(-500, 5000), min_size=1, max_size=4))
def test_axis_contains_every_bar_and_its_error(means: list[float]) -> None:
    bars = [Bar(f"data {n}", "IQL", "zero", mean, 30.0) for n, mean in enumerate(means)]
    low, high = draw_scores(bars).axes[0].get_ylim()
    assert low <= min(0, *(mean - 30 for mean in means))
    assert high >= max(100, *(mean + 30 for mean in means))


def test_scale_of_unknown_quantity() -> None:
    bars = [Bar("mine", "behavior", None, 0.0), Bar("mine", "IQL", "zero", 0.0)]
    low, high = draw_scores(bars, Scale("return", (0, 0))).axes[0].get_ylim()
    assert low == 0 < high


def test_datasets_are_grouped_by_task_from_random_to_expert() -> None:
    names = ["hopper-expert", "reach", "d4rl:hopper-medium-v2", "hopper-medium-replay@2000", "push"]
    assert places(names) == {
        "hopper-medium-replay@2000": ("hopper", "medium-replay@2000"),
        "hopper-expert": ("hopper", "expert"),
        "reach": ("", "reach"),
        "push": ("", "push"),
        "d4rl:hopper-medium-v2": ("d4rl:hopper", "medium-v2"),
    }


def test_bias_bars_start_at_one_and_infinite_ones_say_so() -> None:
    bars = [
        BiasBar("hopper-medium", "ATAC", 100 / 8.5),
        BiasBar("hopper-expert", "ATAC", math.inf),
        BiasBar("hopper-random", "ATAC", 0.8),
        BiasBar("hopper-medium", "CQL", 2.0, 1.5, 3.0),
        BiasBar("hopper-expert", "CQL", None),
        BiasBar("hopper-random", "CQL", 4.0, 2.0, math.inf),
    ]
    drawing = draw_bias(bars)
    atac, cql = drawing.axes
    assert atac.get_yscale() == "log"
    assert ticks(drawing) == ["random", "medium", "expert"]
    assert {bar.get_y() for bar in bars_of(atac)} == {1}
    below, above, infinite = heights(atac)
    assert (below, above) == pytest.approx((-0.2, 100 / 8.5 - 1))
    assert infinite > above
    assert [text.get_position()[0] for text in atac.texts if text.get_text() == "∞"] == [4]
    assert marks(cql, "$?$") == [4]
    assert marks(cql, "^") == [0]
    top = atac.get_ylim()[1]
    assert spans(cql) == [[2.0, pytest.approx(top)], [1.5, 3.0]]
    assert legend(drawing) == ["not run or failed"]


def test_an_infinite_bias_shows_how_low_it_may_be() -> None:
    [axes] = draw_bias([BiasBar("mine", "ATAC", math.inf, 8.0, math.inf)]).axes
    [bar] = bars_of(axes)
    assert spans(axes) == [[8.0, pytest.approx(1 + bar.get_height())]]


def test_bias_of_one_dataset_has_one_panel() -> None:
    drawing = draw_bias([BiasBar("mine", "ATAC", 3.0), BiasBar("mine", "IQL", 2.0)])
    assert ticks(drawing) == ["ATAC", "IQL"]
    assert [text.get_text() for text in drawing.axes[0].texts] == ["", "3", "2"]
    assert not drawing.legends


def test_profiles_are_lines_with_their_intervals() -> None:
    taus = np.array([0.0, 50.0, 100.0])
    profiles = {
        "zero": performance_profile(np.array([20.0, 60.0]), taus),
        "original": performance_profile(np.array([80.0, 120.0]), taus),
    }
    drawing = draw_profiles(profiles)
    [axes] = drawing.axes
    assert [np.ravel(line.get_ydata()).tolist() for line in axes.lines] == [
        [1, 0.5, 0],
        [1, 1, 0.5],
    ]
    assert legend(drawing) == ["zero", "original"]
    assert len({line.get_linestyle() for line in axes.lines}) == 2
    assert len(axes.collections) == 2


def test_the_same_bars_are_the_same_figure() -> None:
    assert svg(draw_scores(HOPPER)) == svg(draw_scores(HOPPER))
