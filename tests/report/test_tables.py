"""Tables keep what was measured, and show it rounded: in text, CSV and LaTeX."""

import csv
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instinct.report.kit.latex import escape, latex, write_latex
from instinct.report.kit.tables import Missing, Number, Table, raw, write_csv

TABLE = Table(
    "scores",
    "Scores of 50 % & more_",
    ("dataset", "PSPI", "bias", "runs"),
    (
        ("hopper", Number(91.256, ".1f", 1.04, mark="best"), Number(math.inf, ".3g"), "3"),
        ("walker", Missing("diverged"), Number(-2.5, ".2f", interval=(-3.125, -1.5)), "2"),
        ("ant", Number(1234, ",", mark="gray", note="unsafe"), Missing("diverged"), "3"),
    ),
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Number(0.91549, ".2f"), "0.92"),
        (Number(0.91549, ".2f", 0.0149), "0.92 ± 0.01"),
        (Number(0.91549, ".2f", interval=(0.881, 0.949)), "0.92 [0.88, 0.95]"),
        (Number(0.91549, ".2f", 0.0149, (0.881, 0.949)), "0.92 ± 0.01 [0.88, 0.95]"),
        (Number(1_000_000, ","), "1,000,000"),
        (Number(0.914, ".0%"), "91%"),
        (Number(12345.678), "1.235e+04"),
        (Number(math.inf), "∞"),
        (Number(-math.inf), "-∞"),
        (Number(2, interval=(1, math.inf)), "2 [1, ∞]"),
    ],
)
def test_numbers_are_rounded_in_text(number: Number, text: str) -> None:
    assert str(number) == text


@pytest.mark.parametrize(
    "parts",
    [
        {"value": math.nan},
        {"value": 1.0, "error": math.nan},
        {"value": 1.0, "interval": (0, math.nan)},
    ],
)
def test_nan_is_refused(parts: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="Missing"):
        Number(**parts)  # type: ignore[arg-type]


def test_a_row_must_fit_the_columns() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        Table("t", "", ("a", "b"), (("1",),))


def test_numeric_columns_are_detected() -> None:
    table = Table("t", "", ("name", "a", "b"), (("x", "1.0", "-2 ± 1"), ("y", "∞", "no")))
    assert table.numeric == (False, True, False)
    assert TABLE.numeric == (False, True, True, True)
    assert Table("t", "", ("a", "b"), ()).numeric == (False, False)


def test_notes_have_no_duplicates() -> None:
    assert TABLE.notes == {"diverged": 1, "unsafe": 2}


def test_raw_splits_numbers_into_columns() -> None:
    headings, rows = raw(TABLE)
    assert headings == ["dataset", "PSPI", "PSPI stderr", "bias", "bias low", "bias high", "runs"]
    assert rows == [
        ["hopper", 91.256, 1.04, math.inf, None, None, "3"],
        ["walker", None, None, -2.5, -3.125, -1.5, "2"],
        ["ant", 1234, None, None, None, None, "3"],
    ]


@given(st.lists(st.tuples(st.floats(allow_nan=False), st.floats(min_value=0)), min_size=1))
def test_csv_keeps_every_bit(tmp_path: Path, numbers: list[tuple[float, float]]) -> None:
    rows = tuple((str(i), Number(mean, ".1f", error)) for i, (mean, error) in enumerate(numbers))
    write_csv(Table("t", "", ("row", "x"), rows), tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        found = [(float(row["x"]), float(row["x stderr"])) for row in csv.DictReader(file)]
    assert found == numbers


def test_latex_sets_numbers_notes_and_marks(tmp_path: Path) -> None:
    write_latex(TABLE, tmp_path / "scores.tex")
    text = (tmp_path / "scores.tex").read_text("utf-8")
    assert text == latex(TABLE)
    assert r"\caption{Scores of 50 \% \& more\_}" in text
    assert r"\begin{tabular}{lrrr}" in text
    assert r"hopper & \textbf{91.3 $\pm$ 1.0} & $\infty$ & 3 \\" in text
    assert r"walker & --\textsuperscript{1} & $-$2.50 [$-$3.12, $-$1.50] & 2 \\" in text
    assert r"\textcolor{gray}{1,234}\textsuperscript{2}" in text
    assert text.count("diverged") == 1


def test_no_text_is_a_command_in_latex() -> None:
    assert escape(r"\input{/etc/passwd} a_b 5% #1 $x$ ^&") == (
        r"\textbackslash{}input\{/etc/passwd\} a\_b 5\% \#1 \$x\$ \textasciicircum{}\&"
    )
    assert escape("hopper-medium, β ≤ 3") == r"hopper-medium, $\beta$ $\le$ 3"
