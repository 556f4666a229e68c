"""Stopped studies end their workers and say how to go on; what went on elsewhere is recorded."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from instinct.engine.run_plan import run_plan
from instinct.errors import Stopped
from instinct.study.findings import read_findings
from instinct.study.store import read_store
from instinct.util import atomic
from instinct.util.atomic import write_atomically
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
            assert [versions for _, versions, _ in store.starts()] == [
                {"jax": each} for each in ("1.0", "1.0", "2.0")[: number + 1]
            ]
    found = read_findings(tmp_path)
    (warning,) = found.warnings
    assert warning.endswith("with jax 2.0 instead of 1.0")
    assert len(found.machines) == 1


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
