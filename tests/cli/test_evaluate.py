"""`instinct evaluate` on the folder of a run."""

import json
from pathlib import Path

import numpy as np
import pytest

from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.cli.evaluate import measured
from instinct.deep import Run as TrainingRun
from instinct.deep import load_policy, load_run, train
from instinct.deep.algorithms.bc import BC
from instinct.tasks.evaluation import Evaluation, evaluate
from instinct.util.jsonio import read_json, write_json
from tests.cli.conftest import Run
from tests.deep.problems import noise_dataset


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A few steps of BC on random numbers in the shape of hopper's."""
    dataset = noise_dataset(rows=20, n=11, m=3, length=20)
    algorithm = BC(steps=5, batch_size=4, layers=1, units=8)
    train(TrainingRun(dataset, algorithm, folder=tmp_path / "run"))
    return tmp_path / "run"


def test_gives_the_means_of_the_evaluation(run: Run, folder: Path) -> None:
    result = run("evaluate", folder, "--task", "hopper", "--episodes", 5, "--json").json
    expected = evaluate(load_policy(folder), LocomotionTask("hopper"), 5)
    assert expected.scores is not None
    assert result["return"] == pytest.approx(expected.returns.mean())
    assert result["length"] == pytest.approx(expected.lengths.mean())
    assert result["score"] == pytest.approx(expected.scores.mean())
    assert result["return_stderr"] == pytest.approx(expected.returns.std(ddof=1) / np.sqrt(5))
    assert "score" in run("evaluate", folder, "--task", "hopper", "--episodes", 2).out


def test_the_diagnostics_of_the_run_are_shown(run: Run, folder: Path) -> None:
    """A folder of an earlier version has none."""
    options = ("evaluate", folder, "--task", "hopper", "--episodes", 2)
    distance = load_run(folder).outcome.diagnostics["action_distance"]
    assert run(*options, "--json").json["diagnostics"] == {"action_distance": distance}
    assert f"{distance:.4g}" in run(*options).out
    result = {"status": "finished", "failure": ""}
    (folder / "result.json").write_text(json.dumps(result))
    assert "diagnostics" not in run(*options, "--json").json
    assert "action_distance" not in run(*options).out
    dead = {"action_distance": 0.5, "live_units": 0.05}
    (folder / "result.json").write_text(json.dumps(result | {"diagnostics": dead}))
    assert "Less than 10%" in run(*options).out


def test_the_task_is_known_from_the_runs_dataset(run: Run, folder: Path) -> None:
    without = run("evaluate", folder)
    assert without.code == 2
    assert "give --env" in without.err
    path = folder / "config.json"
    write_json(path, read_json(path) | {"source": "hopper-medium@500"})
    assert run("evaluate", folder, "--episodes", 2, "--json").json["task"] == "hopper"


def test_another_tasks_policy_is_refused(run: Run, folder: Path) -> None:
    result = run("evaluate", folder, "--task", "walker2d")
    assert result.code == 2
    assert "acts in [-1, 1]^3, but walker2d in [-1, 1]^6" in result.err


def test_success_rate_and_cost_are_in_the_table_if_measured() -> None:
    zeros = np.zeros(4)
    found = Evaluation(
        zeros, zeros, successes=np.array([True, False, True, True]), costs=np.arange(4.0)
    )
    quantities = measured(found, cost_target=3.0)
    assert quantities["success_rate"] == pytest.approx((0.75, 0.25))
    assert quantities["cost"][0] == 1.5
    assert quantities["normalized_cost"][0] == 0.5
    assert "normalized_cost" not in measured(found)
    assert not {"success_rate", "cost"} & {*measured(Evaluation(zeros, zeros))}
