"""The examples in the documentation run and print what the pages show."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("page", ["tabular.md", "theory.md"])
def test_examples_print_what_the_page_shows(page: str) -> None:
    failures, examples = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert examples > 5
    assert failures == 0
