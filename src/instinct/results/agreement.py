"""Do our datasets rank as the paper's do? The rank correlation of the positive biases."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from instinct.benchmarks.registry import find_benchmark
from instinct.data import Array
from instinct.estimate.reliability import rank_correlation
from instinct.report.kit.tables import Missing, Number, Table, TableCell
from instinct.results.coverage import our_names
from instinct.results.our_evidence import OurEvidence
from instinct.results.paper_evidence import PaperEvidence
from instinct.study.intervals import LEVEL

FAMILY = "locomotion"
ALGORITHMS = ("ATAC", "PSPI", "IQL", "CQL", "DT")
FEWEST = 4
"""Fewest datasets of an interval."""


class Agreement(NamedTuple):
    """The rank correlation of our positive bias and the paper's over datasets."""

    algorithm: str
    datasets: tuple[str, ...]
    """The paper's names of the datasets that both have."""
    of: int
    """How many datasets the paper has."""
    correlation: float | None
    """None with too few datasets."""
    interval: tuple[float, float] | None


def agreements(evidence: OurEvidence) -> list[Agreement]:
    return [agreement(evidence, algorithm) for algorithm in ALGORITHMS]


def agreement(evidence: OurEvidence, algorithm: str) -> Agreement:
    theirs = paper_biases(algorithm)
    ours = {name: bias for name, bias in our_biases(evidence, algorithm) if name in theirs}
    found = rank_correlation(shortfalls(ours.values()), shortfalls(theirs[name] for name in ours))
    ends = None if found is None else rank_interval(found, len(ours))
    return Agreement(algorithm, tuple(ours), len(theirs), found, ends)


def paper_biases(algorithm: str) -> dict[str, float]:
    """Return the positive bias in the paper's numbers, by its name of the dataset."""
    paper = PaperEvidence()
    found = {
        find_benchmark(name).paper_name(name): paper.bias(name, algorithm)
        for name in paper.datasets
        if find_benchmark(name).name == FAMILY
    }
    return {name: bias for name, bias in found.items() if bias is not None}


def our_biases(evidence: OurEvidence, algorithm: str) -> Iterator[tuple[str, float]]:
    """Yield the positive bias by the paper's name; data of the default behavior come first."""
    for (family, name), ours in our_names(evidence).items():
        known = (evidence.bias(one, algorithm) for one in ours if family == FAMILY)
        bias = next((each for each in known if each is not None), None)
        if bias is not None:
            yield name, bias


def shortfalls(biases: Iterable[float]) -> Array:
    """Return -1/bias, which ranks like the bias and is finite for infinite ones."""
    return np.array([-1 / bias for bias in biases])


def rank_interval(correlation: float, n: int) -> tuple[float, float] | None:
    """Return the 95% interval of Spearman's correlation of n pairs, after Bonett and Wright.

    atanh(ρ) has the standard error √((1 + ρ²/2)/(n - 3)). A correlation of ±1 counts as the next
    one that n ranks can have, because its own interval would have no width.
    """
    if n < FEWEST:
        return None
    most = 1 - 12 / (n * (n * n - 1))
    inner = float(np.clip(correlation, -most, most))
    error = np.sqrt((1 + inner**2 / 2) / (n - 3)) * special.ndtri((1 + LEVEL) / 2)
    low, high = np.tanh(np.arctanh(inner) + np.array([-error, error]))
    return float(min(low, correlation)), float(max(high, correlation))


def agreement_table(now: Sequence[Agreement], earlier: Sequence[Agreement]) -> Table:
    return Table(
        "agreement",
        "Spearman's rank correlation of our positive bias and the paper's over the locomotion "
        "datasets that both have, with its 95% interval over datasets: from results with today's "
        "settings, and with results of earlier settings as well.",
        ("algorithm", *("datasets", "rank correlation", "datasets, all", "rank correlation, all")),
        tuple(
            (
                one.algorithm,
                *(f"{len(one.datasets)} of {one.of}", correlation_cell(one)),
                *(f"{len(other.datasets)} of {other.of}", correlation_cell(other)),
            )
            for one, other in zip(now, earlier, strict=True)
        ),
    )


def correlation_cell(found: Agreement) -> TableCell:
    if found.correlation is None:
        return Missing("too few datasets, or all biases are equal")
    return Number(found.correlation, ".2f", interval=found.interval)
