"""How much of the paper's tables has our numbers, and whether the positive biases rank alike."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from instinct.results.agreement import agreement, rank_interval
from instinct.results.coverage import (
    PaperCell,
    RunTimes,
    cover_tables,
    coverage_document,
)
from instinct.results.our_evidence import OurEvidence
from instinct.results.paper_evidence import PaperEvidence
from instinct.study.findings import Findings, read_findings
from instinct.study.plan import Plan
from instinct.study.trials import Trial
from tests.study.stores import scores, store_with

PLAN = Plan(
    "made-up", ("hopper-medium", "halfcheetah-medium"), ("BC", "ATAC"), preset="quick", seeds=2
)
CELLS = {
    "d4rl_episode_lengths": 260,
    "safety_gymnasium": 32,
    "cql_architecture_d4rl": 112,
    "cql_architecture_metaworld": 120,
    "d4rl_scores": 370,
    "metaworld_success": 315,
    "gridworld": 8,
}
"""The paper's numbers, counted in its tables: 15 datasets times 26 rows less 20, and so on."""


def studied(folder: Path, plan: Plan, score: Callable[[Trial], float]) -> Findings:
    store_with(folder, plan, lambda trial: scores(trial, score(trial), length=500.0))
    return read_findings(folder)


def both(*studies: Findings) -> tuple[OurEvidence, OurEvidence]:
    return OurEvidence(studies), OurEvidence(studies, earlier=True)


def test_without_results_everything_is_missing() -> None:
    tables = cover_tables(*both())
    assert {each.name: each.cells for each in tables} == CELLS
    assert not any(each.found or each.earlier for each in tables)
    document = coverage_document(tables, RunTimes([]))
    assert (document["cells"], document["ours"], document["core_hours"]) == (1217, 0, None)


def test_cells_of_a_study_are_found(tmp_path: Path) -> None:
    """The data, BC once and ATAC under four labels; halfcheetah has no episode lengths."""
    findings = studied(tmp_path, PLAN, lambda _: 50.0)
    found = {each.name: each.found for each in cover_tables(*both(findings))}
    assert {cell.dataset for cell in found["d4rl_scores"]} == {*PLAN.datasets}
    assert len(found["d4rl_scores"]) == 12
    assert len(found["d4rl_episode_lengths"]) == 6
    assert sum(map(len, found.values())) == 18


def test_data_by_another_behavior_stand_beside_the_same_cells(tmp_path: Path) -> None:
    plan = replace(PLAN, datasets=("hopper-medium:sac-0",))
    findings = studied(tmp_path, plan, lambda _: 50.0)
    found = {each.name: each.found for each in cover_tables(*both(findings))}
    assert {cell.dataset for cell in found["d4rl_scores"]} == {"hopper-medium"}


def test_earlier_settings_are_counted_but_missing(tmp_path: Path) -> None:
    findings = studied(tmp_path, PLAN, lambda _: 50.0)
    old = {
        cell: replace(each, changes={**each.changes, "units": 7})
        if cell.algorithm == "ATAC"
        else each
        for cell, each in findings.results.items()
    }
    tables = {each.name: each for each in cover_tables(*both(replace(findings, results=old)))}
    scores_table = tables["d4rl_scores"]
    assert {cell.algorithm for cell in scores_table.found} == {"BC", "behavior"}
    assert scores_table.earlier == 8
    assert len(scores_table.missing) == 366


def test_the_hours_of_missing_cells(tmp_path: Path) -> None:
    """A tenth of an hour per run: three runs per cell, none for recorded data, shared ones once."""
    findings = replace(studied(tmp_path, PLAN, lambda _: 50.0), seconds=3600.0, ended=10)
    times = RunTimes([findings])
    atac = PaperCell("locomotion", "hopper-expert", "ATAC", "zero")
    recorded = PaperCell("locomotion", "hopper-expert", "behavior", "original")
    assert times.core_hours([atac]) == pytest.approx(0.3)
    assert times.core_hours([atac, atac, recorded]) == pytest.approx(0.3)
    document = coverage_document(cover_tables(*both(findings)), times)
    by_name = {each["name"]: each for each in document["tables"]}
    missing = by_name["d4rl_scores"]["missing"]
    assert len(missing) == 358
    without = sum(each["algorithm"] != "behavior" for each in missing)
    assert by_name["d4rl_scores"]["core_hours"] == pytest.approx(0.3 * without)
    assert document["core_hours"] < sum(each["core_hours"] for each in document["tables"])


def test_the_nearest_studies_say_how_long_a_run_takes(tmp_path: Path) -> None:
    quick = replace(studied(tmp_path / "a", PLAN, lambda _: 50.0), seconds=100.0, ended=10)
    other = replace(PLAN, datasets=("hopper-medium",), algorithms=("CQL",))
    slow = replace(studied(tmp_path / "b", other, lambda _: 50.0), seconds=900.0, ended=10)
    times = RunTimes([quick, slow])
    assert times.seconds("locomotion", "ATAC") == pytest.approx(10)
    assert times.seconds("locomotion", "CQL") == pytest.approx(90)
    assert times.seconds("locomotion", "DT") == pytest.approx(50)
    assert times.seconds("metaworld", "ATAC") == pytest.approx(50)


@pytest.mark.parametrize("sign", [1, -1])
def test_biases_in_the_papers_order_agree(tmp_path: Path, sign: int) -> None:
    """Scores that rise (or fall) with the paper's positive bias; hopper-expert's is infinite."""
    names = (
        "hopper-random",
        "hopper-medium",
        "hopper-expert",
        "walker2d-medium",
        "halfcheetah-medium",
    )
    biases = [PaperEvidence().bias(name, "ATAC") or 0.0 for name in names]
    ranks = dict(zip(names, stats.rankdata(biases), strict=True))
    plan = replace(PLAN, datasets=names, algorithms=("ATAC",))
    findings = studied(tmp_path, plan, lambda trial: 50 + sign * 5 * ranks[trial.dataset])
    found = agreement(OurEvidence([findings]), "ATAC")
    assert ({*found.datasets}, found.of) == ({*names}, 15)
    assert found.correlation == pytest.approx(sign)
    assert found.interval is not None
    assert found.interval[0] <= sign <= found.interval[1]


def test_one_dataset_has_no_correlation(tmp_path: Path) -> None:
    findings = studied(tmp_path, replace(PLAN, datasets=("hopper-medium",)), lambda _: 50.0)
    found = agreement(OurEvidence([findings]), "ATAC")
    assert (found.datasets, found.correlation, found.interval) == (("hopper-medium",), None, None)


def test_the_interval_by_hand() -> None:
    """tanh(0.5493 ± 1.96 · 0.2121) of 28 pairs with a correlation of 0.5."""
    low, high = rank_interval(0.5, 28) or (0.0, 0.0)
    assert (low, high) == pytest.approx((np.tanh(0.1336), np.tanh(0.9650)), abs=1e-3)
    assert rank_interval(0.5, 3) is None
    low, high = rank_interval(1.0, 6) or (0.0, 0.0)
    assert 0.3 < low < high == 1
