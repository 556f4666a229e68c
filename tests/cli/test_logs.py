"""The page about logs: its commands and its Python print what it shows."""

import doctest
import re
import runpy
from pathlib import Path

import pytest

from instinct.estimate import Problem
from tests.cli.conftest import Run

pytest.importorskip("pyarrow", reason="the extra tables is not installed")

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "logs.md"


def commands() -> list[tuple[list[str], list[str]]]:
    """Return the arguments of the page's commands but the audit, and the lines shown below each."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    found: list[tuple[list[str], list[str]]] = []
    for line in "".join(blocks).splitlines():
        if line.startswith("$ "):
            found.append((line.split()[1:], []))
        else:
            found[-1][1].append(line)
    return [each for each in found if each[0][0] == "instinct" and each[0][1] != "audit"]


def test_the_page_prints_what_it_shows(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(Problem, "steps", lambda _, most: 100)
    write_log = runpy.run_path(str(DOCS / "clinic.py"))["write_log"]
    write_log(Path("clinic.csv"))
    write_log(Path("drugs.csv"), choices=True)
    assert len(commands()) == 5
    for (_, *arguments), shown in commands():
        outcome = run(*arguments)
        printed = [line.rstrip() for line in (outcome.out + outcome.err).splitlines()]
        assert [line for line in shown if line not in printed] == []
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert result.attempted > 8
    assert result.failed == 0
