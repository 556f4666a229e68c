"""Draw what was predicted before training against what agents reached."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from instinct.report.kit.figures import FALLBACK_COLORS, INK, figure, styled
from instinct.score.validation import Validated


def draw_validation(rows: Sequence[Validated]) -> Figure:
    """Draw one mark per dataset: the score, and the share of J* under the worst wrong reward."""
    families = [*dict.fromkeys(row.family for row in rows)]
    with styled():
        drawing = figure(5.4, 4.2)
        axes = drawing.add_subplot()
        axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle="--")
        for family, color in zip(families, FALLBACK_COLORS, strict=False):
            mine = [row for row in rows if row.family == family]
            scores = np.array([row.predicted["score"] for row in mine], np.float64)
            axes.plot(scores, [*map(reached, mine)], "o", color=color, label=family, alpha=0.8)
        axes.set_xlabel("score: predicted share of J* with zero rewards")
        axes.set_ylabel("share of J* under the worst wrong reward")
        axes.legend()
    return drawing


def reached(row: Validated) -> float:
    """Return the share J/J* that a positive bias J*/(J* - J) stands for."""
    return 1.0 if math.isinf(row.positive_bias) else 1 - 1 / row.positive_bias
