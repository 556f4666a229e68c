"""The page holds the numbers of the results, and nothing that needs the network."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from instinct.experiments.gridworld import GRIDWORLD
from instinct.report.kit.page import Page, Section, Verdict, html, write_page
from instinct.report.kit.tables import Missing, Table

FIGURES = {f"{name}.{kind}" for name in ("map", "length_bias") for kind in ("svg", "pdf")}


class Cells(HTMLParser):
    """The text of all table cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.inside, self.found = False, list[str]()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag == "td" or ("scope", "row") in attrs

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found.append(data)


def compose() -> Page:
    return GRIDWORLD.compose(GRIDWORLD.run(GRIDWORLD.configure(episodes=10)))


@pytest.fixture(name="page", scope="module")
def gridworld_page() -> str:
    return html(compose())


def test_the_table_on_the_page_is_the_results(page: str) -> None:
    row = ["-1.19 ± 0.00", "-1.19 ± 0.00", "0.92 ± 0.00", "0.92 ± 0.00"]
    labels = ["original", "zero", "random", "negative"]
    assert Cells(page).found == [cell for label in labels for cell in (label, *row)]


def test_page_loads_nothing_else(page: str) -> None:
    assert page.count('<img src="data:image/svg+xml;base64,') == page.count("src=") == 2
    assert not re.findall(r"<link (?!rel=\"icon\" href=\"data:,\")|@import|url\(", page)
    assert "default-src 'none'" in page
    links = re.findall(r"<a href=\"([^#\"]+)\"", page)
    assert {*links} == {"returns.csv", "returns.tex"} | FIGURES


def test_page_has_the_provenance(page: str) -> None:
    for text in ("10 per cell", "β = 1", "20 steps", "SHA-256", "numpy", "final policy"):
        assert text in page


def test_the_same_results_make_the_same_page(page: str) -> None:
    assert html(compose()) == page


def test_tables_and_figures_are_also_files(tmp_path: Path) -> None:
    page = compose()
    assert write_page(page, tmp_path) == tmp_path / "index.html"
    names = {path.name for path in tmp_path.iterdir()} - {"cache"}
    assert names == {"index.html", "returns.csv", "returns.tex"} | FIGURES


def test_ids_on_the_page_are_unique(page: str) -> None:
    ids = re.findall(r"\bid=\"([^\"]+)\"", page)
    assert len(ids) == len({*ids})
    assert {*re.findall(r"(?:href=\"#|aria-labelledby=\")([^\"]+)", page)} <= {*ids}


def test_names_of_files_are_unique() -> None:
    table = Table("same", "", ("a",), ())
    with pytest.raises(ValueError, match="same"):
        Page("", "", (Section("", tables=(table,)), Section("", tables=(table,))))


def test_verdicts_and_missing_runs_come_before_sections() -> None:
    verdicts = (Verdict("the reward adds nothing", "warning"), Verdict("it is safe", "holds"))
    page = html(Page("", "", (Section("First"),), verdicts=verdicts, missing=("seed 3 diverged",)))
    head = page[: page.index("First")]
    assert '<li class="warning">' in head
    for text in ("the reward adds nothing", "it is safe", "Missing from this page", "seed 3"):
        assert text in head
    assert "Missing from this page" not in html(Page("", "", ()))


def test_long_pages_have_contents() -> None:
    sections = tuple(Section(f"Part {n}") for n in range(4))
    assert '<a href="#section-4">Part 3</a>' in html(Page("", "", sections))
    assert "<nav" not in html(Page("", "", sections[:3]))


def test_text_cannot_become_markup() -> None:
    evil = "<script>alert(1)</script>"
    table = Table("name", evil, (evil,) * 2, ((evil, Missing(evil)),))
    sections = (Section(evil, (evil,), (table,)),)
    page = Page(evil, evil, sections, {evil: evil}, (Verdict(evil),), (evil,))
    assert html(page).count("<script") == 1
