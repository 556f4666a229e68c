"""SLURM jobs, run by submitit on this machine: shards, their logs, and jobs that are killed."""

import importlib
import json
import os
import signal
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("submitit")

from instinct.engine.notices import Notice
from instinct.engine.run_plan import local, run_plan
from instinct.engine.scheduler import StudyProgress
from instinct.engine.shards import LOG, ShardLog, ShardReader, TrialEnded, run_shard, write_shard
from instinct.engine.slurm_executor import FOLDER, Shard, SlurmExecutor, parts, slurm
from instinct.errors import BadInput, InstinctError
from instinct.study.measurement import Measurement
from instinct.study.own import Own
from tests.study.problems import grid_plan, ignore_progress, rows, table

HERE = {"cluster": "local"}
"""Jobs on this machine."""
TWENTY = grid_plan(seeds=4)


def test_without_submitit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "submitit", None)
    monkeypatch.delitem(sys.modules, "instinct.engine.slurm_executor")
    with pytest.raises(BadInput, match=r"pip install 'survival-instinct\[slurm\]'"):
        importlib.import_module("instinct.engine.slurm_executor")


def test_no_cluster_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no jobs can be submitted") as caught:
        run_plan(grid_plan(), tmp_path, ignore_progress, slurm(2))
    assert "\n" not in str(caught.value)


def test_wrong_parameters_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="colour"), SlurmExecutor(tmp_path, 1, HERE | {"colour": 1}):
        pass


def test_own_code_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="own code"):
        slurm(2)(tmp_path, [Own("half", lambda dataset, seed: None)])


@pytest.mark.parametrize(("trials", "jobs"), [(20, 4), (5, 2), (3, 8), (0, 4), (7, 3)])
def test_jobs_have_nearly_the_same_number_of_trials(trials: int, jobs: int) -> None:
    found = parts(range(trials), jobs)
    assert [number for part in found for number in part] == [*range(trials)]
    assert len(found) == min(trials, jobs)
    assert not found or max(map(len, found)) - min(map(len, found)) <= 1


def test_a_log_is_read_line_by_line(tmp_path: Path) -> None:
    """What a killed job has half written is not read; a damaged line ends the log."""
    trial, *_ = grid_plan().final({})
    log = ShardLog(tmp_path / "log.jsonl")
    reader = ShardReader(log.path)
    assert [*reader.read()] == []
    measured = Measurement({"return": (0.1, float("inf"))}, seconds=2.0)
    log.add_warning("careful")
    log.add(trial, measured)
    assert [*reader.read()] == [Notice("careful"), TrialEnded(trial.identity, measured)]
    with log.path.open("a") as file:
        file.write('{"warning": "ha')
        file.flush()
        assert [*reader.read()] == []
        file.write('lf"}\n{"ended": 3}\n')
    log.add_warning("never read")
    half, damaged = reader.read()
    assert half == Notice("half")
    assert isinstance(damaged, Notice)
    assert "damaged" in damaged.text
    assert [*reader.read()] == []


def test_a_second_attempt_runs_what_is_left(tmp_path: Path) -> None:
    trials = grid_plan(seeds=1).final({})
    write_shard(tmp_path, tmp_path / "study", trials, 1, 60.0)
    first = ShardLog(tmp_path / LOG.format(1))
    for trial in trials[1:]:
        first.add(trial, Measurement({"return": (0.5,)}))
    run_shard(str(tmp_path), 2)
    messages = [*ShardReader(tmp_path / LOG.format(2)).read()]
    ended = [each.identity for each in messages if isinstance(each, TrialEnded)]
    assert ended == [trials[0].identity]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_twenty_trials_over_four_jobs_of_which_one_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job is killed when it has ended some of its five trials, and submitted again."""
    monkeypatch.setattr("instinct.engine.slurm_executor.POLL_SECONDS", 0.01)
    plan = replace(TWENTY, episodes=20_000)
    assert len(plan.final({})) == 20
    folder = tmp_path / "jobs"
    executor = SlurmExecutor(folder, 4, HERE, workers=1)
    killed: list[Shard] = []

    def watch(_: StudyProgress) -> None:
        halfway = [shard for shard in executor.shards if 0 < len(shard.trials) < 5]
        if halfway and not killed:
            assert stat.S_IMODE(executor.place.stat().st_mode) == 0o700
            number = halfway[0].job.job_id
            (child,) = Path(f"/proc/{number}/task/{number}/children").read_text().split()
            os.kill(int(child), signal.SIGKILL)
            killed.append(halfway[0])

    run_plan(plan, folder, watch, lambda *_: executor)
    run_plan(plan, tmp_path / "local", ignore_progress, local(1))
    assert killed[0].attempt == 2
    assert rows(folder) == rows(tmp_path / "local")
    assert table(folder) == table(tmp_path / "local")
    assert not (folder / FOLDER).exists()


def test_a_study_that_was_killed_takes_over_what_its_jobs_measured(tmp_path: Path) -> None:
    """The logs of a study that was killed have everything; no job is needed."""
    run_plan(TWENTY, tmp_path / "whole", ignore_progress, local(1))
    old = tmp_path / "killed" / FOLDER / "start-x" / "shard-y"
    old.mkdir(parents=True)
    log = ShardLog(old / LOG.format(1))
    measured = rows(tmp_path / "whole")
    for trial in TWENTY.final({}):
        content = {**measured[trial.identity], "format": 2}
        log.append({"ended": trial.identity, "measurement": content})
    (old.parent / "jobs").mkdir()
    (old.parent / "jobs" / "1_0_result.pkl").write_bytes(b"cos\nsystem\n(S'false'\ntR.")

    class NoJobs(SlurmExecutor):
        def submit_jobs(self) -> None:
            assert not self.waiting

    run_plan(
        TWENTY,
        tmp_path / "killed",
        ignore_progress,
        lambda *_: NoJobs(tmp_path / "killed", 2, HERE),
    )
    assert rows(tmp_path / "killed") == measured
    assert not old.exists()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_job_that_always_fails_stops_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is stored as failed: the same command goes on when the cluster is repaired."""
    monkeypatch.setattr("instinct.engine.slurm_executor.run_shard", print)
    with pytest.raises(InstinctError, match="ended 3 times without ending a run"):
        run_plan(TWENTY, tmp_path, ignore_progress, slurm(1, HERE))
    assert rows(tmp_path) == {}
    assert json.loads((next(tmp_path.glob("slurm/*/shard-*")) / "shard.json").read_text())["trials"]
