"""Candidates: the filters that are compared, proposed from the data."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from instinct.data import Array, Dataset, canonical_name, find_filter
from instinct.data.summary import correlation
from instinct.errors import BadInput
from instinct.nudge.goals import Goal
from instinct.tasks.simulation import End

QUANTILES = (0.25, 0.5, 0.75, 0.9)
"""Shares of the episodes below the limits by return and length."""
COST_QUANTILES = (0.25, 0.5, 0.75)
"""Shares of the episodes that are below the limits by cost."""
MARGINS = (0, 1, 5, 10, 25)
"""Steps that are cut before a cost or a fall."""
MIXTURES = (0.0, 0.25)
"""Shares of the worse kind of episodes in mixtures."""
TAILS = (0.05, 0.1)
"""Shares of the transitions that a comparison removes."""
COLUMNS = 3
"""Columns of the observations that comparisons are proposed for."""
DIGITS = 4
"""Digits of the limits in names."""
RELATED = 0.1
"""The least correlation of a column with what follows."""


class Candidate(NamedTuple):
    """A filter by name, and the transitions that it removes."""

    name: str
    rows: Array


def find_candidates(
    dataset: Dataset, sample: Dataset, end: End, goal: Goal, own: Iterable[str], keep: float
) -> list[Candidate]:
    """Return the user's own filters, then the proposed ones; no two remove the same.

    A proposed filter that removes nothing or keeps less than the share `keep` is left out; one of
    the user's is refused. Comparisons are proposed from the `sample`.
    """
    found: dict[bytes, Candidate] = {}
    for name in map(canonical_name, own):
        rows = np.asarray(find_filter(name)(dataset))
        if (problem := why_not(rows, keep)) is not None:
            raise BadInput(f"{name} {problem}", field="filter")
        found.setdefault(np.packbits(rows).tobytes(), Candidate(name, rows))
    for name in propose(dataset, sample, end, goal):
        try:
            rows = np.asarray(find_filter(name)(dataset))
        except BadInput:
            continue
        if why_not(rows, keep) is None:
            found.setdefault(np.packbits(rows).tobytes(), Candidate(name, rows))
    return [*found.values()]


def why_not(rows: Array, keep: float) -> str | None:
    """Say why a filter is no candidate; None if it is one."""
    kept = 1 - float(rows.mean())
    if not rows.any():
        return "removes nothing from these data"
    return f"keeps {kept:.1%} of the transitions, less than {keep:.0%}" if kept < keep else None


def propose(dataset: Dataset, sample: Dataset, end: End, goal: Goal) -> Iterator[str]:
    """Yield the names of filters that may serve a goal."""
    if dataset.costs is not None and dataset.costs.any():
        yield from (f"cost-free:{margin}" if margin else "cost-free" for margin in MARGINS)
        costs = dataset.per_episode(dataset.costs)
        limits = np.quantile(costs, COST_QUANTILES)
        yield from (f"safe-episodes:{short(x, math.ceil)}" for x in limits)
    if dataset.has_rewards:
        yield from (f"good-episodes:{short(x)}" for x in np.quantile(dataset.returns, QUANTILES))
        yield from (f"bad-episodes:{share:g}" for share in MIXTURES)
    if end == "goal":
        yield from (f"early-episodes:{1 - share:g}" for share in MIXTURES)
    else:
        if dataset.terminals.any():
            yield from (f"no-terminals:{margin}" for margin in MARGINS[1:])
            yield from (f"early-episodes:{share:g}" for share in MIXTURES)
        yield from (f"long-episodes:{x:.0f}" for x in np.quantile(dataset.lengths, QUANTILES))
    if dataset.has_rewards:
        yield from (f"rewards<{short(x)}" for x in np.quantile(sample.rewards, TAILS))
    yield from compare_columns(sample, goal.follows(sample, end))


def compare_columns(sample: Dataset, follows: Array) -> Iterator[str]:
    """Yield comparisons that remove the worse tail of the columns that tell most what follows."""
    states = sample.observations.astype(np.float64)
    found = [correlation(column, follows) or 0.0 for column in states.T]
    for column in np.argsort(-np.abs(found), kind="stable")[:COLUMNS]:
        if abs(found[column]) < RELATED:
            return
        for share in TAILS:
            below = found[column] > 0
            limit = float(np.quantile(states[:, column], share if below else 1 - share))
            text = short(limit, math.floor if below else math.ceil)
            yield f"observations[{column}]{'<' if below else '>'}{text}"


def short(number: float, round_to: Callable[[float], int] = math.floor) -> str:
    """Write a limit with four digits, so that the name of its filter can be read and typed.

    It is rounded away from what a filter removes: down if that is below the limit.

    >>> short(1502.71), short(-0.12345), short(123456.7), short(0.5), short(1502.71, math.ceil)
    ('1502', '-0.1235', '123400', '0.5', '1503')
    """
    if number == 0:
        return "0"
    unit = 10.0 ** (math.floor(math.log10(abs(number))) - DIGITS + 1)
    text = f"{round_to(number / unit) * unit:.{DIGITS}g}"
    return f"{float(text):.0f}" if "e+" in text else text
