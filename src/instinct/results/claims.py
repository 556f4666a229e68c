"""The paper's qualitative findings as checks on results of our own.

A claim is taken apart into cases, each a comparison of two numbers that a study has measured. It
holds if all its cases do. What was not measured is no case; a claim without any was not tested.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from instinct.benchmarks.registry import find_benchmark, goals_end
from instinct.data import ALL, PAPER_LABELS, WRONG_LABELS, Array
from instinct.experiments.results import ExperimentResults
from instinct.study.findings import Findings
from instinct.study.plan import Cell

PESSIMISTS = ("ATAC", "PSPI")
EXPERT_LEVEL = 90.0
OUTPERFORMED = ("peg-insert-side", "push", "reach")
"""Goal tasks in which the paper sees BC outperformed under wrong rewards."""
SAME = 10.0
"""Scores that differ by no more than this and a standard error are called the same."""


@dataclass(frozen=True)
class Case:
    """One comparison in words and numbers, and whether it came out as the paper says."""

    what: str
    holds: bool


Check = Callable[["Evidence"], Iterator[Case]]


@dataclass(frozen=True)
class Claim:
    """A finding of the paper's in our words, and how it is checked."""

    text: str
    means: str
    """What makes a case hold."""
    check: Check


class Evidence:
    """The findings of several studies; what they know of the same cell is put together.

    `computed` are the results of studies without runs, such as the grid world's.
    """

    def __init__(
        self, studies: Sequence[Findings], computed: Sequence[ExperimentResults] = ()
    ) -> None:
        self.studies, self.computed = studies, computed

    @property
    def datasets(self) -> list[str]:
        return list(dict.fromkeys(name for each in self.studies for name in each.plan.datasets))

    def seeds(self, dataset: str, algorithm: str, label: str, quantity: str) -> Array | None:
        """The mean of every seed's test episodes, from studies that have all their seeds.

        Only those with the settings of the first of them are taken.
        """
        known: dict[int, float] = {}
        changes = None
        for findings in self.studies:
            plan = findings.plan
            found = findings.result(dataset, algorithm, label) if label in plan.labels else None
            values = None if found is None else found.means.get(quantity)
            if found is None or values is None or len(values) < plan.seeds:
                continue
            changes = found.changes if changes is None else changes
            if found.changes == changes:
                known = {**dict(zip(found.seeds, map(float, values), strict=True)), **known}
        return np.array([*known.values()]) if known else None

    def recorded(self, dataset: str, quantity: str) -> float | None:
        """The mean over the episodes of the data."""
        for findings in self.studies:
            value = findings.data.get(dataset, {}).get("behavior", {}).get(quantity)
            if value is not None:
                return float(value)
        return None

    def bias(self, dataset: str, algorithm: str) -> float | None:
        for findings in self.studies:
            if dataset in findings.plan.datasets and algorithm in findings.plan.algorithms:
                found = findings.bias(dataset, algorithm)
                if found is not None:
                    return found.estimate
        return None

    def filtered(self) -> Iterator[tuple[Cell, Array, Array]]:
        """The costs of agents after a filter, and of the same agents without it."""
        for findings in self.studies:
            for cell, found in findings.results.items():
                whole = findings.results.get(cell._replace(filter=ALL))
                if cell.filter != ALL and whole is not None:
                    costs = [each.means.get("cost") for each in (found, whole)]
                    if costs[0] is not None and costs[1] is not None:
                        yield cell, costs[0], costs[1]

    def falling(self, *qualities: str) -> list[str]:
        """Return the datasets of these qualities in which a terminal is a fall."""
        return [
            name
            for name in self.datasets
            if quality(name) in qualities and find_benchmark(name).end_of(name) == "fall"
        ]

    def goals(self) -> list[str]:
        """Return the datasets whose terminals mark successes."""
        return [name for name in self.datasets if goals_end(name)]


def quality(dataset: str) -> str:
    """Return the quality of a dataset, such as "medium"; empty in families without qualities."""
    return find_benchmark(dataset).quality_of(dataset)


def error(one: Array, other: Array) -> float:
    """The standard error of the difference of two means over seeds."""
    if min(len(one), len(other)) < 2:
        return 0.0
    return float(np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other)))


def no_worse(one: Array, other: Array) -> bool:
    """Not below by more than the standard error of the difference."""
    return bool(one.mean() >= other.mean() - error(one, other))


def better(one: Array, other: Array) -> bool:
    """Above by more than the standard error of the difference."""
    return bool(one.mean() > other.mean() + error(one, other))


