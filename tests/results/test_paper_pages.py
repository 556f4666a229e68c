"""Our numbers beside the paper's, one page per table."""

from dataclasses import replace
from pathlib import Path

import pytest

from instinct.results.our_evidence import OurEvidence
from instinct.results.paper_pages import write_paper_pages
from instinct.study.findings import Findings, read_findings
from instinct.study.plan import Plan
from tests.study.stores import scores, store_with

PLAN = Plan("made-up", ("hopper-medium",), ("BC", "ATAC"), preset="quick", seeds=2)


@pytest.fixture(name="findings")
def made_up(tmp_path: Path) -> Findings:
    store_with(tmp_path / "study", PLAN, lambda trial: scores(trial, 60.0 + trial.seed))
    return read_findings(tmp_path / "study")


def write(findings: Findings, folder: Path) -> dict[str, str]:
    studies = [findings]
    pages = write_paper_pages(OurEvidence(studies), OurEvidence(studies, earlier=True), folder)
    return {path.stem: path.read_text("utf-8") for path in pages}


def test_every_table_of_results_has_a_page(findings: Findings, tmp_path: Path) -> None:
    pages = write(findings, tmp_path)
    tables = [f"table-{number}" for number in (5, 6, 7, 8, 13, 14, 16)]
    assert [*pages] == [*tables, "positive-bias"]
    for name in ("table-13-ours", "table-13-paper", "table-5-ours", "positive-bias-paper"):
        assert (tmp_path / "paper" / f"{name}.svg").exists(), name
        assert f"]({name}.svg)" in "".join(pages.values())
    assert not (tmp_path / "paper" / "table-14-ours.svg").exists()


def test_numbers_are_beside_the_papers(findings: Findings, tmp_path: Path) -> None:
    """Seeds 0 and 1 score 60 and 61; the paper's ATAC has 94.0 with zero rewards."""
    page = write(findings, tmp_path)["table-13"]
    (line,) = [each for each in page.splitlines() if each.startswith("| hopper-medium | ATAC |")]
    cells = [each.strip() for each in line.split("|")[3:-1]]
    assert cells[0] == "60.5 ± 0.5"
    assert cells[2] == "60.5 ± 0.5"
    assert cells[3].startswith("94.0 ±")
    assert cells[8].startswith("–")


def test_numbers_of_earlier_settings_are_in_italics(findings: Findings, tmp_path: Path) -> None:
    old = {cell: replace(each, changes={"units": 7}) for cell, each in findings.results.items()}
    page = write(replace(findings, results=old), tmp_path)["table-13"]
    assert "| hopper-medium | ATAC | *60.5 ± 0.5* |" in page


def test_the_biases_are_beside_the_papers(findings: Findings, tmp_path: Path) -> None:
    """100 / (100 - 60.5) = 2.53 beside the paper's 11.8."""
    page = write(findings, tmp_path)["positive-bias"]
    assert "| hopper-medium | 2.53 | 11.8 |" in page
