"""Estimates in stores and archives: kept, damaged, and missing in those of earlier versions."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.errors import Damaged
from instinct.estimate import Coverage, Estimate, Support
from instinct.estimate.regions import Contrast, Ends, Leaving
from instinct.results.archive import read_archive, write_archive
from instinct.study.estimates import DatasetEstimates, PolicyEstimate
from instinct.study.findings import read_findings
from instinct.study.plan import Cell
from instinct.study.store import FILE, open_store
from tests.study.stores import scores, store_with

DATA = "hopper-medium"
PLAN = audit_plan(DATA, AuditOptions(algorithms=["PSPI"], labels=["zero"], seeds=1))
ESTIMATES = DatasetEstimates(
    key="k",
    horizon=1000,
    recorded={"return": 3.0},
    cut_short=0.25,
    coverage=Coverage(10, 2, 0.3, 0.5, 0.0, 0.1),
    policies=(
        PolicyEstimate(
            Cell(DATA, "PSPI", "zero"),
            0,
            {"fqe": {"return": Estimate(1.0, 0.5, 2.0)}},
            {"dynamics": "far"},
            Support(0.5, 0.25),
        ),
    ),
    leaving=Leaving(0.1, 2.0, (Contrast("pulse", 1.0, 70.0, 90.0, 80.0),)),
    ends=Ends(0.5, 7.0, ()),
    seconds=2.5,
    estimators=("fqe", "dynamics"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "study"
    store_with(place, PLAN, lambda trial: scores(trial, 50.0))
    with open_store(place, PLAN, {}) as store:
        store.write_estimates(DATA, ESTIMATES)
    return place


def change(folder: Path, statement: str) -> None:
    connection = sqlite3.connect(folder / FILE)
    with connection:
        connection.execute(statement)
    connection.close()


def test_they_come_back_from_stores_and_archives(folder: Path, tmp_path: Path) -> None:
    findings = read_findings(folder)
    assert findings.estimates == {DATA: ESTIMATES}
    write_archive(findings, tmp_path / "archive")
    assert read_archive(tmp_path / "archive")[0].estimates == {DATA: ESTIMATES}
    write_archive(replace(findings, estimates={}), tmp_path / "archive")
    assert read_archive(tmp_path / "archive")[0].estimates == {}


def test_new_estimates_replace_earlier_ones(folder: Path) -> None:
    with open_store(folder, PLAN, {}) as store:
        store.write_estimates(DATA, replace(ESTIMATES, key="other"))
    assert read_findings(folder).estimates[DATA].key == "other"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE estimates SET content = replace(content, '0.5', '0.6')",
        "UPDATE estimates SET content = '{'",
        "UPDATE estimates SET content = '[]'",
    ],
)
def test_damaged_ones_are_noticed_and_forgotten_when_the_audit_goes_on(
    statement: str, folder: Path
) -> None:
    change(folder, statement)
    with pytest.raises(Damaged, match="estimates"):
        read_findings(folder)
    with open_store(folder, PLAN, {}) as store:
        assert store.estimates() == {}
        assert "damaged" in store.warnings()[-1]
    assert read_findings(folder).estimates == {}


def test_stores_of_earlier_versions_have_none(folder: Path) -> None:
    change(folder, "DROP TABLE estimates")
    assert read_findings(folder).estimates == {}
    with open_store(folder, PLAN, {}) as store:
        store.write_estimates(DATA, ESTIMATES)
    assert read_findings(folder).estimates == {DATA: ESTIMATES}
