import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from instinct.benchmarks.safety import compat as safety_compat
from tests.cli.conftest import Run


class Pip:
    """A fake pip that records its arguments and ends with a given code."""

    def __init__(self, code: int, stderr: str = "") -> None:
        self.code, self.stderr = code, stderr
        self.asked: list[list[str]] = []

    def __call__(self, arguments: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        self.asked.append(arguments)
        return subprocess.CompletedProcess(arguments, self.code, "", self.stderr)


def test_pip_of_this_interpreter_installs_without_dependencies(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = Pip(0)
    monkeypatch.setattr(subprocess, "run", pip)
    monkeypatch.setattr(safety_compat, "need_safety", lambda: None)
    outcome = run("setup", "safety")
    assert outcome.code == 0
    assert "Safety-Gymnasium 1.0.0 is installed" in outcome.out
    (asked,) = pip.asked
    assert asked[:4] == [sys.executable, "-m", "pip", "install"]
    assert "--no-deps" in asked
    assert "--require-hashes" in asked
    text = Path(asked[asked.index("-r") + 1]).read_text(encoding="utf-8")
    wanted = re.findall(r"^([\w-]+)==([\d.]+) \\\n +--hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)
    assert dict(wanted).keys() == {"safety-gymnasium", "pyyaml", "xmltodict"}
    assert ("safety-gymnasium", "1.0.0") in wanted


def test_last_line_of_pip_is_in_the_message(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "WARNING: Retrying\nERROR: No matching distribution found for safety-gymnasium==1.0.0\n"
    monkeypatch.setattr(subprocess, "run", Pip(1, said))
    outcome = run("setup", "safety")
    assert outcome.code == 1
    assert outcome.err == (
        "instinct: pip could not install Safety-Gymnasium 1.0.0 (ERROR: No matching distribution "
        "found for safety-gymnasium==1.0.0); it needs the network, or a folder with the "
        "wheels in PIP_FIND_LINKS\n"
    )


def test_failed_installation_is_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(subprocess, "run", Pip(0))
    monkeypatch.setattr(safety_compat, "version", nothing)
    outcome = run("setup", "safety")
    assert outcome.code == 2
    assert "Safety-Gymnasium is not installed; run `instinct setup safety`" in outcome.err
