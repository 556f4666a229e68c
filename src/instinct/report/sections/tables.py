"""Tables of one quantity, with the paper's numbers beside ours."""

from collections.abc import Iterable

from instinct.benchmarks.registry import find_benchmark
from instinct.data import ALL, Array
from instinct.paper.tables import PaperScore
from instinct.paper.tables import table as paper_table
from instinct.report.kit.tables import Missing, Number, TableCell
from instinct.report.sections.numbers import FORMS, form_of
from instinct.study.findings import CellResult, Findings
from instinct.study.plan import Plan, reads_rewards
from instinct.study.statistics import estimate


def grid(
    findings: Findings, quantity: str
) -> tuple[tuple[str, ...], tuple[tuple[TableCell, ...], ...]]:
    """Make headings and rows: dataset, algorithm and filter by label, with the paper's numbers.

    The paper's numbers stand beside ours without a filter.
    """
    plan, papers = findings.plan, paper_numbers(findings.plan.datasets, quantity)
    theirs = {row.dataset for row in papers.values()}
    beside = any(paper_name(dataset) in theirs for dataset in plan.datasets)
    heads = [
        head
        for label in plan.labels
        for head in ((label, f"{label}, paper") if beside else (label,))
    ]
    rows: list[tuple[TableCell, ...]] = []
    for dataset in plan.datasets:
        recorded = findings.data.get(dataset, {}).get("behavior", {}).get(quantity)
        if recorded is not None:
            cells: list[TableCell] = [Number(recorded, form_of(plan, quantity))]
            if beside:
                cells.append(paper_cell(papers, dataset, "behavior", None, quantity))
            names = (dataset, "behavior", *([""] if plan.is_filtered else []))
            rows.append((*names, *cells, *[""] * (len(heads) - len(cells))))
        for algorithm, filter_name in filtered_algorithms(plan):
            cells = []
            for label in plan.labels:
                labeled = reads_rewards(algorithm)
                if not labeled and label != plan.labels[0]:
                    cells += [""] * (2 if beside else 1)
                    continue
                found = findings.result(dataset, algorithm, label, filter_name)
                cells.append(our_cell(plan, found, quantity))
                if beside:
                    key = label if labeled else None
                    cells.append(
                        paper_cell(papers, dataset, algorithm, key, quantity)
                        if filter_name == ALL
                        else ""
                    )
            rows.append((dataset, algorithm, *([filter_name] if plan.is_filtered else []), *cells))
    names = ("dataset", "algorithm", *(["filter"] if plan.is_filtered else []))
    return (*names, *heads), tuple(rows)


def filtered_algorithms(plan: Plan) -> list[tuple[str, str]]:
    """Return every algorithm with each of its filters."""
    return [(name, each) for name in plan.algorithms for each in plan.filters_for(name)]


def our_cell(plan: Plan, found: CellResult | None, quantity: str) -> TableCell:
    if found is None:
        return ""
    if quantity not in found.means:
        return Missing("; ".join(found.missing) or "not measured")
    note = f"without {'; '.join(found.missing)}" if found.missing else ""
    return mean_cell(found.means[quantity], form_of(plan, quantity), note)


def mean_cell(values: Array, form: str, note: str = "") -> Number:
    """Return the mean over seeds, with its standard error if there are several."""
    if len(values) < 2:
        return Number(float(values[0]), form, note=note)
    average, stderr = estimate(values)
    return Number(average, form, error=stderr, note=note)


def paper_cell(
    papers: dict[tuple[str, str, str | None], PaperScore],
    dataset: str,
    algorithm: str,
    label: str | None,
    quantity: str,
) -> TableCell:
    row = papers.get((paper_name(dataset), algorithm, label))
    return "" if row is None else Number(row.mean, FORMS[quantity], error=row.stderr)


def paper_name(dataset: str) -> str:
    """Return the name of a dataset in the paper's tables."""
    return find_benchmark(dataset).paper_name(dataset)


def paper_numbers(
    datasets: Iterable[str], quantity: str
) -> dict[tuple[str, str, str | None], PaperScore]:
    """Return the paper's numbers on the families of the datasets, by dataset, algorithm, label.

    Where two tables have the same number, the first one counts.
    """
    tables = [find_benchmark(dataset).paper_tables.get(quantity, ()) for dataset in datasets]
    return {
        (row.dataset, row.algorithm, row.label): row
        for names in dict.fromkeys(tables)
        for name in reversed(names)
        for row in paper_table(name)
    }
