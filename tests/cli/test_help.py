"""The help is grouped and readable in 80 columns, and it and mistakes are shown at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from instinct.cli.app import COMMANDS, load
from tests.cli.conftest import Run
from tests.cli.test_manners import commands

SLOW = ("gymnasium", "h5py", "jax", "matplotlib", "mujoco", "numpy", "pandas", "scipy")
"""Packages that take long to import."""

SCRIPT = """
import sys
from instinct.cli import main
sys.argv = ["instinct", *sys.argv[1:]]
try:
    main()
finally:
    print("imported:", *({*sys.modules} & {*%r}), file=sys.stderr)
"""


def run_alone(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", SCRIPT % (SLOW,), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def lines(run: Run, monkeypatch: pytest.MonkeyPatch, *path: str) -> list[str]:
    monkeypatch.setenv("COLUMNS", "80")
    return run(*path, "--help").out.splitlines()


@pytest.mark.parametrize("path", [(), *commands()], ids=" ".join)
def test_no_line_is_wider_than_80_and_sentences_are_not_squeezed(
    run: Run, monkeypatch: pytest.MonkeyPatch, path: tuple[str, ...]
) -> None:
    shown = lines(run, monkeypatch, *path)
    assert max(map(len, shown)) <= 80
    for line in shown:
        left = len(line) - len(line.lstrip())
        assert left <= 28, line


def test_the_help_of_the_audit_fits_on_two_screens(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = lines(run, monkeypatch, "audit")
    assert len(shown) <= 110
    panels = [line for line in shown if line.endswith(":") and not line.startswith(" ")]
    assert panels[:4] == [
        "Arguments:",
        "What to train:",
        "Where to judge:",
        "What the end of an episode means:",
    ]


def test_commands_are_listed_by_what_they_are_for(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = lines(run, monkeypatch)
    words = [line.split()[0] for line in shown if line.startswith("  ")]
    assert [word for word in words if word in COMMANDS] == [*COMMANDS]
    assert shown.index("Audit your data:") < shown.index("Tools:")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name: str) -> None:
    assert " ".join(load(name).help.split("\n\n")[0].split()) == COMMANDS[name].summary


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--version",),
        ("adit",),
        ("inspect",),
        *((*path, "--help") for path in commands()),
        ("audit", "nofile.npz"),
        ("inspect", "nofile.npz"),
        ("describe", "nofile.csv"),
        ("train", "nofile.npz", "--algorithm", "bc"),
        ("theory", "nofile.npz"),
        ("study", "run", "nofile.toml"),
        ("evaluate", "nowhere"),
        ("audit", "hoper-medium"),
        ("train", "hoper-medium", "--algorithm", "pspi"),
    ],
    ids=" ".join,
)
def test_help_and_mistakes_import_nothing_large(arguments: tuple[str, ...]) -> None:
    done = run_alone(*arguments)
    assert done.stderr.splitlines()[-1].strip() == "imported:"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["audit", "inspect"])
def test_a_file_that_is_not_there_is_said_first(run: Run, command: str, tmp_path: Path) -> None:
    for name in ("nofile.npz", str(tmp_path / "no.hdf5"), "./folder", "../data/logs.csv"):
        outcome = run(command, name)
        assert outcome.code == 2
        assert outcome.err.startswith(f"instinct: {name}: no such file or folder")
    assert "is neither a file nor the name of a dataset" in run(command, "hoper-medium").err


@pytest.mark.parametrize(
    ("words", "at", "found"),
    [
        ("instinct au", "1", {"audit"}),
        ("instinct study ", "2", {"list", "plan", "run", "status", "report", "watch"}),
        ("instinct audit --see", "2", {"--seeds"}),
    ],
)
def test_the_shell_completes_commands_and_options(words: str, at: str, found: set[str]) -> None:
    done = run_alone(_INSTINCT_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=at)
    assert {*done.stdout.split()} == found


def test_the_package_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "instinct", "--help"], capture_output=True, text=True, check=True
    )
    assert "Audit your data:" in done.stdout
