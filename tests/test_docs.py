"""The examples in the documentation run and print what the pages show."""

import doctest
import re
import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import typer

from instinct.cli.app import build_app
from instinct.experiments.registry import EXPERIMENTS
from instinct.study.plan_files import shipped_plans

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("page", ["tabular.md", "theory.md"])
def test_examples_print_what_the_page_shows(page: str) -> None:
    failures, examples = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert examples > 5
    assert failures == 0


def table_rows(text: str) -> list[list[str]]:
    """Return the cells of every row of the tables in a text, without their headings."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[-1] not in {"test", "command"}]


def named(cell: str) -> list[str]:
    """Return what a cell names between backticks."""
    return re.findall(r"`([^`]+)`", cell)


def check_tests(cell: str) -> None:
    """`path::name` names a test, and `::name` another test of the same file."""
    path = ""
    for each in named(cell):
        path, name = each.partition("::")[0] or path, each.partition("::")[2]
        text = (DOCS.parent / path).read_text("utf-8")
        assert (f"def {name}(" if name else "def test_") in text, each


def check_code(name: str) -> None:
    """A file of the repository, or the dotted name of something that can be imported."""
    if "/" in name:
        assert (DOCS.parent / name).is_file(), name
        return
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        if find_module(".".join(parts[:count])):
            found = import_module(".".join(parts[:count]))
            for attribute in parts[count:]:
                found = getattr(found, attribute)
            return
    raise AssertionError(name)


def find_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def check_command(text: str) -> None:
    """Parse the command as the command line would, without running it."""
    program, *words = shlex.split(text)
    assert program == "instinct"
    command: Any = typer.main.get_command(build_app())
    while isinstance(command, typer.core.TyperGroup):
        _, command, words = command.resolve_command(
            command.make_context("instinct", [words[0]]), words
        )
    context = command.make_context(command.name, [*words])
    if command.name in {"run", "plan"}:
        assert context.params["name"] in {*EXPERIMENTS, *shipped_plans()}, text


def test_every_promise_names_tests_that_exist() -> None:
    table = (DOCS / "reliability.md").read_text("utf-8").partition("## Point by point")[2]
    rows = table_rows(table)
    for row in rows:
        assert named(row[-1]), row
        check_tests(row[-1])
    assert len(rows) > 30


PAPER = table_rows((DOCS / "paper.md").read_text("utf-8"))


@pytest.mark.parametrize("row", PAPER, ids=lambda row: row[0].partition(":")[0])
def test_every_row_of_the_paper_names_what_exists(row: list[str]) -> None:
    _, code, tests, commands = row
    for cell, check in ((code, check_code), (commands, check_command)):
        assert named(cell) or cell == "not yet", row
        for name in named(cell):
            check(name)
    assert named(tests) or tests == "not yet", row
    check_tests(tests)


COUNTED = {
    "Definition": 7,
    "Assumption": 4,
    "Theorem": 3,
    "Proposition": 12,
    "Corollary": 8,
    "Lemma": 8,
    "Algorithm": 4,
    "Equation": 19,
    "Table": 16,
    "Figure": 10,
}
"""How many of each kind the paper has."""


@pytest.mark.parametrize(("kind", "count"), COUNTED.items())
def test_every_numbered_statement_of_the_paper_has_a_row(kind: str, count: int) -> None:
    """A row may name several: `Equations 4 and 5`, `Propositions 6 to 12`, `Figure 2, 10`."""
    found: set[int] = set()
    for title, *_ in PAPER:
        pattern = rf"\b(?i:{kind})s? (\d[^:A-Za-z]*(?:(?:to|and|informal)[^:A-Za-z]*)*)"
        for numbers in re.findall(pattern, title):
            for first, last in re.findall(r"(\d+)(?: to (\d+))?", numbers):
                found |= {*range(int(first), int(last or first) + 1)}
    assert found == {*range(1, count + 1)}


def test_the_readme_is_short_and_counts_the_claims_as_the_results_do() -> None:
    readme = (DOCS.parent / "README.md").read_text("utf-8")
    assert len(readme.splitlines()) <= 120
    results = (DOCS / "results.md").read_text("utf-8")
    counted = re.search(r"(\d+) of (\d+) claims hold, (\d+) are not tested", results)
    assert counted
    hold, checked, others = map(int, counted.groups())
    words = " ".join(readme.split())
    assert f"Of the paper's {checked + others} claims, {checked} can be checked" in words
    assert f"and {hold} of these hold" in words
