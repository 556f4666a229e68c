"""The examples in the documentation run and print what the pages show."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("page", ["tabular.md", "theory.md"])
def test_examples_print_what_the_page_shows(page: str) -> None:
    failures, examples = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert examples > 5
    assert failures == 0


def test_every_promise_names_tests_that_exist() -> None:
    """`path::name` in a row of the table, and `::name` for another test of the same file."""
    table = (DOCS / "reliability.md").read_text("utf-8").partition("## Point by point")[2]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    for row in rows:
        named, path = re.findall(r"`((?:tests/[\w/]+\.py)?(?:::\w+)?)`", row.split(" | ")[-1]), ""
        assert named, row
        for each in named:
            path, name = each.partition("::")[0] or path, each.partition("::")[2]
            text = (DOCS.parent / path).read_text("utf-8")
            assert (f"def {name}(" if name else "def test_") in text, each
    assert len(rows) > 30
