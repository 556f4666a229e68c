"""Tables and pages as commands print them."""

from pathlib import Path

import pytest

from instinct.cli.output import show_page, show_table
from instinct.report.kit.page import Answer, Page, Section, Verdict
from instinct.report.kit.tables import Missing, Number, Table

TABLE = Table(
    "scores",
    "Scores.",
    ("dataset", *(f"label {n}" for n in range(8))),
    (
        ("[bold]hopper", *[Number(91.256, ".1f", 1.04)] * 8),
        ("walker", Missing("out of memory"), *[Number(1.0)] * 7),
    ),
)


def test_row_is_one_line_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(TABLE)
    lines = capsys.readouterr().out.splitlines()
    [hopper] = [line for line in lines if "[bold]hopper" in line]
    assert hopper.count("91.3 ± 1.0") == 8
    [walker] = [line for line in lines if "walker" in line]
    assert "– (1)" in walker
    assert lines[-1] == "(1) out of memory"


def test_page_is_printed_without_its_details(capsys: pytest.CaptureFixture[str]) -> None:
    sections = (
        Section("Main", tables=(TABLE,)),
        Section("More", tables=(Table("more", "More.", ("a",), ()),), detail=True),
    )
    verdicts = (Verdict("It holds [0, 1].", "holds"),)
    page = Page("", "CellResult.", sections, verdicts=verdicts, missing=("CQL: diverged",))
    show_page(page, Path("results/index.html"))
    printed = capsys.readouterr().out
    assert "Scores." in printed
    assert "More." not in printed
    assert printed.splitlines()[-4:] == [
        "CellResult.",
        "✓ It holds [0, 1].",
        "Missing: CQL: diverged",
        "Page: results/index.html",
    ]


def test_the_answer_comes_first_and_cautions_last(capsys: pytest.CaptureFixture[str]) -> None:
    said = Verdict("89% is reached.", "note", "reward-use")
    verdicts = (Verdict("One seed.", "warning", "one-seed"), said, Verdict("It lasts.", "holds"))
    answer = Answer("?", "Any reward reaches 89%.", "one seed", verdict=said.text)
    show_page(Page("", "Summary.", (), verdicts=verdicts, answer=answer), Path("index.html"))
    assert capsys.readouterr().out.splitlines() == [
        "Summary.",
        "◆ Any reward reaches 89%.",
        "✓ It lasts.",
        "! One seed.",
        "Page: index.html",
    ]
