"""The paper's empirical estimate of positive data bias (equation 3).

J*/max(J* - min(J_zero, J_random, J_negative), 0), where J_… is the true score of one algorithm
trained under that wrong label and J* the score of an optimal policy (100 on D4RL's normalized
scale, 1 for success rates). It is 1 where the worst policy scores 0, below 1 where it scores less,
and infinite where even the worst reaches J*.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

from instinct.data import WRONG_LABELS, Array
from instinct.errors import BadInput
from instinct.study.intervals import DUST, Mean, checked, lowest, mean_interval, mean_of


class PositiveBias(NamedTuple):
    """The estimate and its 95% interval over seeds; None with a single seed."""

    estimate: float
    low: float | None
    high: float | None


def positive_bias(scores: Mapping[str, Array], best: float) -> PositiveBias:
    """Estimate the positive bias from the scores of all seeds, by label.

    Only the wrong labels count.
    """
    return bias_of_means({label: mean_of(each) for label, each in wrong_scores(scores)}, best)


def bias_of_means(means: Mapping[str, Mean], best: float) -> PositiveBias:
    """Estimate the positive bias from the mean under every wrong label.

    The bias grows with the worst mean. So the ends of its interval are the biases of the ends of
    the worst mean's interval, and either may be infinite.
    """
    estimate = bias_degree(min(each.value for each in means.values()), best)
    if min(each.runs for each in means.values()) < 2:
        return PositiveBias(estimate, None, None)
    worst = lowest(map(mean_interval, means.values()))
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


def wrong_scores(scores: Mapping[str, Array]) -> list[tuple[str, Array]]:
    """Return the scores under the wrong labels; raise if one is missing."""
    missing = [label for label in WRONG_LABELS if not len(scores.get(label, ()))]
    if missing:
        raise BadInput(
            "the bias needs runs under all wrong labels; there are no runs for "
            f"{' and '.join(missing)}"
        )
    return [(label, checked(scores[label]).ravel()) for label in WRONG_LABELS]
