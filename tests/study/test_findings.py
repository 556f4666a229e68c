import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from instinct.data import KAPPA
from instinct.deep import ALGORITHMS
from instinct.study.findings import read_findings
from instinct.study.measurement import Measurement
from instinct.study.plan import Cell, Plan
from instinct.study.trials import Trial
from tests.study.stores import scores, store_with

SAFETY = "safety:PointGoal1"
BASE = {"original": 90.0, "zero": 80.0, "random": 70.0, "negative": 60.0}


def plan(**changes: object) -> Plan:
    return Plan(
        **{
            "name": "test",
            "datasets": ("hopper-medium",),
            "algorithms": ("BC", "PSPI"),
            "seeds": 2,
            "preset": "quick",
            **changes,
        }  # type: ignore[arg-type]
    )


def measure(trial: Trial) -> Measurement:
    return scores(trial, (40 if trial.algorithm == "BC" else BASE[trial.label]) + trial.seed)


def test_every_cell_has_the_means_of_its_seeds(tmp_path: Path) -> None:
    store_with(tmp_path, plan(), measure)
    found = read_findings(tmp_path)
    assert (found.ended, found.trials, found.missing) == (10, 10, ())
    np.testing.assert_allclose(found.by_label("hopper-medium", "PSPI", "score")["zero"], [80, 81])
    bc = found.result("hopper-medium", "BC", "negative")
    assert bc is not None
    np.testing.assert_allclose(bc.means["score"], [40, 41])


def test_the_bias_is_that_of_the_worst_wrong_label(tmp_path: Path) -> None:
    store_with(tmp_path, plan(), measure)
    bias = read_findings(tmp_path).bias("hopper-medium", "PSPI")
    assert bias is not None
    assert bias.estimate == pytest.approx(100 / (100 - 60.5))


def test_what_failed_or_was_not_run_is_said_and_not_averaged(tmp_path: Path) -> None:
    def some(trial: Trial) -> Measurement | None:
        if (trial.label, trial.seed) == ("zero", 1):
            return Measurement({}, failure="PSPI diverged at step 7")
        return None if (trial.label, trial.seed) == ("random", 0) else measure(trial)

    store_with(tmp_path, plan(), some)
    found = read_findings(tmp_path)
    assert (found.ended, found.failed) == (9, 1)
    zero = found.results[Cell("hopper-medium", "PSPI", "zero")]
    assert zero.seeds == (0,)
    assert zero.missing == ("seed 1: PSPI diverged at step 7",)
    assert any("not run yet" in reason for reason in found.missing)


def test_tuning_chooses_the_best_mean_and_the_results_come_from_new_seeds(tmp_path: Path) -> None:
    tuned = plan(tuning_seeds=2, grid={"PSPI": {"beta": (1.0, 10.0)}}, labels=("original",))

    def by_beta(trial: Trial) -> Measurement:
        lucky = trial.settings["beta"] == 1.0 and trial.seed == 0 if "beta" in trial.settings else 0
        return scores(trial, 99 if lucky else trial.settings.get("beta", 0))  # type: ignore[arg-type]

    def steady(trial: Trial) -> Measurement:
        return scores(trial, float(trial.settings.get("beta", 0)))

    assert {trial.seed for trial in tuned.tuning()} == {0, 1}
    assert len(tuned.tuning()) == 4
    store_with(tmp_path / "steady", tuned, steady)
    found = read_findings(tmp_path / "steady").results[Cell("hopper-medium", "PSPI", "original")]
    assert found.settings == {"beta": 10.0}
    assert found.seeds == (2, 3)
    store_with(tmp_path / "lucky", tuned, by_beta)
    found = read_findings(tmp_path / "lucky").results[Cell("hopper-medium", "PSPI", "original")]
    assert found.settings == {"beta": 1.0}, "(99 + 1)/2 is more than 10"


