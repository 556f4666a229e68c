"""Rules for every command: help, examples, exit codes, messages."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

import instinct
from instinct.benchmarks import registry
from instinct.cli import describe_error
from instinct.cli.app import COMMANDS, load
from instinct.errors import BadInput
from tests.cli.conftest import Run


def commands() -> Iterator[tuple[str, ...]]:
    def walk(command: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        children = getattr(command, "commands", None)
        if children is None:
            yield path
        for name, child in (children or {}).items():
            yield from walk(child, (*path, name))

    return (path for name in COMMANDS for path in walk(load(name), (name,)))


@pytest.mark.parametrize("path", [*commands()], ids=" ".join)
def test_help_has_an_example(run: Run, path: tuple[str, ...]) -> None:
    outcome = run(*path, "--help")
    assert outcome.code == 0
    assert f"Example: instinct {' '.join(path)}" in " ".join(outcome.out.split())


def test_command_prints_its_version() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from instinct.cli import main; main()", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"instinct {instinct.__version__}\n"
    assert done.stderr == ""


def test_no_arguments_show_the_help(run: Run) -> None:
    assert "inspect" in run().out


def test_wrong_usage_is_bad_input(run: Run) -> None:
    outcome = run("inspect")
    assert outcome.code == 2
    assert outcome.out == ""
    assert "DATASET" in outcome.err


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ZeroDivisionError("by zero"), 1, "internal error (ZeroDivisionError: by zero)"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_internal_error_shows_no_traceback(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    message: str,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(registry, "read", broken)
    outcome = run("inspect", __file__)
    assert outcome.code == code
    assert message in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (BadInput("choose another `folder=`", option="folder"), "choose another --out"),
        (BadInput("set `action_range=`", option="action_range"), "set --action-range"),
        (BadInput("no task", option="env"), "no task (--env)"),
        (BadInput("no `env=`"), "no `env=`"),
    ],
)
def test_messages_name_the_option_of_the_command_line(error: BadInput, text: str) -> None:
    assert describe_error(error) == text
    assert describe_error(error.in_file("data.npz")) == f"data.npz: {text}"
