"""Stores and runs written by an earlier version open, resume and report with the same numbers."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from instinct.benchmarks.registry import find_task
from instinct.data import KAPPA
from instinct.deep import load_policy
from instinct.engine.run_plan import local, run_plan
from instinct.report.sections.numbers import rows
from instinct.study.findings import Findings, read_findings
from instinct.study.store import read_store
from instinct.tasks.evaluation import evaluate
from tests.study.problems import PENDULUM, ignore_progress, stamps

FIXTURE = Path(__file__).parent / "old_version"
EXPECTED: dict[str, dict[str, Any]] = json.loads((FIXTURE / "expected.json").read_text())
EVALUATIONS = json.loads((FIXTURE / "evaluations.json").read_text())
LOOSE = 1e-3
"""Tolerance for numbers that are trained again, perhaps on another CPU."""


def opened(folder: Path, study: str) -> Path:
    """Copy a study, because opening a store leaves files beside it."""
    shutil.copytree(FIXTURE / study, folder / study)
    return folder / study


def check_report(found: Findings, study: str, tolerance: float = 1e-9) -> None:
    expected = EXPECTED[study]
    assert (found.trials, found.ended) == (expected["trials"], expected["ended"])
    assert [*found.missing] == expected["missing"]
    for row, old in zip(rows(found), expected["rows"], strict=True):
        assert row.keys() == translated(old).keys()
        for name, value in translated(old).items():
            if name.endswith(("_low", "_high")):
                continue  # that version had percentile bootstrap intervals
            same = pytest.approx(value, rel=tolerance) if isinstance(value, float) else value
            assert row[name] == same, (row, name)
    for cell, result in found.results.items():
        curves = expected["curves"][" / ".join(cell)]
        assert result.curves.keys() == curves.keys()
        for name, curve in curves.items():
            np.testing.assert_allclose(result.curves[name], curve, rtol=tolerance, atol=tolerance)


def translated(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the earlier version with the present keys: it divided costs by κ."""
    new = {name.replace("reward", "score", 1): value for name, value in row.items()}
    for name, value in row.items():
        if name.partition("_")[0] == "cost":
            new |= {f"normalized_{name}": value, name: value * KAPPA}
    return new


@pytest.mark.parametrize("study", [name for name in EXPECTED if name != "stopped"])
def test_a_store_reports_the_same_numbers(tmp_path: Path, study: str) -> None:
    check_report(read_findings(opened(tmp_path, study)), study)


@pytest.mark.parametrize("study", EXPECTED)
def test_trials_have_the_same_identities(tmp_path: Path, study: str) -> None:
    with read_store(opened(tmp_path, study)) as store:
        plan, ended = store.plan, store.ended()
    assert ended
    assert {identity: each.trial.identity for identity, each in ended.items()} == {
        identity: identity for identity in ended
    }
    first = {cell: plan.combinations(cell)[0] for cell in plan.cells()}
    identities = [trial.identity for trial in plan.final(first)]
    assert identities == [*EXPECTED[study]["identities"].values()]


def test_a_stopped_study_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = opened(tmp_path, "stopped")
    shutil.copy(FIXTURE / "tiny.npz", tmp_path)
    monkeypatch.chdir(tmp_path)
    with read_store(folder) as store:
        plan, ended = store.plan, stamps(folder)
    halfway = [path.parent.name for path in folder.glob("runs/*/checkpoint.safetensors")]
    assert (len(ended), len(halfway)) == (5, 2)
    run_plan(plan, folder, ignore_progress, local(1))
    assert ended.items() <= stamps(folder).items()
    check_report(read_findings(folder), "stopped", LOOSE)
    with read_store(folder) as store:
        for identity in halfway:  # points before the checkpoint were recorded by the old version
            assert store.ended()[identity].measurement.curves["step"] == (10, 20, 40)


@pytest.mark.parametrize("run", EVALUATIONS)
def test_a_finished_run_is_evaluated(run: str) -> None:
    policy = load_policy(FIXTURE / "runs" / run)
    result = evaluate(policy, find_task(PENDULUM), 3, 0)
    np.testing.assert_allclose(result.returns, EVALUATIONS[run]["returns"], rtol=LOOSE)
    np.testing.assert_array_equal(result.lengths, EVALUATIONS[run]["lengths"])
