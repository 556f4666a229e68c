"""`instinct results`: from studies to archives to the page."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from instinct.results.archive import STUDY, read_archive
from instinct.study.measurement import Measurement
from instinct.study.plan import Plan
from instinct.study.trials import Trial
from tests.cli.conftest import Run
from tests.study.stores import scores, store_with

OURS = Path(__file__).parents[2] / "docs"
PLAN = Plan("small", ("hopper-medium",), ("BC", "PSPI"), preset="quick", seeds=2)


def test_page_from_archived_results(run: Run, tmp_path: Path) -> None:
    def measured(trial: Trial) -> Measurement | None:
        return None if "random, seed 1" in str(trial) else scores(trial, 61.5)

    store_with(tmp_path / "small", PLAN, measured)
    docs = tmp_path / "docs"
    assert run("study", "run", "gridworld", "--out", tmp_path / "grid").code == 0
    kept = run("results", "add", tmp_path / "small", tmp_path / "grid", "--to", docs)
    assert kept.code == 0
    assert kept.out.count("Archived in") == 2
    outcome = run("results", "write", docs)
    assert outcome.code == 0
    page = (docs / "results.md").read_text()
    assert "| hopper-medium | PSPI | 61.5 ± 0.0 | 94.5 ± 1.7 |" in page
    assert "PEVI, negative: 0.92 against BC's -1.19" in page
    assert "9 of 10 runs, 2 seeds" in page
    assert "hopper-medium / PSPI / random: seed 1: not run yet" in page
    for picture in ("small/score-figure.svg", "small/positive-bias-figure.svg"):
        assert f"](results/{picture})" in page
        assert (docs / "results" / picture).read_text().rstrip().endswith("</svg>")


@pytest.mark.parametrize("name", ["../outside", "..", "/outside", "a/../../outside"])
def test_the_name_of_a_study_is_no_path(run: Run, tmp_path: Path, name: str) -> None:
    docs = tmp_path / "deep" / "docs"
    store_with(tmp_path / "study", replace(PLAN, name=name), lambda trial: scores(trial, 61.5))
    assert run("results", "add", tmp_path / "study", "--to", docs).code == 0
    assert len([*docs.glob("results/*/study.json")]) == 1
    assert {*tmp_path.iterdir()} == {tmp_path / "study", tmp_path / "deep"}
    assert [*(tmp_path / "deep").iterdir()] == [docs]


def test_part_of_a_study_replaces_only_that_part(run: Run, tmp_path: Path) -> None:
    store_with(tmp_path / "small", PLAN, lambda trial: scores(trial, 61.5))
    store_with(
        tmp_path / "again",
        PLAN.scale_down(("PSPI", "zero"), None, None),
        lambda trial: scores(trial, 72.5),
    )
    for study in ("small", "again"):
        assert run("results", "add", tmp_path / study, "--to", tmp_path).code == 0
    assert run("results", "write", tmp_path).code == 0
    page = (tmp_path / "results.md").read_text()
    assert "| hopper-medium | PSPI | 61.5 ± 0.0 | 94.5 ± 1.7 | 72.5 ± 0.0 |" in page
    assert "10 of 10 runs" in page
    assert "Scaled down" not in page


def test_the_page_is_the_same_every_time(run: Run, tmp_path: Path) -> None:
    store_with(tmp_path / "small", PLAN, lambda trial: scores(trial, 61.5))
    run("results", "add", tmp_path / "small", "--to", tmp_path)
    written = []
    for _ in range(2):
        run("results", "write", tmp_path)
        files = [tmp_path / "results.md", *sorted((tmp_path / "results").rglob("*.svg"))]
        written.append([path.read_bytes() for path in files])
    assert written[0] == written[1]


def test_remarks_are_beside_their_results(run: Run, tmp_path: Path) -> None:
    store_with(tmp_path / "small", PLAN, lambda trial: scores(trial, 61.5))
    run("results", "add", tmp_path / "small", "--to", tmp_path)
    (tmp_path / "results" / "remarks.md").write_text("Of all.\n")
    (tmp_path / "results" / "small" / "remarks.md").write_text("Of the small one.\n")
    assert run("results", "write", tmp_path).code == 0
    page = (tmp_path / "results.md").read_text()
    marks = ("## The paper's claims", "\nOf all.\n", "## small", "\nOf the small one.\n", "61.5 ±")
    places = [page.index(mark) for mark in marks]
    assert places == sorted(places)


def test_folder_without_a_study_is_refused(run: Run, tmp_path: Path) -> None:
    outcome = run("results", "add", tmp_path)
    assert outcome.code == 2
    assert "run the study first" in outcome.err


def test_docs_page_equals_the_archived_results(run: Run, tmp_path: Path) -> None:
    shutil.copytree(OURS / "results", tmp_path / "results")
    assert run("results", "write", tmp_path).code == 0
    assert (tmp_path / "results.md").read_text() == (OURS / "results.md").read_text()


def test_archived_results_with_earlier_settings_are_marked() -> None:
    kept = [read_archive(path.parent)[0] for path in (OURS / "results").glob(f"*/{STUDY}")]
    assert kept
    page = (OURS / "results.md").read_text("utf-8")
    for findings in kept:
        (part,) = [
            each for each in page.split("\n## ") if each.startswith(f"{findings.plan.name}\n")
        ]
        marked = re.search(r"settings that have changed since: ([\w, ]+)\.", part)
        assert (marked[1].split(", ") if marked else []) == findings.outdated()


def test_coverage_of_the_papers_tables(run: Run) -> None:
    """The grid world is complete; every other missing cell has its cost."""
    outcome = run("results", "--from", OURS, "--json")
    assert outcome.code == 0
    tables = {each["table"]: each for each in outcome.json["tables"]}
    grid = tables["Table 16"]
    assert (grid["cells"], grid["ours"], grid["missing"]) == (8, 8, [])
    for each in tables.values():
        assert each["cells"] == each["ours"] + len(each["missing"])
        assert all(cell["core_hours"] is not None for cell in each["missing"])
    assert outcome.json["ours"] == sum(each["ours"] for each in tables.values())
    ranked = {each["algorithm"]: each for each in outcome.json["positive_bias"]}
    assert ranked["IQL"]["of"] == 15
    assert "Table 16" in run("results", "--from", OURS).out


def test_coverage_needs_a_folder_of_results(run: Run, tmp_path: Path) -> None:
    outcome = run("results", "--from", tmp_path)
    assert outcome.code == 2
    assert "does not exist" in outcome.err
