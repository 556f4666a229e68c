"""Stopped studies end their workers and say how to go on; what went on elsewhere is recorded."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from instinct.engine.run_plan import local, run_plan
from instinct.errors import Stopped
from instinct.report.study_page import provenance
from instinct.study.findings import read_findings
from instinct.study.store import read_store
from instinct.util import atomic
from instinct.util.atomic import write_atomically
from instinct.util.cores import cores
from tests.study.problems import FakeExecutor, deep_plan, fake_trial, ignore_progress

PLAN = deep_plan("file", "BC", seeds=3)


@pytest.fixture(autouse=True)
def _as_in_the_foreground() -> Iterator[None]:
    """Processes in the background ignore Ctrl-C from their start on."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class InterruptedExecutor(FakeExecutor):
    """The user presses Ctrl-C, or the system sends SIGTERM, after the first trial."""

    ended = False

    def __init__(self, sent: signal.Signals) -> None:
        super().__init__(1, fake_trial)
        self.sent = sent

    def wait(self) -> Any:
        if self.given[1:]:
            os.kill(os.getpid(), self.sent)
            time.sleep(5)
        return super().wait()

    def __exit__(self, *_: object) -> None:
        self.ended = True


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_one_line_says_how_far_and_how_to_go_on(tmp_path: Path, sent: signal.Signals) -> None:
    executor, before = InterruptedExecutor(sent), signal.getsignal(signal.SIGTERM)
    with pytest.raises(Stopped) as caught:
        run_plan(PLAN, tmp_path, ignore_progress, lambda *_: executor)
    assert str(caught.value) == (
        "stopped with 1 of 3 runs ended; the same command goes on from here"
    )
    assert executor.ended
    assert signal.getsignal(signal.SIGTERM) == before
    run_plan(PLAN, tmp_path, ignore_progress, lambda *_: FakeExecutor(1))
    assert read_findings(tmp_path).ended == 3


def test_going_on_with_other_versions_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, version in enumerate(("1.0", "1.0", "2.0")):
        monkeypatch.setattr(
            "instinct.engine.run_plan.versions", lambda version=version: {"jax": version}
        )
        with pytest.raises(Stopped):
            run_plan(
                deep_plan("file", "BC", seeds=9),
                tmp_path,
                ignore_progress,
                lambda *_: InterruptedExecutor(signal.SIGINT),
            )
        with read_store(tmp_path) as store:
            assert [start.versions for start in store.starts()] == [
                {"jax": each} for each in ("1.0", "1.0", "2.0")[: number + 1]
            ]
    found = read_findings(tmp_path)
    (warning,) = found.warnings
    assert warning.endswith("with jax 2.0 instead of 1.0")
    assert len(found.machines) == 1


def test_every_start_has_its_settings(tmp_path: Path) -> None:
    """Also in a store of a version that did not record them."""
    plan = deep_plan("file", "BC", seeds=9)

    def start(workers: int, **options: Any) -> None:
        executor = InterruptedExecutor(signal.SIGINT)
        executor.settings["workers"] = workers
        with pytest.raises(Stopped):
            run_plan(plan, tmp_path, ignore_progress, lambda *_: executor, **options)

    start(1)
    with contextlib.closing(sqlite3.connect(tmp_path / "study.sqlite")) as store, store:
        store.execute("ALTER TABLE starts DROP COLUMN settings")
    assert [dict(start.settings) for start in read_findings(tmp_path).starts] == [{}]
    start(2)
    start(3, retry_failed=True)
    found = read_findings(tmp_path)
    usual = {"executor": "fake", "retry_failed": False, "reuse": ""}
    assert [dict(start.settings) for start in found.starts] == [
        {},
        {**usual, "workers": 2},
        {**usual, "workers": 3, "retry_failed": True},
    ]
    shown = provenance(found)["started with"]
    assert shown == ("executor fake, workers 2; executor fake, workers 3, retry failed true")


@pytest.mark.parametrize("workers", [3, None])
def test_executors_know_their_settings(tmp_path: Path, workers: int | None) -> None:
    with local(workers, checkpoint_seconds=5.0)(tmp_path, []) as made:
        assert made.settings == {
            "executor": "local",
            "workers": workers or len(cores()),
            "checkpoint_seconds": 5.0,
        }


SCRIPT = """
import os, signal, sys
from pathlib import Path
from instinct.util.atomic import replacing
with replacing(Path(sys.argv[1])) as scratch:
    scratch.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_killed_processes_left_is_swept(tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    subprocess.run([sys.executable, "-c", SCRIPT, path], check=False)
    assert len([*tmp_path.iterdir()]) == 1
    living = tmp_path / f".x{atomic.mine()}abc"
    foreign = tmp_path / ".x~another-machine~1~abc"
    for folder in (living, foreign):
        folder.mkdir()
    write_atomically(path, b"whole")
    assert {*tmp_path.iterdir()} == {path, living, foreign}
