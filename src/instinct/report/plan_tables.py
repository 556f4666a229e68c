"""Tables about a plan: its runs, the paper's runs, predicted time, and status."""

from collections import Counter

from instinct.engine.prediction import Prediction
from instinct.report.kit.tables import Number, Table, TableCell
from instinct.study.findings import Findings
from instinct.study.paper_counts import PaperComparison, runs_of
from instinct.study.plan import Plan

MACHINES = (1, 10, 100)


def cells_table(plan: Plan) -> Table:
    """Count the runs of every dataset and algorithm."""
    tuning: Counter[tuple[str, str, str]] = Counter()
    final: Counter[tuple[str, str, str]] = Counter()
    labels: dict[tuple[str, str, str], list[str]] = {}
    for cell, (tuned, results) in runs_of(plan).items():
        key = cell.dataset, cell.algorithm, cell.filter
        tuning[key] += tuned
        final[key] += results
        labels.setdefault(key, []).append(cell.label)
    rows: list[tuple[TableCell, ...]] = [
        (
            *(key if plan.is_filtered else key[:2]),
            ", ".join(labels[key]),
            Number(tuning[key], ".0f"),
            Number(final[key], ".0f"),
        )
        for key in final
    ]
    totals = Number(sum(tuning.values()), ".0f"), Number(sum(final.values()), ".0f")
    columns = ("dataset", "algorithm", *(["filter"] if plan.is_filtered else []), "labels")
    rows.append(("all", *[""] * (len(columns) - 1), *totals))
    caption = f"Runs of {plan.name}, preset {plan.preset}."
    if plan.scaled:
        caption += f" Scaled down: {'; '.join(plan.scaled)}."
    return Table("runs", caption, (*columns, "tuning", "final"), tuple(rows))


def counts_table(comparison: PaperComparison) -> Table:
    """Explain the difference between the paper's number of runs and ours."""

    def row(name: str, tuning: int, final: int, form: str = ",.0f") -> tuple[TableCell, ...]:
        return name, Number(tuning, form), Number(final, form)

    rows = (
        row("the paper", comparison.paper_tuning, comparison.paper_final),
        *(row(each.reason, each.tuning, each.final, "+,.0f") for each in comparison.differences),
        row("this plan", comparison.tuning, comparison.final),
    )
    caption = "Compared with the paper's experiments on these datasets."
    return Table("counts", caption, ("", "tuning", "final"), rows)


def hours_table(prediction: Prediction, machines: int) -> Table:
    """Tabulate predicted hours, memory and training speed."""
    speeds = ", ".join(f"{name} {rate:,.0f}" for name, rate in prediction.steps_per_second.items())
    rows: list[tuple[TableCell, ...]] = [
        (
            f"hours on {n} {'machine' if n == 1 else 'machines'} with {prediction.workers} cores",
            f"{hours:,.1f}",
        )
        for n in sorted({machines, *MACHINES})
        for hours in [prediction.hours(n)]
    ]
    rows.append(("memory of all workers on one machine", f"{prediction.memory_gib:.1f} GiB"))
    rows.append(("training steps per second and core", speeds or "–"))
    caption = "Predicted from a short measurement."
    return Table("prediction", caption, ("", "predicted"), tuple(rows))


def status_table(findings: Findings) -> Table:
    """Count the ended runs of every dataset and algorithm."""
    done: Counter[tuple[str, str]] = Counter()
    planned: Counter[tuple[str, str]] = Counter()
    for cell, found in findings.results.items():
        done[cell.dataset, cell.algorithm] += len(found.seeds)
        planned[cell.dataset, cell.algorithm] += findings.plan.seeds
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (*key, Number(done[key], ".0f"), Number(planned[key], ".0f")) for key in planned
    )
    caption = f"Results of {findings.plan.name} so far, without tuning runs."
    return Table("status", caption, ("dataset", "algorithm", "ended", "planned"), rows)
