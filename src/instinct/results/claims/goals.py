"""Claims on goal tasks, against BC with and without early stopping."""

from collections.abc import Callable, Iterator
from functools import partial

from instinct.benchmarks.registry import find_benchmark
from instinct.results.claims.claim import Case, Claim
from instinct.results.claims.locomotion import PESSIMISTS
from instinct.results.evidence import Evidence, better, no_worse
from instinct.study.intervals import Mean

OUTPERFORMED = ("peg-insert-side", "push", "reach")
"""Goal tasks in which wrong rewards outperform BC in the paper."""
PAPER_BC = "The paper's BC has no early stopping"


def beside_bc(
    evidence: Evidence, stopped: bool, datasets: list[str], holds: Callable[[Mean, Mean], bool]
) -> Iterator[Case]:
    for dataset in datasets:
        bc = evidence.stopped_imitation(dataset, "success", stopped)
        for algorithm, label, found in evidence.wrong_means(dataset, PESSIMISTS, "success"):
            if bc is not None:
                yield Case(
                    f"{dataset}, {algorithm}, {label}",
                    f"{found.value:.2f}, BC {bc.value:.2f}",
                    holds(found, bc),
                    {"success": found.value, "bc": bc.value},
                )


def goal_tasks(evidence: Evidence, stopped: bool) -> Iterator[Case]:
    yield from beside_bc(evidence, stopped, evidence.goals(), no_worse)


def outperforming(evidence: Evidence, stopped: bool) -> Iterator[Case]:
    datasets = [
        name for name in evidence.goals() if find_benchmark(name).paper_name(name) in OUTPERFORMED
    ]
    yield from beside_bc(evidence, stopped, datasets, better)


def goal_terminal(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.goals():
        for algorithm in PESSIMISTS:
            kept = evidence.bias(dataset, algorithm)
            other = find_benchmark(dataset).without_goal_terminal(dataset)
            gone = None if other is None else evidence.bias(other, algorithm)
            if kept is not None and gone is not None:
                yield Case(
                    f"{dataset}, {algorithm}",
                    f"positive bias {kept:.1f}, without the goal terminal {gone:.1f}",
                    kept > gone,
                    {"bias": kept, "without": gone},
                )


GOALS = (
    Claim(
        "goal-tasks",
        "On goal tasks, ATAC and PSPI with wrong rewards are no worse than BC without early "
        "stopping",
        "Meta-World: the success rate is not below BC's by more than the standard error",
        "Section 4.1.2, Table 14",
        partial(goal_tasks, stopped=False),
    ),
    Claim(
        "goal-tasks-early-stopping",
        "On goal tasks, ATAC and PSPI with wrong rewards are no worse than BC with early stopping",
        f"the same with a BC that keeps its best policy on held-out episodes. {PAPER_BC}",
        "Section 4.1.2, Table 14",
        partial(goal_tasks, stopped=True),
    ),
    Claim(
        "goal-outperforming",
        "On push, reach and peg-insert-side, ATAC and PSPI with wrong rewards beat BC without "
        "early stopping",
        "Meta-World: the success rate is above BC's by more than the standard error",
        "Section 4.1.2, Table 14",
        partial(outperforming, stopped=False),
    ),
    Claim(
        "goal-outperforming-early-stopping",
        "On push, reach and peg-insert-side, ATAC and PSPI with wrong rewards beat BC with early "
        "stopping",
        f"the same with a BC that keeps its best policy on held-out episodes. {PAPER_BC}",
        "Section 4.1.2, Table 14",
        partial(outperforming, stopped=True),
    ),
    Claim(
        "goal-terminal",
        "The terminal at the goal makes goal data positively biased",
        "Meta-World: the positive bias is larger with the goal terminal than without",
        "Section 4.1.2, Appendix C.1 (no numbers)",
        goal_terminal,
    ),
)
