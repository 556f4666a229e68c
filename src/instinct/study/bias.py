"""The paper's empirical estimate of positive data bias.

J*/max(J* - min(J_zero, J_random, J_negative), 0), where J_… is the true score of one algorithm
trained under that wrong label and J* the score of an optimal policy (100 on D4RL's normalized
scale, 1 for success rates). It is 1 where the worst policy scores 0, below 1 where it scores less,
and infinite where even the worst reaches J*.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from instinct.data import WRONG_LABELS, Array
from instinct.errors import BadInput
from instinct.study.statistics import DUST, checked, interval, mean


class PositiveBias(NamedTuple):
    """The estimate and its bootstrap interval over seeds; None with a single seed."""

    estimate: float
    low: float | None
    high: float | None


def positive_bias(scores: Mapping[str, Array], best: float, seed: int = 0) -> PositiveBias:
    """Estimate the positive bias from the scores of all seeds, by label.

    Only the wrong labels count. The estimate grows with the worst mean, so that the ends of its
    interval follow from those of the worst mean. The seeds of every label are resampled separately.
    """
    runs = wrong_scores(scores)
    estimate = bias_degree(float(worst_mean(*runs)), best)
    if min(len(each) for each in runs) < 2:
        return PositiveBias(estimate, None, None)
    worst = interval(worst_mean, *runs, seed=seed)
    return PositiveBias(estimate, bias_degree(worst.low, best), bias_degree(worst.high, best))


def bias_degree(worst: float, best: float) -> float:
    """Return J*/max(J* - J, 0) of the worst mean score J."""
    if not 0 < best < math.inf:
        raise BadInput(
            f"the optimal score must be positive and finite, not {best:g}; "
            "use a scale on which 0 is a useless policy, such as D4RL's normalized score"
        )
    gap = round(best - worst, DUST)
    return round(best / gap, DUST) if gap > 0 else math.inf


def wrong_scores(scores: Mapping[str, Array]) -> list[Array]:
    """Return the scores under the wrong labels; raise if one is missing."""
    missing = [label for label in WRONG_LABELS if not len(scores.get(label, ()))]
    if missing:
        raise BadInput(
            "the bias needs runs under all wrong labels; there are no runs for "
            f"{' and '.join(missing)}"
        )
    return [checked(scores[label]) for label in WRONG_LABELS]


def worst_mean(*scores: Array) -> Array:
    """Return min(J_zero, J_random, J_negative)."""
    return np.asarray(np.min([mean(each) for each in scores], axis=0))
