import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "tabular.md"


def test_the_page_shows_what_really_happens() -> None:
    failures, examples = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert examples > 5
    assert failures == 0
