"""A study that is stopped at any moment resumes with the same results and repeats nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instinct.engine.run_plan import local, run_plan
from instinct.engine.scheduler import ATTEMPTS
from instinct.errors import InstinctError
from instinct.study.plan import Plan
from instinct.study.store import Store, open_store, read_store
from instinct.study.trials import Trial
from tests.study.problems import (
    PENDULUM,
    FakeExecutor,
    Message,
    count_submissions,
    deep_plan,
    fake_trial,
    grid_plan,
    ignore_progress,
    rows,
    stamps,
    table,
    write_dataset,
)

TUNED = deep_plan(
    "file",
    "BC",
    "PSPI",
    labels=("original", "zero"),
    task=PENDULUM,
    tuning_seeds=2,
    seeds=2,
    grid={"PSPI": {"beta": (1.0, 10.0)}},
)


def doomed(trial: Trial) -> bool:
    """Tell whether the workers of a trial always die; some are in tuning, some in the results."""
    return (trial.algorithm, trial.label, trial.seed) in {
        ("BC", "original", 3),
        ("PSPI", "zero", 2),
    } or (trial.label == "original" and trial.seed == 0 and trial.settings.get("beta") == 1.0)


def run_trial(trial: Trial) -> Iterator[Message]:
    if doomed(trial):
        yield "killed"
    else:
        yield from fake_trial(trial)


class Interrupted(BaseException):
    """Stands for a killed process."""


class Countdown:
    """Interrupts before or after the n-th write or message."""

    def __init__(self, left: int, after: bool) -> None:
        self.left, self.after = left, after

    def over(self, action: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any) -> Any:
            self.left -= 1
            if self.left == 0 and not self.after:
                raise Interrupted
            result = action(*given)
            if self.left == 0:
                raise Interrupted
            return result

        return counted


def run_until(plan: Plan, folder: Path, executor: FakeExecutor, countdown: Countdown) -> bool:
    """Tell whether the study ended."""
    with (
        patch.object(Store, "add", countdown.over(Store.add)),
        patch.object(Store, "add_death", countdown.over(Store.add_death)),
        patch.object(executor, "wait", countdown.over(executor.wait)),
    ):
        try:
            run_plan(plan, folder, ignore_progress, lambda *_: executor)
        except Interrupted:
            return False
    return True


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    run_plan(TUNED, folder, ignore_progress, lambda *_: FakeExecutor(1, run_trial))
    return folder


def test_the_study_that_is_interrupted_is_worth_it(whole: Path) -> None:
    """The study has tuned settings, failures in both phases, and results."""
    found = rows(whole)
    failures = [row["failure"] for row in found.values() if row["failure"]]
    assert len(found) == 2 * 2 * 2 + 2 + 2 * 2
    assert failures == [f"killed ({ATTEMPTS} attempts)"] * 3
    cells = table(whole)
    assert cells["file", "PSPI", "original", "all"][3] == {"beta": 10.0}
    assert cells["file", "PSPI", "zero", "all"][4] == ("seed 2: killed (3 attempts)",)
    assert cells["file", "BC", "original", "all"][0] == (2,)


@given(
    st.lists(st.tuples(st.integers(1, 60), st.booleans()), min_size=1, max_size=5),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
@settings(max_examples=15)
def test_any_interruption_gives_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory,
    whole: Path,
    points: list[tuple[int, bool]],
    workers: int,
    random: Any,
) -> None:
    folder = tmp_path_factory.mktemp("study")
    seen: dict[str, tuple[int, str]] = {}
    for left, after in [*points, (10**9, False)]:
        executor = FakeExecutor(workers, run_trial, lambda busy: random.randrange(busy))
        over = run_until(TUNED, folder, executor, Countdown(left, after))
        assert not {*seen} & {*count_submissions(executor)}
        written = stamps(folder)
        assert seen.items() <= written.items()
        seen = written
    assert over
    assert rows(folder) == rows(whole)
    assert table(folder) == table(whole)
    with read_store(folder) as store:
        assert {len(reasons) for reasons in store.deaths().values()} == {ATTEMPTS}


STUDY = """
import json, os, signal, sys
from pathlib import Path
from instinct.study.plan_files import from_content
from instinct.engine.run_plan import local, run_plan

def watch(state):
    if state.ended == int(sys.argv[4]):
        os.kill(os.getpid(), signal.SIGSTOP)

