"""A study imports the trials that another study has already run."""

from dataclasses import replace
from pathlib import Path

import pytest

from instinct.engine.run_plan import run_plan
from instinct.errors import InstinctError
from instinct.study.measurement import Measurement
from instinct.study.plan import Plan
from instinct.study.store import open_store
from instinct.study.trials import Trial
from tests.study.problems import FakeExecutor, count_submissions, ignore_progress, rows
from tests.study.stores import FACTS, scores, store_with

SMALL = Plan(
    "small",
    ("hopper-medium",),
    ("BC", "PSPI"),
    labels=("original", "zero", "random"),
    preset="quick",
    seeds=2,
    settings={"PSPI": {"beta": 300.0}},
)
LARGE = replace(SMALL, name="large", datasets=("hopper-medium", "hopper-expert"), seeds=3)
TUNED = replace(SMALL, name="tuned", tuning_seeds=1, seeds=1, grid={"PSPI": {"beta": (1.0, 300.0)}})


def measured(trial: Trial) -> Measurement:
    if trial.label == "random":
        return Measurement({}, failure="diverged at step 7")
    return scores(trial, 50.0 + trial.seed)


@pytest.mark.parametrize(("plan", "taken"), [(LARGE, 6), (TUNED, 5)])
def test_only_new_trials_are_run(tmp_path: Path, plan: Plan, taken: int) -> None:
    """Failures are not imported.

    In the tuned study these are two trials that choose β, and three with the β that is chosen.
    """
    store_with(tmp_path / "small", SMALL, measured)
    executor = FakeExecutor(1)
    run_plan(plan, tmp_path / "it", ignore_progress, lambda *_: executor, [tmp_path / "small"])
    there = {trial.identity for trial in SMALL.final({}) if trial.label != "random"}
    assert there.isdisjoint(count_submissions(executor))
    assert len(rows(tmp_path / "it")) == len(count_submissions(executor)) + taken


def test_the_data_must_be_the_same(tmp_path: Path) -> None:
    store_with(tmp_path / "small", SMALL, measured)
    with open_store(tmp_path / "large", LARGE, {}) as store:
        store.add_dataset("hopper-medium", dict(FACTS) | {"hash": "another"})
    with pytest.raises(InstinctError, match="hopper-medium has changed since the study began"):
        run_plan(
            LARGE,
            tmp_path / "large",
            ignore_progress,
            lambda *_: FakeExecutor(1),
            [tmp_path / "small"],
        )
