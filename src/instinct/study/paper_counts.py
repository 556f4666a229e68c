"""Compare the number of runs of a plan with that of the paper's experiments.

D4RL: 5 algorithms × 15 datasets × 5 reward types × 4 combinations × 2 seeds for tuning, and
6 algorithms × 15 datasets × 5 reward types × 10 seeds for the results. Meta-World: the same with
4 reward types and 3 tuning seeds. Each with 15 datasets × 4 reward types × 10 seeds of the Decision
Transformer. Safety-Gymnasium: 2 algorithms × 16 datasets × 4 combinations × 3 seeds.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from instinct.benchmarks.registry import BENCHMARKS, find_benchmark
from instinct.data import NO_TERMINAL, PAPER_LABELS
from instinct.paper.tables import safety_tasks
from instinct.study.plan import Cell, Plan
from instinct.study.plan_files import shipped_plans

REWARD_TYPES = (*PAPER_LABELS, NO_TERMINAL.name)
TUNED = ("ATAC", "PSPI", "IQL", "CQL", "CQL3")
COMBINATIONS, SEEDS = 4, 10
SAFETY_SEEDS = 3

Runs = Mapping[Cell, tuple[int, int]]
"""The number of runs of every cell, for tuning and for the results."""


@dataclass(frozen=True)
class Experiments:
    """The paper's runs on one family of datasets, and the studies that have them here."""

    runs: Runs
    studies: tuple[str, ...]


def wrong_rewards(datasets: Iterable[str], labels: Iterable[str], tuning_seeds: int) -> Runs:
    """Return the runs of every algorithm under every reward type; tuned algorithms have more."""
    cells = [Cell(dataset, "", label) for dataset in datasets for label in labels]
    tuned, once = (COMBINATIONS * tuning_seeds, SEEDS), (0, SEEDS)
    return (
        {cell._replace(algorithm=name): tuned for cell in cells for name in TUNED}
        | {cell._replace(algorithm="BC"): once for cell in cells}
        | {cell._replace(algorithm="DT"): once for cell in cells if cell.label != NO_TERMINAL.name}
    )


def safety(prefix: str) -> Runs:
    """Return the runs of ATAC and PSPI on cost-free data; tuning also gives the results."""
    runs = COMBINATIONS * SAFETY_SEEDS, 0
    return {
        Cell(prefix + task, name, "original", "cost-free"): runs
        for task in safety_tasks()
        for name in ("ATAC", "PSPI")
    }


LOCOMOTION, METAWORLD, SAFETY = (BENCHMARKS[name] for name in ("locomotion", "metaworld", "safety"))
EXPERIMENTS = (
    Experiments(
        wrong_rewards(LOCOMOTION.datasets, REWARD_TYPES, tuning_seeds=2),
        studies=("d4rl", "d4rl-no-terminal", "cql-architecture"),
    ),
    Experiments(
        wrong_rewards(
            [name for name in METAWORLD.datasets if METAWORLD.goals_end(name)],
            PAPER_LABELS,
            tuning_seeds=3,
        ),
        studies=("metaworld", "cql-architecture-metaworld"),
    ),
    Experiments(safety(SAFETY.prefix), studies=("safety",)),
    Experiments(safety(SAFETY.file_prefix), studies=("safety-dsrl",)),
)


@dataclass(frozen=True)
class Difference:
    """A difference between the runs of a plan and the paper's: more, or fewer if negative."""

    reason: str
    tuning: int
    final: int


@dataclass(frozen=True)
class PaperComparison:
    tuning: int
    final: int
    paper_tuning: int
    paper_final: int
    differences: tuple[Difference, ...]


def compare(plan: Plan) -> PaperComparison | None:
    """Compare the runs of a plan with the paper's; None for plans of other experiments."""
    experiments = next((each for each in EXPERIMENTS if plan.name in each.studies), None)
    if experiments is None:
        return None
    ours, papers = runs_of(plan), experiments.runs
    tuning: Counter[str] = Counter()
    final: Counter[str] = Counter()
    for cell in {**papers, **ours}:
        mine, theirs = ours.get(cell, (0, 0)), papers.get(cell, (0, 0))
        if mine != theirs:
            reason = explain_difference(plan, experiments, cell, cell in ours, cell in papers)
            tuning[reason] += mine[0] - theirs[0]
            final[reason] += mine[1] - theirs[1]
    return PaperComparison(
        tuning=sum(n for n, _ in ours.values()),
        final=sum(n for _, n in ours.values()),
        paper_tuning=sum(n for n, _ in papers.values()),
        paper_final=sum(n for _, n in papers.values()),
        differences=tuple(Difference(reason, tuning[reason], final[reason]) for reason in final),
    )


def runs_of(plan: Plan) -> Runs:
    """Count the runs of a plan; results that reuse tuning seeds need no new runs."""
    runs = {}
    for cell in plan.cells():
        combinations = len(plan.combinations(cell))
        tuned = plan.tuning_seeds if combinations > 1 else 0
        again = 0 if plan.new_seeds else min(tuned, plan.seeds)
        runs[cell] = tuned * combinations, plan.seeds - again
    return runs


def explain_difference(
    plan: Plan, experiments: Experiments, cell: Cell, ours: bool, papers: bool
) -> str:
    """Explain why a cell has another number of runs than in the paper."""
    if ours and papers:
        return "the plan was scaled down in seeds" if plan.scaled else "other seeds or grids"
    if ours:
        baseline = f"{cell.algorithm}, {cell.filter} data," if plan.is_filtered else cell.algorithm
        return f"{baseline} is not counted by the paper"
    falls = find_benchmark(cell.dataset).end_of(cell.dataset) == "fall"
    if cell.algorithm == "BC" and cell.label != "original":
        return "BC reads no rewards: it is trained once, not for every reward type"
    if cell.label == NO_TERMINAL.name and not falls:
        return "halfcheetah never terminates: no-terminal would be the same data"
    if cell in cells_of(plan.name):
        return "left out of this subset"
    for name in experiments.studies:
        if name != plan.name and cell in cells_of(name):
            return f"in the study {name}"
    return "counted by the paper, but in none of its tables"


@cache
def cells_of(study: str) -> frozenset[Cell]:
    return frozenset(shipped_plans()[study].cells())