plan = from_content(json.loads(Path(sys.argv[1]).read_text()))
run_plan(plan, Path(sys.argv[2]), watch, local(int(sys.argv[3])))
"""


class Study:
    """A study in its own process."""

    def __init__(self, plan: Plan, folder: Path, workers: int) -> None:
        self.folder, self.workers = folder, workers
        self.file = folder.with_suffix(".json")
        self.file.write_text(json.dumps(plan.content))

    def start(self, halt: int = -1) -> "subprocess.Popen[str]":
        """With `halt`, it stops working, but stays alive, after that many trials."""
        return subprocess.Popen(
            [sys.executable, "-c", STUDY, self.file, self.folder, str(self.workers), str(halt)],
            stderr=subprocess.PIPE,
            text=True,
        )

    def ended(self) -> int:
        """Count the ended trials while the study runs."""
        try:
            with read_store(self.folder) as store:
                return len(store.succeeded())
        except InstinctError:
            return 0

    def wait_for(self, ended: int, process: "subprocess.Popen[str]") -> None:
        while self.ended() < ended and process.poll() is None:
            time.sleep(0.05)


def test_killed_and_started_again(tmp_path: Path) -> None:
    """It is killed while it runs; a second process is refused and does no harm."""
    plan = grid_plan(seeds=8)
    run_plan(plan, tmp_path / "whole", ignore_progress, local(1))
    study = Study(plan, tmp_path / "killed", 1)
    process = study.start(halt=5)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    with pytest.raises(InstinctError, match=rf"process {process.pid} on .*, since 20"):
        run_plan(plan, study.folder, ignore_progress, local(1))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = stamps(study.folder)
    assert 5 == len(before) < len(plan.final({}))
    run_plan(plan, study.folder, ignore_progress, local(1))
    assert before.items() <= stamps(study.folder).items()
    assert rows(study.folder) == rows(tmp_path / "whole")
    assert table(study.folder) == table(tmp_path / "whole")


def test_nothing_is_left_to_do(tmp_path: Path) -> None:
    executor = FakeExecutor(1, run_trial)
    run_plan(TUNED, tmp_path, ignore_progress, lambda *_: executor)
    before = stamps(tmp_path)

    def refuse(*_: object) -> Any:
        raise AssertionError("no workers are needed")

    run_plan(TUNED, tmp_path, ignore_progress, refuse)
    assert stamps(tmp_path) == before


def test_the_disk_of_the_runs_is_full(tmp_path: Path) -> None:
    """Said in one sentence; no trial is written down as failed, and the study goes on later."""
    plan = deep_plan(write_dataset(tmp_path / "data.npz"), "BC", seeds=1)
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "runs").write_text("in the way")
    with pytest.raises(InstinctError, match="cannot be written") as caught:
        run_plan(plan, folder, ignore_progress, local(1))
    assert "\n" not in str(caught.value)
    assert rows(folder) == {}
    (folder / "runs").unlink()
    run_plan(plan, folder, ignore_progress, local(1))
    assert len(rows(folder)) == 1


def test_what_was_half_written_is_swept_away(tmp_path: Path) -> None:
    for name in ("runs/a/.weights.xyz", "warm-starts/.b.xyz"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "half").touch()
    (tmp_path / "runs" / "a" / "config.json").touch()
    run_plan(TUNED, tmp_path, ignore_progress, lambda *_: FakeExecutor(1, run_trial))
    assert [*files(tmp_path / "runs")] == ["a/config.json"]
    assert not (tmp_path / "warm-starts").exists()


def test_attempts_are_counted_over_all_starts(tmp_path: Path) -> None:
    plan = deep_plan("file", "BC", seeds=1)
    (trial,) = plan.final({})
    with open_store(tmp_path, plan, {}) as store:
        store.add_death(trial, "killed")
        store.add_death(trial, "killed")
    executor = FakeExecutor(1, lambda trial: iter(["killed for good"]))
    run_plan(plan, tmp_path, ignore_progress, lambda *_: executor)
    assert count_submissions(executor) == {trial.identity: 1}
    assert rows(tmp_path)[trial.identity]["failure"] == "killed for good (3 attempts)"


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path) -> None:
    """Tuned agents with warm starts on two workers; the study is killed six times."""
    steps = {"ATAC": {"steps": 6000, "warm_start_steps": 3000}, "BC": {"steps": 6000}}
    plan = deep_plan(
        write_dataset(tmp_path / "data.npz"),
        "BC",
        "ATAC",
        labels=("original", "zero"),
        task=PENDULUM,
        tuning_seeds=1,
        seeds=2,
        settings=steps,
        grid={"BC": {}, "ATAC": {"beta": (1.0, 4.0)}},
    )
    run_plan(plan, tmp_path / "whole", ignore_progress, local(2))
    study = Study(plan, tmp_path / "killed", 2)
    random = np.random.default_rng()
    before: dict[str, tuple[int, str]] = {}
    for _ in range(6):
        process = study.start()
        study.wait_for(len(before) + int(random.integers(0, 3)), process)
        time.sleep(random.uniform(0, 8))
        process.kill()
        process.communicate()
        if (study.folder / "study.sqlite").exists() and study.ended():
            assert before.items() <= stamps(study.folder).items()
            before = stamps(study.folder)
    run_plan(plan, study.folder, ignore_progress, local(2))
    assert before.items() <= stamps(study.folder).items()
    assert rows(study.folder) == rows(tmp_path / "whole")
    assert table(study.folder) == table(tmp_path / "whole")
    assert files(study.folder / "runs") == files(tmp_path / "whole" / "runs")
    assert not (study.folder / "warm-starts").exists()


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}