def same(one: Array, other: Array) -> bool:
    """Apart by no more than ten points and the standard error of the difference."""
    return bool(abs(one.mean() - other.mean()) <= SAME + error(one, other))


def beside_bc(
    evidence: Evidence,
    datasets: Sequence[str],
    quantity: str,
    form: str,
    holds: Callable[[Array, Array], bool] = no_worse,
) -> Iterator[Case]:
    for dataset in datasets:
        bc = evidence.seeds(dataset, "BC", "original", quantity)
        for algorithm, label, values in under_wrong_labels(evidence, dataset, PESSIMISTS, quantity):
            if bc is not None:
                said = f"{values.mean():{form}} against BC's {bc.mean():{form}}"
                yield Case(f"{dataset}, {algorithm}, {label}: {said}", holds(values, bc))


def under_wrong_labels(
    evidence: Evidence, dataset: str, algorithms: Sequence[str], quantity: str
) -> Iterator[tuple[str, str, Array]]:
    for algorithm in algorithms:
        for label in WRONG_LABELS:
            values = evidence.seeds(dataset, algorithm, label, quantity)
            if values is not None:
                yield algorithm, label, values


def gridworld(evidence: Evidence) -> Iterator[Case]:
    for results in evidence.computed:
        if results.study == "gridworld":
            means = {(row["algorithm"], row["label"]): row["mean"] for row in results.results}
            for label in PAPER_LABELS:
                pevi, bc = means["PEVI", label], means["BC", label]
                yield Case(f"PEVI, {label}: {pevi:.2f} against BC's {bc:.2f}", pevi > 0 > bc)


def length_biased(evidence: Evidence) -> Iterator[Case]:
    yield from beside_bc(evidence, evidence.falling("medium"), "score", ".1f")


