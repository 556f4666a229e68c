import json
from pathlib import Path

import pytest

from instinct.engine.run_plan import run_plan
from tests.cli.conftest import Run
from tests.study.problems import FakeExecutor, deep_plan, ignore_progress


def test_the_grid_world_ends_with_its_table_and_page(run: Run, tmp_path: Path) -> None:
    outcome = run("study", "run", "gridworld", "--out", tmp_path)
    assert outcome.code == 0
    assert outcome.out.count("0.92 ± 0.00") == 8
    assert outcome.out.count("-1.19 ± 0.00") == 8
    assert outcome.out.rstrip().endswith(f"Page: {tmp_path / 'index.html'}")
    assert (tmp_path / "index.html").exists()


def test_json_has_all_eight_cells(run: Run, tmp_path: Path) -> None:
    outcome = run("study", "run", "gridworld", "--json", "--seed", 5, "--out", tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.json["study"] == "gridworld"
    row = {"algorithm": "PEVI", "label": "negative", "mean": 0.92, "stderr": 0.0, "episodes": 1000}
    assert any(row.items() <= found.items() for found in outcome.json["results"])
    assert len(outcome.json["results"]) == 8


def test_default_folder_is_below_the_working_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("study", "run", "gridworld", "--set", "episodes=2").code == 0
    assert json.loads((tmp_path / "results/gridworld/results.json").read_text())["study"]


def test_all_algorithms_state_their_settings(run: Run, tmp_path: Path) -> None:
    outcome = run("study", "run", "gridworld-all", "--json", "--out", tmp_path)
    rows = {(row["algorithm"], row["label"]): row for row in outcome.json["results"]}
    assert len(rows) == 44
    assert rows["MOReL", "random"]["out_of_support"] == 0
    assert rows["MOReL", "random"]["settings"]["R"] == 43


def test_report_is_made_again_from_the_results(run: Run, tmp_path: Path) -> None:
    run("study", "run", "gridworld", "--set", "episodes=2", "--out", tmp_path)
    first = (tmp_path / "index.html").read_bytes()
    (tmp_path / "index.html").unlink()
    assert run("study", "report", "gridworld", "--out", tmp_path).code == 0
    assert (tmp_path / "index.html").read_bytes() == first


def test_a_report_without_results_says_what_to_do(run: Run, tmp_path: Path) -> None:
    outcome = run("study", "report", "gridworld", "--out", tmp_path)
    assert outcome.code == 2
    assert "run the experiment first" in outcome.err


def test_studies_are_listed(run: Run) -> None:
    assert "gridworld-all" in run("study", "list").out
    names = [study["name"] for study in run("study", "list", "--json").json["studies"]]
    assert names[:4] == ["gridworld", "gridworld-all", "garnet", "bias-examples"]
    assert {"paper-bias", "d4rl", "d4rl-no-terminal", "cql-architecture"} <= {*names}


def test_an_unknown_study_is_named(run: Run) -> None:
    outcome = run("study", "run", "gridwrold")
    assert outcome.code == 2
    assert "no study is called 'gridwrold'; there are gridworld" in outcome.err


def test_folder_that_cannot_be_written_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = run("study", "run", "gridworld", "--set", "episodes=2", "--out", tmp_path / "file")
    assert outcome.code == 1
    assert "cannot be written" in outcome.err


def test_the_status_shows_how_a_study_was_started(run: Run, tmp_path: Path) -> None:
    plan = deep_plan("file", "BC", seeds=1)
    run_plan(plan, tmp_path, ignore_progress, lambda *_: FakeExecutor(2), retry_failed=True)
    (start,) = run("study", "status", "tiny", "--out", tmp_path, "--json").json["starts"]
    assert start["settings"] == {
        "executor": "fake",
        "workers": 2,
        "retry_failed": True,
        "reuse": "",
    }
    assert start["versions"]["instinct"]
    shown = " ".join(run("study", "status", "tiny", "--out", tmp_path).out.split())
    assert f"on {start['machine']}: executor fake, workers 2, retry failed true." in shown
