"""Trials as one program: the same study as with workers, also when it is killed and resumed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from instinct.data import relabel
from instinct.deep import Run, configure, train_many
from instinct.deep.training.devices import runs_at_once, size_of
from instinct.engine.inline_executor import InlineExecutor
from instinct.engine.run_plan import run_plan
from instinct.engine.scheduler import StudyProgress
from instinct.engine.together_executor import TogetherExecutor, program_of, together
from instinct.study.plan import Plan
from instinct.study.store import read_store
from tests.deep.problems import noise_dataset
from tests.study.problems import (
    PENDULUM,
    deep_plan,
    ignore_progress,
    rows,
    stamps,
    write_dataset,
)


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """BC and a tuned PSPI under two labels: 2 trials of BC, 8 of tuning, 4 of results."""
    return deep_plan(
        write_dataset(tmp_path_factory.mktemp("data") / "data.npz"),
        "BC",
        "PSPI",
        labels=("original", "zero"),
        task=PENDULUM,
        tuning_seeds=2,
        grid={"PSPI": {"beta": (1.0, 10.0)}},
    )


@pytest.fixture(scope="module")
def alone(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study with one trial after the other."""
    folder = tmp_path_factory.mktemp("alone")
    run_plan(plan, folder, ignore_progress, lambda where, _: InlineExecutor(where))
    return folder


def assert_same(found: Any, expected: Any, place: str = "") -> None:
    """Compare measurements up to rounding; texts and shapes must be equal."""
    if isinstance(expected, dict):
        assert {*found} == {*expected}, place
        for name, value in expected.items():
            assert_same(found[name], value, f"{place}/{name}")
    elif isinstance(expected, str):
        assert found == expected, place
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-3, atol=1e-4, err_msg=place)


def test_the_same_study_as_with_workers(plan: Plan, alone: Path, tmp_path: Path) -> None:
    run_plan(plan, tmp_path, ignore_progress, together())
    assert len(rows(alone)) == 2 + 2 * 2 * 2 + 2 * 2
    assert_same(rows(tmp_path), rows(alone))
    with read_store(tmp_path) as store:
        assert store.starts()[0].settings["executor"] == "together"
        assert not store.deaths()


class Killed(BaseException):
    """Stands for a killed process."""


def test_stopped_and_resumed(plan: Plan, alone: Path, tmp_path: Path) -> None:
    """Chunks of three trials; what has ended is not run again, what has begun goes on."""

    def watch(state: StudyProgress) -> None:
        if state.ended >= 4:
            raise Killed

    with pytest.raises(Killed):
        run_plan(plan, tmp_path, watch, together(checkpoint_seconds=0, most=3))
    before = stamps(tmp_path)
    assert 0 < len(before) < len(rows(alone))
    run_plan(plan, tmp_path, ignore_progress, together(most=3))
    assert before.items() <= stamps(tmp_path).items()
    assert_same(rows(tmp_path), rows(alone))


def test_trials_that_differ_in_numbers_share_a_program(plan: Plan) -> None:
    kinds = [program_of(trial) for trial in plan.tuning()]
    assert len(kinds) == 8
    assert len({*kinds}) == 1


def test_a_chunk_that_fails_is_tried_again_one_by_one(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that is too large for the memory is no reason for a trial to fail."""
    sizes: list[int] = []

    def fail(runs: list[Run], **options: Any) -> Any:
        sizes.append(len(runs))
        if len(runs) > 1:
            raise RuntimeError("RESOURCE_EXHAUSTED")
        return train_many(runs, **options)

    monkeypatch.setattr("instinct.engine.together_executor.train_many", fail)
    small = deep_plan(plan.datasets[0], "BC", seeds=3)
    run_plan(small, tmp_path, ignore_progress, together())
    assert sizes == [3, 1, 1, 1]
    assert all(not row["failure"] for row in rows(tmp_path).values())


def test_data_that_do_not_fit_fail_only_their_trial(plan: Plan, tmp_path: Path) -> None:
    """The task has other observations than the data."""
    wrong = deep_plan(plan.datasets[0], "BC", seeds=1, task="gym:Pendulum-v1")
    run_plan(wrong, tmp_path, ignore_progress, together())
    (row,) = rows(tmp_path).values()
    assert row["failure"]
    with read_store(tmp_path) as store:
        assert not store.deaths()


def test_as_many_at_once_as_fit_into_memory() -> None:
    run = Run(relabel(noise_dataset(), "zero"), configure("BC", {"layers": 1, "units": 8}))
    few, many = (runs_at_once(run, mib * 2**20) for mib in (2, 20))
    assert 1 < few < many
    assert many * size_of(run.data.rewards) < 20 * 2**20
    assert runs_at_once(run, 1000) == 1


DEVICES = """
import json, sys
from pathlib import Path
import jax
from instinct.engine.run_plan import run_plan
from instinct.engine.together_executor import together
from instinct.deep.training import stage
from instinct.study.plan_files import from_content

seen = []
advance = stage.advance_together
def look(algorithm, state, *rest):
    seen.append([len(leaf.sharding.device_set) for leaf in jax.tree.leaves(state)])
    return advance(algorithm, state, *rest)
stage.advance_together = look
plan = from_content(json.loads(Path(sys.argv[1]).read_text()))
run_plan(plan, Path(sys.argv[2]), lambda state: None, together())
print(json.dumps(sorted({count for each in seen for count in each})))
"""


def test_two_devices_share_the_runs(plan: Plan, alone: Path, tmp_path: Path) -> None:
    """Three seeds on two devices: one place is filled up, and the numbers stay the same."""
    three = deep_plan(plan.datasets[0], "BC", seeds=3, task=PENDULUM)
    (tmp_path / "plan.json").write_text(json.dumps(three.content))
    done = subprocess.run(
        [sys.executable, "-c", DEVICES, tmp_path / "plan.json", tmp_path / "two"],
        env=os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [2]
    run_plan(three, tmp_path / "one", ignore_progress, lambda where, _: InlineExecutor(where))
    assert_same(rows(tmp_path / "two"), rows(tmp_path / "one"))


def test_the_executor_ends_its_threads(tmp_path: Path) -> None:
    with TogetherExecutor(tmp_path) as executor:
        assert executor.trainer.is_alive()
    assert not executor.trainer.is_alive()
