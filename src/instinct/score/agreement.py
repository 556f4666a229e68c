"""How well measures of the data alone order datasets by what trained agents showed.

- `bias` and `share`: Spearman's rank correlation with the positive bias and with the share that is
  reached without the true reward, over datasets, with the 95% bootstrap interval.
- `lowest`: the lowest correlation with the bias if one family of tasks is left out.
- `behind`: how much higher the correlation of the score with the bias is, on the same datasets.
- `held-out score`: the score of every family with the C that is best on the other families.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from instinct.data import Array
from instinct.score.validation import Validated
from instinct.study.intervals import Interval, Statistic

RESAMPLES = 4000
HELD_OUT = "held-out score"
FEWEST = 3
"""Different values that a measure needs to order datasets; others are left out."""


@dataclass(frozen=True)
class Agreement:
    """How one measure orders the datasets."""

    measure: str
    datasets: int
    bias: Interval
    share: Interval
    lowest: float
    behind: Interval


def agreements(rows: Sequence[Validated], seed: int = 0) -> Iterator[Agreement]:
    """Yield how well every measure orders the datasets, that of held-out families last."""
    columns: dict[str, list[float | None]] = {
        name: [row.predicted[name] for row in rows] for name in rows[0].predicted
    }
    columns[HELD_OUT] = [*held_out(rows)]
    for name, values in columns.items():
        known = [i for i, value in enumerate(values) if value is not None]
        mine, x = [rows[i] for i in known], np.array([values[i] for i in known], np.float64)
        if len({*x}) < FEWEST:
            continue
        bias = np.array([row.positive_bias for row in mine])
        score = np.array([row.predicted["score"] for row in mine], np.float64)
        rated = [i for i, row in enumerate(mine) if row.share is not None]
        shares = np.array([mine[i].share for i in rated], np.float64)
        kept = [np.array([row.family != each.family for row in mine]) for each in mine]
        yield Agreement(
            name,
            len(mine),
            bootstrap(lambda x, y, _: spearman(x, y), x, bias, score, seed),
            bootstrap(lambda x, y, _: spearman(x, y), x[rated], shares, score[rated], seed),
            float(np.nanmin([spearman(x[keep], bias[keep]) for keep in kept])),
            bootstrap(lambda x, y, s: spearman(s, y) - spearman(x, y), x, bias, score, seed),
        )


def held_out(rows: Sequence[Validated]) -> Iterator[float]:
    """Yield the score of every dataset with the C that is best on the other families."""
    for row in rows:
        others = [each for each in rows if each.family != row.family]
        bias = np.array([each.positive_bias for each in others])
        fit = {
            ratio: float(spearman(np.array([each.by_ratio[ratio] for each in others]), bias))
            for ratio in row.by_ratio
        }
        yield row.by_ratio[max(fit, key=lambda ratio: fit[ratio])]


def bootstrap(statistic: Statistic, x: Array, y: Array, score: Array, seed: int) -> Interval:
    """Return a statistic over datasets, and its percentile interval over resampled datasets."""
    drawn = np.random.default_rng(seed).integers(len(x), size=(RESAMPLES, len(x)))
    found = statistic(x[drawn], y[drawn], score[drawn])
    low, high = np.quantile(found[np.isfinite(found)], [0.025, 0.975])
    return Interval(float(statistic(x, y, score)), float(low), float(high))


def spearman(x: Array, y: Array) -> Array:
    """Return Spearman's correlation along the last axis; NaN if one of the two is constant."""
    a, b = (stats.rankdata(each, axis=-1) for each in (x, y))
    a, b = (each - each.mean(axis=-1, keepdims=True) for each in (a, b))
    with np.errstate(invalid="ignore"):
        scale = np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
        return np.asarray((a * b).sum(axis=-1) / scale)
