"""The page of tasks with goals, from made-up measurements."""

from pathlib import Path
from typing import Any

import pytest

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.benchmarks.metaworld.datasets import NO_GOAL_TERMINAL
from instinct.report.kit.page import Verdict
from instinct.report.sections.numbers import rows
from instinct.report.study_page import compose
from instinct.report.verdicts import verdicts
from instinct.study.findings import Findings, read_findings
from instinct.study.measurement import Measurement
from instinct.study.plan import Plan
from instinct.study.store import open_store
from instinct.study.trials import Trial
from tests.study.stores import FACTS

PUSH = "metaworld:push"


def facts(success: float | None) -> dict[str, Any]:
    behavior = {"return": -200.0, "length": 240.0}
    return dict(FACTS) | {"behavior": behavior | ({} if success is None else {"success": success})}


def studied(folder: Path, plan: Plan, rates: dict[str, float]) -> Findings:
    """Of ten test episodes so many succeed, by dataset; BC is always right."""
    with open_store(folder, plan, {}) as store:
        for dataset in plan.datasets:
            ends = not dataset.endswith(NO_GOAL_TERMINAL)
            store.add_dataset(dataset, facts(0.68 if ends else None))
        for trial in plan.final({}):
            store.add(trial, measured(trial, rates))
    return read_findings(folder)


def measured(trial: Trial, rates: dict[str, float]) -> Measurement:
    rate = 1.0 if trial.algorithm == "BC" else rates[trial.dataset]
    successes = tuple(float(n < 10 * rate) for n in range(10))
    return Measurement({"success": successes, "return": (-50.0,) * 10, "length": (100.0,) * 10})


def by_code(findings: Findings, dataset: str) -> dict[str, Verdict]:
    return {verdict.code: verdict for verdict in verdicts(findings, dataset)}


def test_an_audit_of_goal_data(tmp_path: Path) -> None:
    findings = studied(
        tmp_path, audit_plan(PUSH, AuditOptions(algorithms=["PSPI"], seeds=2)), {PUSH: 0.8}
    )
    found = by_code(findings, PUSH)
    assert found["goal-terminal"].numbers == {"success": 0.68}
    assert found["true-reward-inconclusive"].numbers == pytest.approx(
        dict.fromkeys(("reached_gap", "reached_gap_low", "reached_gap_high"), 0.2)
        | {"true": 0.8, "wrong": 0.8, "reached": 1.0}
    ), "BC always succeeds"
    assert found["positive-bias"].numbers == pytest.approx({"PSPI": 5})
    assert "survival" not in found, "long episodes are no merit here"
    zero = next(
        row for row in rows(findings) if (row["algorithm"], row["label"]) == ("PSPI", "zero")
    )
    assert zero["success_rate"] == zero["success_rate_low"] == zero["success_rate_high"] == 0.8


def test_bc_with_early_stopping_is_compared_with_the_papers(tmp_path: Path) -> None:
    """The paper's BC has 0.19 on push."""
    plan = audit_plan(PUSH, AuditOptions(algorithms=["PSPI"], seeds=2))
    found = by_code(studied(tmp_path, plan, {PUSH: 0.8}), PUSH)["early-stopping"]
    assert found.numbers == {"bc": 1.0, "paper": 0.19}
    assert "90% of the episodes" in found.text


def test_the_papers_numbers_are_beside_ours(tmp_path: Path) -> None:
    """On push the paper has 0.19 for BC, and 0.47 ± 0.05 for PSPI under the true reward."""
    findings = studied(
        tmp_path, audit_plan(PUSH, AuditOptions(algorithms=["PSPI"], seeds=2)), {PUSH: 0.8}
    )
    success = next(table for table in compose(findings).tables if table.name == "success")
    assert success.columns[2:4] == ("original", "original, paper")
    _, bc, pspi = success.texts
    assert bc[3] == "0.19 ± 0.01"
    assert pspi[3] == "0.47 ± 0.05"


def test_bc_of_the_paper_preset_has_no_early_stopping(tmp_path: Path) -> None:
    plan = audit_plan(PUSH, AuditOptions(algorithms=["PSPI"], seeds=2, preset="paper"))
    assert "early-stopping" not in by_code(studied(tmp_path, plan, {PUSH: 0.8}), PUSH)


def test_pairs_with_and_without_the_goal_terminal(tmp_path: Path) -> None:
    """1/(1 − 0.8) = 5 with the terminal, 1/(1 − 0) = 1 without."""
    without = PUSH + NO_GOAL_TERMINAL
    plan = Plan(name="pair", datasets=(PUSH, without), algorithms=("BC", "PSPI"), seeds=2)
    findings = studied(tmp_path, plan, {PUSH: 0.8, without: 0.0})
    page = compose(findings)
    shown = {table.name: table.texts for table in page.tables}
    assert shown["goal-terminal"] == ((PUSH, "PSPI", "5.0 [5.0, 5.0]", "1.0 [1.0, 1.0]"),)
    assert "no-goal-terminal" in by_code(findings, without)
    behavior = [row for row in shown["success"] if row[1] == "behavior"]
    assert [row[0] for row in behavior] == [PUSH], "without terminals success is not known"


def test_one_dataset_has_no_goal_terminal_section(tmp_path: Path) -> None:
    findings = studied(
        tmp_path, audit_plan(PUSH, AuditOptions(algorithms=["PSPI"], seeds=2)), {PUSH: 0.8}
    )
    page = compose(findings)
    assert "goal-terminal" not in {table.name for table in page.tables}
    assert {"success-figure", "positive-bias-figure"} <= {each.name for each in page.drawings}


@pytest.mark.parametrize("datasets", [(PUSH,), (PUSH, "metaworld:reach")])
def test_names_in_figures(tmp_path: Path, datasets: tuple[str, ...]) -> None:
    """Of several Meta-World datasets the family's name is left out."""
    plan = Plan(name="names", datasets=datasets, algorithms=("BC", "PSPI"), seeds=2)
    page = compose(studied(tmp_path, plan, dict.fromkeys(datasets, 0.5)))
    figure = next(each.figure for each in page.drawings if each.name == "success-figure")
    texts = [text.get_text() for axes in figure.axes for text in axes.get_xticklabels()]
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    if len(datasets) == 1:
        assert titles == [PUSH]
    else:
        assert texts[:2] == ["push", "reach"]
