"""Learning curves: every curve is a line in its panel, and labels keep their color."""

import numpy as np
from matplotlib.axes import Axes

from instinct.data import PAPER_LABELS, Array, find_label
from instinct.report.kit.curves import Curve, draw
from instinct.report.kit.figures import label_colors

STEPS: Array = np.array([0, 50_000, 100_000])


def curve(name: str, label: str, level: float) -> Curve:
    mean = np.array([level, level + 1, level + 3])
    return Curve(name, label, STEPS, mean, mean - 0.5, mean + 0.5)


def panels(curves: list[Curve]) -> list[Axes]:
    return draw(curves).axes


def test_a_panel_for_each_quantity_and_a_line_for_each_label() -> None:
    curves = [curve(n, label, i) for i, n in enumerate("abcd") for label in ("original", "mine")]
    found = panels(curves)
    assert [panel.get_title() for panel in found] == ["a", "b", "c", "d"]
    for level, panel in enumerate(found):
        for line in panel.lines:
            np.testing.assert_array_equal(line.get_xdata(), STEPS)
            np.testing.assert_array_equal(line.get_ydata(), [level, level + 1, level + 3])
        low, high = panel.collections[0].get_datalim(panel.transData).intervaly
        assert (low, high) == (level - 0.5, level + 3.5)


def test_label_has_one_color_in_all_panels_and_one_legend_entry() -> None:
    labels = ["original", "zero", "mine", "yours"]
    curves = [curve("a", label, 0) for label in labels] + [curve("b", "yours", 1)]
    drawing = draw(curves)
    first, second = drawing.axes
    colors = [line.get_color() for line in first.lines]
    assert len({*colors}) == 4
    assert second.lines[0].get_color() == colors[3]
    assert [text.get_text() for text in drawing.legends[0].get_texts()] == labels


def test_many_labels_share_colors() -> None:
    curves = [curve("a", f"label {n}", n) for n in range(12)]
    assert len(panels(curves)[0].lines) == 12


def test_every_label_has_one_color() -> None:
    colors = label_colors([*PAPER_LABELS, "no-terminal"])
    assert colors == {name: find_label(name).color for name in colors}
    others = [f"corrupt:0.{digit}" for digit in range(1, 9)]
    mixed = label_colors([*others, "original"])
    assert len({*mixed.values()}) == 9
    assert mixed == label_colors(["original", *reversed(others)])
    assert mixed["original"] == colors["original"]
    assert label_colors([f"noise:{n}" for n in range(20)]).keys() == {
        f"noise:{n}" for n in range(20)
    }
