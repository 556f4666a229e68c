"""Claims, their cases, and when a claim holds.

A claim of the paper is checked on cases, each a comparison of measured numbers. The paper's own
tables go through the same check. Let k of our n cases hold, and K of the paper's N. Then the claim
holds if k/n ≥ K/N - 1/n: our share is at least the paper's, less one case. That one case may not
leave half of our cases or fewer. Where the paper has no numbers, K/N is 1.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from instinct.results.evidence import Evidence


@dataclass(frozen=True)
class Case:
    """One comparison, and whether it agrees with the claim."""

    name: str
    """What is compared: dataset, algorithm, label. The same in our results and in the paper's."""
    text: str
    """The comparison in words and numbers."""
    holds: bool
    numbers: Mapping[str, float] = field(default_factory=dict)


Check = Callable[[Evidence], Iterator[Case]]


@dataclass(frozen=True)
class Claim:
    """A claim of the paper in our words, with the function that checks it."""

    code: str
    """A short name that stays the same."""
    text: str
    means: str
    """The condition under which a case holds."""
    where: str
    """The place in the paper."""
    check: Check


@dataclass(frozen=True)
class CheckedClaim:
    """A claim with the cases in our results and in the paper's tables."""

    claim: Claim
    ours: tuple[Case, ...]
    paper: tuple[Case, ...]

    @property
    def outcome(self) -> str:
        """`holds`, `does not hold` or `not tested`."""
        if not self.ours:
            return "not tested"
        return "holds" if holds(self.ours, self.paper) else "does not hold"


def holds(ours: Sequence[Case], paper: Sequence[Case]) -> bool:
    """Tell whether our share of cases is at least the paper's, less one case."""
    (k, n), (paper_k, paper_n) = count(ours), count(paper) if paper else (1, 1)
    if 2 * k > n:
        return (k + 1) * paper_n >= paper_k * n
    return k * paper_n >= paper_k * n


def count(cases: Sequence[Case]) -> tuple[int, int]:
    """Return how many cases hold, and how many there are."""
    return sum(case.holds for case in cases), len(cases)