def survival(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.falling("random", "medium", "medium-replay", "medium-expert"):
        recorded = evidence.recorded(dataset, "length")
        for algorithm, label, values in under_wrong_labels(evidence, dataset, PESSIMISTS, "length"):
            if recorded is not None:
                said = f"{values.mean():.0f} steps, recorded {recorded:.0f}"
                yield Case(
                    f"{dataset}, {algorithm}, {label}: {said}", bool(values.mean() > recorded)
                )


def replay(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.falling("medium-replay"):
        for algorithm in (*PESSIMISTS, "IQL", "CQL"):
            true = evidence.seeds(dataset, algorithm, "original", "score")
            for _, label, values in under_wrong_labels(evidence, dataset, (algorithm,), "score"):
                if true is not None:
                    said = f"{values.mean():.1f}, with the true reward {true.mean():.1f}"
                    yield Case(
                        f"{dataset}, {algorithm}, {label}: {said}", not no_worse(values, true)
                    )


def no_length_bias(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.datasets:
        if not quality(dataset) or find_benchmark(dataset).end_of(dataset) != "timeout":
            continue
        bc = evidence.seeds(dataset, "BC", "original", "score")
        for algorithm, label, values in under_wrong_labels(evidence, dataset, PESSIMISTS, "score"):
            if bc is not None:
                said = f"{values.mean():.1f} against BC's {bc.mean():.1f}"
                holds = bool(values.mean() <= bc.mean() + error(values, bc) + 5)
                yield Case(f"{dataset}, {algorithm}, {label}: {said}", holds)


def expert(evidence: Evidence) -> Iterator[Case]:
    for dataset in (name for name in evidence.datasets if quality(name) == "expert"):
        for algorithm, label, values in under_wrong_labels(
            evidence, dataset, (*PESSIMISTS, "DT"), "score"
        ):
            yield Case(
                f"{dataset}, {algorithm}, {label}: {values.mean():.1f}",
                bool(values.mean() >= EXPERT_LEVEL),
            )


def decision_transformer(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.datasets:
        true = evidence.seeds(dataset, "DT", "original", "score")
        for _, label, values in under_wrong_labels(evidence, dataset, ("DT",), "score"):
            if true is not None:
                said = f"{values.mean():.1f}, with the true reward {true.mean():.1f}"
                yield Case(f"{dataset}, {label}: {said}", same(values, true))


def goal_tasks(evidence: Evidence) -> Iterator[Case]:
    yield from beside_bc(evidence, evidence.goals(), "success", ".2f")


def outperforming(evidence: Evidence) -> Iterator[Case]:
    datasets = [
        name for name in evidence.goals() if find_benchmark(name).paper_name(name) in OUTPERFORMED
    ]
    yield from beside_bc(evidence, datasets, "success", ".2f", better)


def goal_terminal(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.goals():
        for algorithm in PESSIMISTS:
            kept = evidence.bias(dataset, algorithm)
            other = find_benchmark(dataset).without_goal_terminal(dataset)
            gone = None if other is None else evidence.bias(other, algorithm)
            if kept is not None and gone is not None:
                said = f"positive bias {kept:.1f}, without the goal terminal {gone:.1f}"
                yield Case(f"{dataset}, {algorithm}: {said}", kept > gone)


def safer(evidence: Evidence) -> Iterator[Case]:
    for cell, after, before in evidence.filtered():
        said = f"cost {after.mean():.2f}, without the filter {before.mean():.2f}"
        holds = better(before, after)
        yield Case(f"{cell.dataset}, {cell.algorithm}, {cell.filter}: {said}", holds)


def terminals(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.datasets:
        for algorithm in PESSIMISTS:
            kept = evidence.seeds(dataset, algorithm, "original", "score")
            gone = evidence.seeds(dataset, algorithm, "no-terminal", "score")
            if kept is not None and gone is not None:
                said = (
                    f"{gone.mean():.1f} without terminal transitions, {kept.mean():.1f} with them"
                )
                yield Case(f"{dataset}, {algorithm}: {said}", same(gone, kept))


def architecture(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.datasets:
        for label in WRONG_LABELS:
            two = evidence.seeds(dataset, "CQL", label, "score")
            three = evidence.seeds(dataset, "CQL3", label, "score")
            if two is not None and three is not None:
                said = f"CQL3 {three.mean():.1f}, CQL {two.mean():.1f}"
                yield Case(f"{dataset}, {label}: {said}", same(three, two))


CLAIMS = (
    Claim(
        "In the grid world PEVI finds the key under any reward, and BC walks into the lava",
        "a return above 0 for PEVI and below 0 for BC",
        gridworld,
    ),
    Claim(
        "With strong length bias, ATAC and PSPI told wrong rewards are no worse than BC",
        "hopper-medium and walker2d-medium: the mean score is not below BC's by more than the "
        "standard error of the difference",
        length_biased,
    ),
    Claim(
        "ATAC and PSPI told wrong rewards keep from falling for longer than the behavior",
        "hopper and walker2d below expert: the mean episode is longer than the recorded ones",
        survival,
    ),
    Claim(
        "Diverse data need the reward: medium-replay is worse under wrong rewards",
        "hopper and walker2d: below the true reward's score by more than the standard error",
        replay,
    ),
    Claim(
        "Without length bias wrong rewards lead to BC at best",
        "halfcheetah, ATAC and PSPI: at most five points and a standard error above BC",
        no_length_bias,
    ),
    Claim(
        "On expert data ATAC, PSPI and DT reach expert level under wrong rewards",
        f"a mean score of {EXPERT_LEVEL:.0f} or more",
        expert,
    ),
    Claim(
        "DT hardly depends on the reward",
        f"within {SAME:.0f} points and a standard error of its score with the true reward",
        decision_transformer,
    ),
    Claim(
        "On goal tasks ATAC and PSPI told wrong rewards are no worse than BC, stopped in time",
        "Meta-World: the success rate is not below BC's by more than the standard error",
        goal_tasks,
    ),
    Claim(
        "On push, reach and peg-insert-side ATAC and PSPI told wrong rewards beat BC, stopped in "
        "time",
        "Meta-World: the success rate is above BC's by more than the standard error",
        outperforming,
    ),
    Claim(
        "Goal data are positively biased by their terminal at the goal",
        "Meta-World: the positive bias is larger with the goal terminal than without",
        goal_terminal,
    ),
    Claim(
        "Data without costly transitions make policies safer",
        "Safety-Gymnasium: the normalized cost falls by more than the standard error",
        safer,
    ),
    Claim(
        "With the true reward, terminal transitions make no difference to ATAC and PSPI",
        f"within {SAME:.0f} points and a standard error",
        terminals,
    ),
    Claim(
        "CQL's sensitivity is not its architecture's: with ATAC's networks it does the same",
        f"CQL3 within {SAME:.0f} points and a standard error of CQL",
        architecture,
    ),
)


def outcome(cases: Sequence[Case]) -> str:
    """What the cases say of their claim."""
    if not cases:
        return "not tested"
    return "holds" if all(case.holds for case in cases) else "does not hold"


def checked(evidence: Evidence) -> Mapping[Claim, tuple[Case, ...]]:
    """Every claim with its cases."""
    return {claim: tuple(claim.check(evidence)) for claim in CLAIMS}
