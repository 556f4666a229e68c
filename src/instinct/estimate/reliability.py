"""How well the estimators did where the truth is known.

`reliability.csv` has one row per dataset, quantity and estimator. `instinct bench estimate --out`
writes such a file.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special, stats

from instinct.data import Array
from instinct.estimate.answers import LEVEL, Estimate
from instinct.util.atomic import replacing

FILE = "reliability.csv"
COLUMNS = ("dataset", "quantity", "estimator", "policies", "rank", "regret", "held", "refused")
FEWEST = 3
"""Policies that a rank correlation needs."""
RANKS = 0.8
"""From this mean rank correlation on, policies may be ranked by an estimator."""


@dataclass(frozen=True)
class Reliability:
    """One estimator and quantity over all datasets; None stands for a number never defined."""

    estimator: str
    quantity: str
    datasets: int = 0
    policies: int = 0
    rank: float | None = None
    """Spearman's correlation with the truth, the mean over datasets."""
    regret: float | None = None
    """The loss of the policy chosen relative to the best, the mean over datasets."""
    held: float | None = None
    """The share of all intervals that had the truth inside."""

    @property
    def ranks(self) -> bool:
        """Whether policies may be ranked by this estimator."""
        return self.rank is not None and self.rank >= RANKS

    def widen(self, estimate: Estimate) -> Estimate | None:
        """Widen an interval by what the measured ones were too narrow; None if not measured.

        Intervals of level 95% that held for a share h are multiplied by z(95%)/z(h), z(h) being the
        half width of a standard normal interval of level h. Intervals that held more often stay.

        >>> found = Reliability("e", "return", held=0.5)
        >>> print(found.widen(Estimate(0.0, -1.0, 1.0)))
        0 (-2.906 to 2.906)
        """
        if not self.held:
            return None
        factor = max(1.0, half_width(LEVEL) / half_width(min(self.held, LEVEL)))
        low, high = (
            estimate.value + factor * (end - estimate.value)
            for end in (estimate.low, estimate.high)
        )
        return Estimate(estimate.value, low, high)


def half_width(level: float) -> float:
    """Return half the width of a standard normal interval."""
    return float(special.ndtri((1 + level) / 2))


@cache
def shipped() -> dict[tuple[str, str], Reliability]:
    """Return what the file of the package has, by estimator and quantity."""
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return summarize([*csv.DictReader(text.splitlines())])


def reliability_of(estimator: str, quantity: str) -> Reliability:
    """Return how well an estimator did; without numbers if it was never compared."""
    return shipped().get((estimator, quantity), Reliability(estimator, quantity))


def summarize(rows: Sequence[Mapping[str, str]]) -> dict[tuple[str, str], Reliability]:
    """Summarize comparisons over datasets, by estimator and quantity."""
    groups: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for row in rows:
        groups.setdefault((row["estimator"], row["quantity"]), []).append(row)
    return {key: summarize_one(*key, each) for key, each in groups.items()}


def summarize_one(estimator: str, quantity: str, rows: Sequence[Mapping[str, str]]) -> Reliability:
    judged = [int(row["policies"]) * (1 - float(row["refused"])) for row in rows]
    held = [float(row["held"]) * n for row, n in zip(rows, judged, strict=True) if row["held"]]
    return Reliability(
        estimator,
        quantity,
        datasets=len(rows),
        policies=sum(int(row["policies"]) for row in rows),
        rank=mean_of(rows, "rank"),
        regret=mean_of(rows, "regret"),
        held=sum(held) / sum(judged) if held else None,
    )


def rank_correlation(x: Array, y: Array) -> float | None:
    """Return Spearman's correlation; None for few or equal values.

    >>> import numpy as np
    >>> rank_correlation(np.array([1, 2, 3, 4]), np.array([1, 2, 4, 3]))
    0.8
    """
    if len(x) < FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return round(float(stats.spearmanr(x, y).statistic), 12)


def mean_of(rows: Sequence[Mapping[str, str]], column: str) -> float | None:
    values = [float(row[column]) for row in rows if row[column]]
    return sum(values) / len(values) if values else None


def write_comparisons(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write comparisons as `reliability.csv` has them; a number that is not defined is empty."""
    with replacing(path) as scratch, scratch.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
