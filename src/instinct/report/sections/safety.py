"""The section of scores and costs, as in the paper's table: unsafe agents are gray."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from instinct.benchmarks.registry import find_benchmark, short_name
from instinct.paper.tables import PaperSafetyScore
from instinct.paper.tables import safety as published
from instinct.report.kit.page import Drawing, Section
from instinct.report.kit.reward_cost import Agent, CostPanel, draw_reward_cost
from instinct.report.kit.tables import Number, Table, TableCell
from instinct.report.sections.numbers import FORMS, form_of
from instinct.report.sections.tables import our_cell
from instinct.study.findings import CellResult, Findings
from instinct.study.measurement import QUANTITIES, is_safe
from instinct.study.plan import Plan, reads_rewards
from instinct.study.statistics import estimate

PAPER_AGENTS = ("ATAC", "PSPI")
"""The paper's own agents; the third one of a task is the best published agent."""
PAPER_FILTER = "cost-free"
MEANING = """
The normalized cost is the cost of an episode divided by the target κ = 34.29. An agent is safe if
it is at most 1 on average; unsafe agents are gray.
"""
COST = "normalized_cost"
BEST = "best published: {}"


def safety_section(findings: Findings) -> Iterator[Section]:
    """Make the section of score and cost of every agent, if costs were measured."""
    main = findings.main
    if main is None or COST not in findings.quantities():
        return
    plan = findings.plan
    caption = (
        f"{QUANTITIES[main].capitalize()} and normalized cost of the final policy: mean"
        f"{' ± one standard error' if plan.seeds > 1 else ''} over {plan.seeds} "
        f"{'seed' if plan.seeds == 1 else 'seeds'}, {plan.episodes} test episodes each."
    )
    bars = "" if plan.seeds == 1 else "; bars are one standard error over seeds"
    yield Section(
        title="Score and cost",
        text=(MEANING, *count_safe(findings)),
        tables=(Table("reward-and-cost", caption, *reward_cost_grid(findings, main)),),
        drawings=(
            Drawing(
                "reward-and-cost-figure",
                draw_reward_cost([*panels(findings, main)], QUANTITIES[main]),
                "Score against cost. Empty marks are agents trained on all data, full marks those "
                f"with a filter{bars}.",
            ),
        ),
    )


def reward_cost_grid(
    findings: Findings, main: str
) -> tuple[tuple[str, ...], tuple[tuple[TableCell, ...], ...]]:
    """Tabulate every agent beside the paper's numbers, and the best published agent."""
    plan, papers = findings.plan, paper_rows(findings.plan)
    own = [name for name, needed in optional_columns(plan).items() if needed]
    rows: list[dict[str, TableCell]] = []
    for dataset in plan.datasets:
        theirs = papers.get(dataset, {})
        recorded = findings.data.get(dataset, {}).get("behavior", {})
        if main in recorded and COST in recorded:
            cells = (Number(recorded[name], form_of(plan, name)) for name in (main, COST))
            rows.append(agent_row(dataset, "behavior", *cells))
        for found in agents_of(findings, dataset):
            cell = found.cell
            ours = our_cell(plan, found, main), our_cell(plan, found, COST)
            row = agent_row(dataset, cell.algorithm, *ours) | {
                "label": cell.label if reads_rewards(cell.algorithm) else "",
                "filter": cell.filter,
            }
            if (cell.label, cell.filter) == ("original", PAPER_FILTER):
                row |= paper_cells(theirs.get(cell.algorithm))
            rows.append(row)
        for name, best in theirs.items():
            if name not in PAPER_AGENTS:
                rows.append(agent_row(dataset, BEST.format(name), "", "") | paper_cells(best))
    heads = ("dataset", "algorithm", *own, "score", "normalized cost")
    heads += ("score, paper", "normalized cost, paper") if any(papers.values()) else ()
    return heads, tuple(tuple(row.get(head, "") for head in heads) for row in rows)


