"""All numbers of an audit as plain data, as `instinct audit --json` prints them."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from instinct.report.estimates_document import decision_document, estimates_document
from instinct.report.kit.page import Page
from instinct.report.run_verdicts import run_rows
from instinct.report.sections.numbers import rows
from instinct.report.terminals import terminals_document
from instinct.study.facts import removal_numbers
from instinct.study.findings import Findings
from instinct.study.plan import Cell
from instinct.util.jsonio import to_json_data

DRAWN_ONLY = ("points", "cost_points")
"""Facts of a dataset that only figures use."""


def audit_document(findings: Findings, page: Page, path: Path) -> dict[str, Any]:
    """Return the document of an audit whose page is at `path`."""
    plan = findings.plan
    dataset = plan.datasets[0]
    document = {
        "dataset": dataset,
        "task": plan.task_of(dataset),
        "preset": plan.preset,
        "seeds": plan.seeds,
        "first_seed": plan.first_seed,
        "episodes": plan.episodes,
        "terminals": terminals_document(findings, dataset),
        "results": rows(findings),
        "diagnostics": run_rows(findings),
        "positive_bias": [
            {"algorithm": algorithm, **found._asdict()}
            for algorithm in plan.algorithms
            if (found := findings.bias(dataset, algorithm)) is not None
        ],
        "data": {
            name: value
            for name, value in findings.data.get(dataset, {}).items()
            if name not in DRAWN_ONLY
        },
        "filters": [
            {"filter": name, **removal_numbers(facts)}
            for name in plan.filters[1:]
            for cell in [Cell(dataset, plan.algorithms[0], plan.labels[0], name)]
            if (facts := findings.removed(cell)) is not None
        ],
        "estimates": estimates_document(findings, dataset),
        "decision": decision_document(findings, dataset) if findings.main is None else None,
        "answer": None
        if page.answer is None
        else {"sentence": page.answer.sentence, "sure": page.answer.sure},
        "verdicts": [asdict(verdict) for verdict in page.verdicts],
        "missing": [*findings.missing],
        "core_hours": findings.seconds / 3600,
        "versions": dict(findings.versions),
        "page": str(path),
    }
    result: dict[str, Any] = to_json_data(document)
    return result
