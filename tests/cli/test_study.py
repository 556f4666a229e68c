import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_the_grid_world_ends_with_its_table_and_page(run: Run, tmp_path: Path) -> None:
    outcome = run("study", "run", "gridworld", "--out", tmp_path)
    assert outcome.code == 0
    assert outcome.out.count("0.92 ± 0.00") == 8
    assert outcome.out.count("-1.19 ± 0.00") == 8
    assert outcome.out.rstrip().endswith(f"Page: {tmp_path / 'index.html'}")
    names = {path.name for path in tmp_path.iterdir()} - {"cache"}
    figures = {"map.svg", "map.pdf", "length_bias.svg", "length_bias.pdf"}
    assert names == {"index.html", "results.json", "table.csv"} | figures


def test_json_has_all_eight_cells(run: Run, tmp_path: Path) -> None:
    outcome = run("study", "run", "gridworld", "--json", "--seed", 5, "--out", tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.json["study"] == "gridworld"
    row = {"algorithm": "PEVI", "label": "negative", "mean": 0.92, "stderr": 0.0, "episodes": 1000}
    assert row in outcome.json["results"]
    assert len(outcome.json["results"]) == 8


def test_results_go_below_the_working_folder_by_default(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("study", "run", "gridworld", "--episodes", 2).code == 0
    assert json.loads((tmp_path / "results/gridworld/results.json").read_text())["study"]


def test_an_unknown_study_is_named(run: Run) -> None:
    outcome = run("study", "run", "gridwrold")
    assert outcome.code == 2
    assert "no study is called 'gridwrold'; there are gridworld" in outcome.err


def test_a_folder_that_cannot_be_written_is_a_failure(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = run("study", "run", "gridworld", "--episodes", 2, "--out", tmp_path / "file")
    assert outcome.code == 1
    assert "cannot be written" in outcome.err
