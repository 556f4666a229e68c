"""The page holds the numbers of the results, and nothing that needs the network."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from instinct.report.page import Page, Section, html, write_page
from instinct.report.registry import PAGES
from instinct.report.tables import Table
from instinct.study.gridworld import GRIDWORLD
from instinct.study.registry import STUDIES


class Cells(HTMLParser):
    """The text of all table cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.inside, self.found = False, list[str]()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.inside = tag == "td"

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found.append(data)


def compose() -> Page:
    settings = GRIDWORLD.settings(episodes=10)
    return PAGES["gridworld"](GRIDWORLD.run(settings, lambda *_: None))


@pytest.fixture(name="page", scope="module")
def gridworld_page() -> str:
    return html(compose())


def test_the_table_on_the_page_is_the_results(page: str) -> None:
    row = ["-1.19 ± 0.00", "-1.19 ± 0.00", "0.92 ± 0.00", "0.92 ± 0.00"]
    labels = ["original", "zero", "random", "negative"]
    assert Cells(page).found == [cell for label in labels for cell in (label, *row)]


def test_the_page_needs_nothing_from_outside(page: str) -> None:
    assert page.count("<svg") == 2
    assert not re.findall(r"(?:src|href)=\"(?!data:|#)", page)
    assert "<script" not in page
    assert "url(http" not in page


def test_the_page_says_what_the_numbers_are(page: str) -> None:
    for text in ("10 per cell", "β = 1", "20 steps", "SHA-256", "numpy", "final policy"):
        assert text in page


def test_the_same_results_make_the_same_page(page: str) -> None:
    assert html(compose()) == page


def test_every_study_has_a_page() -> None:
    assert PAGES.keys() == STUDIES.keys()


def test_all_that_is_on_the_page_is_also_in_files(tmp_path: Path) -> None:
    page = compose()
    assert write_page(page, tmp_path) == tmp_path / "index.html"
    names = {path.name for path in tmp_path.iterdir()} - {"cache"}
    figures = {f"{name}.{kind}" for name in ("map", "length_bias") for kind in ("svg", "pdf")}
    assert names == {"index.html", "returns.csv"} | figures
    table = (tmp_path / "returns.csv").read_text("utf-8").splitlines()
    assert table[0] == "reward label,BC,BC (paper),PEVI,PEVI (paper)"
    assert table[4] == "negative,-1.19 ± 0.00,-1.19 ± 0.00,0.92 ± 0.00,0.92 ± 0.00"


def test_text_cannot_become_markup() -> None:
    evil = "<script>alert(1)</script>"
    table = Table("name", evil, (evil,), ((evil,),))
    assert "<script" not in html(
        Page(evil, evil, (Section(evil, (evil,), (table,)),), {evil: evil})
    )


def test_columns_of_numbers_are_known() -> None:
    table = Table("t", "", ("name", "a", "b"), (("x", "1.0", "-2 ± 1"), ("y", "∞", "no")))
    assert table.numeric == (False, True, False)
