"""The page holds the numbers of the results, and nothing that needs the network."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from instinct.report import gridworld_page
from instinct.report.page import Page, Section, write_page
from instinct.report.tables import Table
from instinct.study import gridworld


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


@pytest.fixture
def html(tmp_path: Path) -> str:
    return gridworld_page.write_report(gridworld.run(episodes=10), tmp_path).read_text("utf-8")


def test_the_table_on_the_page_is_the_results(html: str) -> None:
    row = ["-1.19 ± 0.00", "-1.19 ± 0.00", "0.92 ± 0.00", "0.92 ± 0.00"]
    labels = ["original", "zero", "random", "negative"]
    assert Cells(html).found == [cell for label in labels for cell in (label, *row)]


def test_the_page_needs_nothing_from_outside(html: str) -> None:
    assert html.count("<svg") == 2
    assert not re.findall(r"(?:src|href)=\"(?!data:|#)", html)
    assert "<script" not in html
    assert "url(http" not in html


def test_the_page_says_what_the_numbers_are(html: str) -> None:
    for text in ("10 per cell", "β = 1", "20 steps", "SHA-256", "numpy", "final policy"):
        assert text in html


def test_the_same_results_make_the_same_page(html: str, tmp_path: Path) -> None:
    again = gridworld_page.write_report(gridworld.run(episodes=10), tmp_path / "again")
    assert again.read_text("utf-8") == html


def test_text_cannot_become_markup(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    table = Table(evil, (evil,), ((evil,),))
    page = Page(evil, evil, (Section(evil, (evil,), table),), {evil: evil})
    write_page(page, tmp_path / "index.html")
    assert "<script" not in (tmp_path / "index.html").read_text("utf-8")
