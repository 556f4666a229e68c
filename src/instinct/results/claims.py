"""Check the paper's qualitative claims on our own results.

A claim has cases, each a comparison of two measured numbers. It holds if all its cases hold. Cells
without results make no case, and a claim without cases is not tested.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from instinct.benchmarks.registry import find_benchmark
from instinct.data import PAPER_LABELS, WRONG_LABELS, Array
from instinct.results.evidence import (
    SAME,
    Evidence,
    better,
    difference_error,
    no_worse,
    quality,
    same,
)

PESSIMISTS = ("ATAC", "PSPI")
EXPERT_LEVEL = 90.0
OUTPERFORMED = ("peg-insert-side", "push", "reach")
"""Goal tasks in which wrong rewards outperform BC in the paper."""


@dataclass(frozen=True)
class Case:
    """One comparison in words and numbers, and whether it agrees with the claim."""

    what: str
    holds: bool


Check = Callable[[Evidence], Iterator[Case]]


@dataclass(frozen=True)
class Claim:
    """A claim of the paper in our words, with the function that checks it."""

    code: str
    """A short name that stays the same."""
    text: str
    means: str
    """The condition under which a case holds."""
    check: Check


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
                numbers = f"{values.mean():{form}} against BC's {bc.mean():{form}}"
                yield Case(f"{dataset}, {algorithm}, {label}: {numbers}", holds(values, bc))


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
                numbers = f"{values.mean():.0f} steps, recorded {recorded:.0f}"
                yield Case(
                    f"{dataset}, {algorithm}, {label}: {numbers}", bool(values.mean() > recorded)
                )


def replay(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.falling("medium-replay"):
        for algorithm in (*PESSIMISTS, "IQL", "CQL"):
            true = evidence.seeds(dataset, algorithm, "original", "score")
            for _, label, values in under_wrong_labels(evidence, dataset, (algorithm,), "score"):
                if true is not None:
                    numbers = f"{values.mean():.1f}, with the true reward {true.mean():.1f}"
                    yield Case(
                        f"{dataset}, {algorithm}, {label}: {numbers}", not no_worse(values, true)
                    )


def no_length_bias(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.datasets:
        if not quality(dataset) or find_benchmark(dataset).end_of(dataset) != "timeout":
            continue
        bc = evidence.seeds(dataset, "BC", "original", "score")
        for algorithm, label, values in under_wrong_labels(evidence, dataset, PESSIMISTS, "score"):
            if bc is not None:
                numbers = f"{values.mean():.1f} against BC's {bc.mean():.1f}"
                holds = bool(values.mean() <= bc.mean() + difference_error(values, bc) + 5)
                yield Case(f"{dataset}, {algorithm}, {label}: {numbers}", holds)


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
                numbers = f"{values.mean():.1f}, with the true reward {true.mean():.1f}"
                yield Case(f"{dataset}, {label}: {numbers}", same(values, true))


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
                numbers = f"positive bias {kept:.1f}, without the goal terminal {gone:.1f}"
                yield Case(f"{dataset}, {algorithm}: {numbers}", kept > gone)


def safer(evidence: Evidence) -> Iterator[Case]:
    for cell, after, before in evidence.filtered():
        numbers = f"cost {after.mean():.2f}, without the filter {before.mean():.2f}"
        holds = better(before, after)
        yield Case(f"{cell.dataset}, {cell.algorithm}, {cell.filter}: {numbers}", holds)


def terminals(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.datasets:
        for algorithm in PESSIMISTS:
            kept = evidence.seeds(dataset, algorithm, "original", "score")
            gone = evidence.seeds(dataset, algorithm, "no-terminal", "score")
            if kept is not None and gone is not None:
                numbers = (
                    f"{gone.mean():.1f} without terminal transitions, {kept.mean():.1f} with them"
                )
                yield Case(f"{dataset}, {algorithm}: {numbers}", same(gone, kept))


def architecture(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.datasets:
        for label in WRONG_LABELS:
            two = evidence.seeds(dataset, "CQL", label, "score")
            three = evidence.seeds(dataset, "CQL3", label, "score")
            if two is not None and three is not None:
                numbers = f"CQL3 {three.mean():.1f}, CQL {two.mean():.1f}"
                yield Case(f"{dataset}, {label}: {numbers}", same(three, two))


CLAIMS = (
    Claim(
        "gridworld",
        "In the grid world, PEVI finds the key under any reward, and BC walks into the lava",
        "a return above 0 for PEVI and below 0 for BC",
        gridworld,
    ),
    Claim(
        "length-bias",
        "With strong length bias, ATAC and PSPI with wrong rewards are no worse than BC",
        "hopper-medium and walker2d-medium: the mean score is not below BC's by more than the "
        "standard error of the difference",
        length_biased,
    ),
    Claim(
        "survival",
        "ATAC and PSPI with wrong rewards survive longer than the behavior",
        "hopper and walker2d below expert: the mean episode is longer than the recorded ones",
        survival,
    ),
    Claim(
        "diverse-data",
        "Diverse data need the reward: medium-replay is worse with wrong rewards",
        "hopper and walker2d: below the true reward's score by more than the standard error",
        replay,
    ),
    Claim(
        "no-length-bias",
        "Without length bias, wrong rewards are no better than BC",
        "halfcheetah, ATAC and PSPI: at most five points and a standard error above BC",
        no_length_bias,
    ),
    Claim(
        "expert-data",
        "On expert data, ATAC, PSPI and DT reach expert level with wrong rewards",
        f"a mean score of {EXPERT_LEVEL:.0f} or more",
        expert,
    ),
    Claim(
        "decision-transformer",
        "DT hardly depends on the reward",
        f"within {SAME:.0f} points and a standard error of its score with the true reward",
        decision_transformer,
    ),
    Claim(
        "goal-tasks",
        "On goal tasks, ATAC and PSPI with wrong rewards are no worse than BC with early stopping",
        "Meta-World: the success rate is not below BC's by more than the standard error",
        goal_tasks,
    ),
    Claim(
        "goal-outperforming",
        "On push, reach and peg-insert-side, ATAC and PSPI with wrong rewards beat BC with early "
        "stopping",
        "Meta-World: the success rate is above BC's by more than the standard error",
        outperforming,
    ),
    Claim(
        "goal-terminal",
        "The terminal at the goal makes goal data positively biased",
        "Meta-World: the positive bias is larger with the goal terminal than without",
        goal_terminal,
    ),
    Claim(
        "safer-data",
        "Data without costly transitions make policies safer",
        "Safety-Gymnasium: the normalized cost falls by more than the standard error",
        safer,
    ),
    Claim(
        "terminals",
        "With the true reward, terminal transitions make no difference to ATAC and PSPI",
        f"within {SAME:.0f} points and a standard error",
        terminals,
    ),
    Claim(
        "architecture",
        "The architecture does not explain CQL's sensitivity: ATAC's networks give the same",
        f"CQL3 within {SAME:.0f} points and a standard error of CQL",
        architecture,
    ),
)


def outcome(cases: Sequence[Case]) -> str:
    """Summarize the cases of a claim."""
    if not cases:
        return "not tested"
    return "holds" if all(case.holds for case in cases) else "does not hold"


def check_claims(evidence: Evidence) -> Mapping[Claim, tuple[Case, ...]]:
    """Check every claim; return its cases."""
    return {claim: tuple(claim.check(evidence)) for claim in CLAIMS}
