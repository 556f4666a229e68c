"""How progress is shown: a bar in a notebook, lines of text in a file."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import instinct
from instinct.audits.progress import show_study_progress
from instinct.deep import StageProgress
from instinct.engine.scheduler import StudyProgress


class Handle:
    """Remember what is displayed in one place."""

    def __init__(self, shown: list[str]) -> None:
        self.shown = shown

    def update(self, bar: str) -> None:
        self.shown[-1] = bar


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Pretend that this is a notebook, and return what its cell displays."""
    shown: list[str] = []

    def display(bar: str, display_id: bool) -> Handle:
        assert display_id
        shown.append(bar)
        return Handle(shown)

    class ZMQInteractiveShell:
        pass

    ipython: Any = ModuleType("IPython")
    ipython.get_ipython = ZMQInteractiveShell
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(
        sys.modules,
        "IPython.display",
        SimpleNamespace(HTML=str, display=display),
    )
    return shown


def test_a_notebook_has_one_bar_that_ends_full(notebook: list[str]) -> None:
    with show_study_progress("<grid>") as display:
        assert notebook == []
        display.trials(StudyProgress(0, 4, {}))
        assert len(notebook) == 1
        assert "&lt;grid&gt;: starting" in notebook[0]
        display.trials(StudyProgress(4, 4, {}))
    assert len(notebook) == 1
    assert 'value="4" max="4"' in notebook[0]


def test_a_training_in_a_notebook_shows_its_stage(notebook: list[str]) -> None:
    with show_study_progress("PSPI on hopper") as display:
        display.stage(StageProgress("cloning", 10, 100, {}))
    assert "10 of 100 · PSPI on hopper: cloning" in notebook[0]


def test_an_audit_in_a_notebook_shows_a_bar_by_default(notebook: list[str], tmp_path: Any) -> None:
    instinct.audit("gridworld", seeds=2, episodes=5, folder=tmp_path)
    assert "10 of 10" in notebook[0]
    instinct.load("gridworld")
    assert len(notebook) == 1, "nothing is made, so nothing is shown"


def test_a_file_gets_a_line_for_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with show_study_progress("study") as display:
        for ended in range(41):
            display.trials(StudyProgress(ended, 40, {}))
        display.stage(StageProgress("cloning", 10, 100, {}))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "study: 0 of 40 runs have ended"
    assert lines[-1] == "study: 40 of 40 runs have ended"
    assert len(lines) == 11