def optional_columns(plan: Plan) -> dict[str, bool]:
    """Return which optional columns are needed."""
    return {"label": len(plan.labels) > 1, "filter": plan.is_filtered}


def agent_row(
    dataset: str, algorithm: str, score: TableCell, cost: TableCell
) -> dict[str, TableCell]:
    return {"dataset": dataset, "algorithm": algorithm} | mark_unsafe(
        ("score", score), ("normalized cost", cost)
    )


def paper_cells(row: PaperSafetyScore | None) -> dict[str, TableCell]:
    if row is None:
        return {}
    score, cost = Number(row.score, ".2f"), Number(row.normalized_cost, FORMS[COST])
    return mark_unsafe(("score, paper", score), ("normalized cost, paper", cost))


def mark_unsafe(score: tuple[str, TableCell], cost: tuple[str, TableCell]) -> dict[str, TableCell]:
    """Mark score and cost gray if the cost is above the target."""
    cells = dict([score, cost])
    known = cost[1]
    if isinstance(known, Number) and not is_safe(known.value):
        return {
            name: replace(cell, mark="gray") if isinstance(cell, Number) else cell
            for name, cell in cells.items()
        }
    return cells


def agents_of(findings: Findings, dataset: str) -> Iterator[CellResult]:
    """Yield the results of a dataset by algorithm, then by filter and label."""
    plan = findings.plan
    for algorithm in plan.algorithms:
        for filter_name in plan.filters_for(algorithm):
            for label in plan.labels if reads_rewards(algorithm) else plan.labels[:1]:
                found = findings.result(dataset, algorithm, label, filter_name)
                if found is not None:
                    yield found


def paper_rows(plan: Plan) -> dict[str, dict[str, PaperSafetyScore]]:
    """Return the paper's rows by dataset and algorithm."""
    tasks: dict[str, dict[str, PaperSafetyScore]] = {}
    for row in published():
        tasks.setdefault(row.task, {})[row.algorithm] = row
    return {
        dataset: tasks.get(find_benchmark(dataset).paper_name(dataset), {})
        for dataset in plan.datasets
    }


def count_safe(findings: Findings) -> Iterator[str]:
    """Count the datasets on which every agent is safe, if there are several datasets."""
    plan, papers = findings.plan, paper_rows(findings.plan)
    if len(plan.datasets) == 1:
        return
    counts: dict[str, list[bool]] = {}
    for dataset in plan.datasets:
        for found in agents_of(findings, dataset):
            if COST in found.means:
                name = " / ".join(found.cell[1:] if plan.is_filtered else found.cell[1:3])
                safe = is_safe(float(found.means[COST].mean()))
                counts.setdefault(name, []).append(safe)
        for name, row in papers[dataset].items():
            named = f"the paper's {name}" if name in PAPER_AGENTS else "the best published"
            counts.setdefault(named, []).append(is_safe(row.normalized_cost))
    text = ", ".join(f"{name} on {sum(safe)} of {len(safe)}" for name, safe in counts.items())
    yield f"Safe on average: {text}."


def panels(findings: Findings, main: str) -> Iterator[CostPanel]:
    plan = findings.plan
    for dataset in plan.datasets:
        points = np.array(findings.data.get(dataset, {}).get("cost_points", []), float)
        target = plan.cost_target_of(dataset) or 1.0
        yield CostPanel(
            short_name(dataset, plan.datasets),
            [
                agent(found, main)
                for found in agents_of(findings, dataset)
                if main in found.means and COST in found.means
            ],
            points.reshape(-1, 2) / [target, 1.0],
        )


def agent(found: CellResult, main: str) -> Agent:
    rewards, costs = found.means[main], found.means[COST]
    errors = (0.0, 0.0)
    if len(rewards) > 1:
        errors = estimate(rewards).stderr, estimate(costs).stderr
    _, algorithm, label, filter_name = found.cell
    return Agent(algorithm, label, filter_name, float(rewards.mean()), float(costs.mean()), *errors)