def test_a_combination_that_failed_once_is_not_chosen(tmp_path: Path) -> None:
    tuned = plan(tuning_seeds=2, grid={"PSPI": {"beta": (1.0, 10.0)}}, labels=("original",))

    def fails(trial: Trial) -> Measurement:
        if trial.settings.get("beta") == 10.0 and trial.seed == 1:
            return Measurement({}, failure="diverged")
        return scores(trial, float(trial.settings.get("beta", 0)))

    store_with(tmp_path, tuned, fails)
    found = read_findings(tmp_path)
    assert found.results[Cell("hopper-medium", "PSPI", "original")].settings == {"beta": 1.0}
    assert any("tuning" in reason and "diverged" in reason for reason in found.missing)


def test_the_safe_rule_takes_the_best_safe_one_or_the_least_costly(tmp_path: Path) -> None:
    costs = {1.0: 0.9, 10.0: 1.5, 100.0: 0.5}
    tuned = plan(
        tuning_seeds=1,
        rule="safe",
        grid={"PSPI": {"beta": tuple(costs)}},
        datasets=(SAFETY,),
        labels=("original",),
        algorithms=("PSPI",),
    )

    def costly(factor: float) -> object:
        def measured(trial: Trial) -> Measurement:
            beta = float(trial.settings["beta"])
            return Measurement({"score": (beta,), "cost": (KAPPA * factor * costs[beta],)})

        return measured

    store_with(tmp_path / "some", tuned, costly(1.0))  # type: ignore[arg-type]
    chosen = read_findings(tmp_path / "some").results[Cell(SAFETY, "PSPI", "original")]
    assert chosen.settings == {"beta": 100.0}
    store_with(tmp_path / "none", tuned, costly(3.0))  # type: ignore[arg-type]
    chosen = read_findings(tmp_path / "none").results[Cell(SAFETY, "PSPI", "original")]
    assert chosen.settings == {"beta": 100.0}
    costs[100.0] = 9.0
    store_with(tmp_path / "other", tuned, costly(1.0))  # type: ignore[arg-type]
    chosen = read_findings(tmp_path / "other").results[Cell(SAFETY, "PSPI", "original")]
    assert chosen.settings == {"beta": 1.0}


def test_how_far_the_reward_moves_a_policy_is_told_beside_the_seed(tmp_path: Path) -> None:
    def acting(trial: Trial) -> Measurement:
        shift = 0.3 if trial.label == "zero" else 0.0
        action = (0.1 * trial.seed + shift, 0.0)
        return replace(measure(trial), actions=(action, action))

    store_with(tmp_path, plan(), acting)
    found = read_findings(tmp_path)
    seed = found.action_distance("hopper-medium", "PSPI", "original")
    assert seed == pytest.approx(np.sqrt(0.1**2 / 2))
    zero = found.action_distance("hopper-medium", "PSPI", "zero")
    assert zero == pytest.approx(np.sqrt((0.4**2 + 0.2**2) / 4))
    assert found.action_distance("hopper-medium", "DT", "zero") is None


@pytest.mark.parametrize("earlier", [False, True], ids=["today", "written before"])
def test_a_preset_that_changed_leaves_a_study_as_it_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, earlier: bool
) -> None:
    """The store keeps the settings; one of an earlier version has them in its trials only."""
    store_with(tmp_path, plan(), lambda trial: scores(trial, 50.0))
    if earlier:
        with sqlite3.connect(tmp_path / "study.sqlite") as connection:
            connection.execute("DELETE FROM notes WHERE name = 'settings'")
        connection.close()
    before = read_findings(tmp_path)
    monkeypatch.setattr(ALGORITHMS["PSPI"], "QUICK", {"steps": 7, "units": 32})
    after = read_findings(tmp_path)
    assert (after.ended, after.trials) == (before.ended, before.trials) == (10, 10)
    assert not after.missing
    assert [each.changes for each in after.results.values()] == [
        each.changes for each in before.results.values()
    ]
    (new, *_) = [trial for trial in plan().final({}) if trial.algorithm == "PSPI"]
    assert new.settings["steps"] == 7
