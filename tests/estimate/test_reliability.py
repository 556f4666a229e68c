"""How well estimators did is read from one file, and widens intervals."""

import csv
from pathlib import Path

import pytest

import instinct.estimate
from instinct.bench.estimate import TRUTHS
from instinct.estimate import DEFAULT, ESTIMATORS, Estimate, Reliability, reliability_of
from instinct.estimate.reliability import COLUMNS, FILE, summarize, write_comparisons

SHIPPED = Path(instinct.estimate.__file__).parent / FILE
DOCUMENT = Path(__file__).parents[2] / "docs" / "without-a-simulator.md"
ROWS = [
    dict(zip(COLUMNS, values, strict=True))
    for values in (
        ("a", "return", "fqe", 10, 0.5, 0.2, 0.8, 0.0),
        ("b", "return", "fqe", 20, 0.9, 0.0, 0.5, 0.5),
        ("c", "return", "fqe", 6, None, None, None, 1.0),
    )
]


def test_ranks_are_means_over_datasets_and_held_is_a_share_of_all_intervals(tmp_path: Path) -> None:
    write_comparisons(tmp_path / "found.csv", ROWS)
    with (tmp_path / "found.csv").open(newline="") as file:
        found = summarize([*csv.DictReader(file)])["fqe", "return"]
    assert (found.datasets, found.policies) == (3, 36)
    assert found.rank == pytest.approx(0.7)
    assert found.regret == pytest.approx(0.1)
    # 8 of 10 intervals and 5 of 10.
    assert found.held == pytest.approx(13 / 20)
    assert not found.ranks


def test_the_default_estimator_was_compared_with_the_truth() -> None:
    for quantity in ("return", "length"):
        found = reliability_of(DEFAULT, quantity)
        assert found.datasets >= 3
        assert found.rank is not None
        assert -1 <= found.rank <= 1
        assert found.held is not None
        assert 0 <= found.held <= 1
    assert reliability_of(DEFAULT, "end").held is None
    assert {*TRUTHS} >= {"return", "length"}
    assert DEFAULT in ESTIMATORS


def test_the_document_has_the_shipped_numbers() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    with SHIPPED.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["estimator"] in ESTIMATORS]
    assert rows
    for row in rows:
        assert document_row(row) in text


def document_row(row: dict[str, str]) -> str:
    """The row of the table in docs/without-a-simulator.md; a number not defined is a dash."""
    rank = f"{float(row['rank']):.2f}".replace("-", "−") if row["rank"] else "–"
    shares = [f"{float(row[x]):.0%}" if row[x] else "–" for x in ("regret", "held", "refused")]
    names = [f"{row['dataset']} ({row['policies']})", row["quantity"], row["estimator"]]
    return f"| {' | '.join([*names, rank, *shares])} |"


def test_intervals_that_held_too_seldom_are_widened() -> None:
    estimate = Estimate(10.0, 8.0, 14.0)
    # z(0.95) = 1.95996 and z(0.6827) = 1: one deviation becomes 1.96.
    wide = Reliability("e", "q", held=0.6826895).widen(estimate)
    assert wide is not None
    assert (wide.low, wide.high) == pytest.approx((10 - 2 * 1.95996, 10 + 4 * 1.95996), rel=1e-4)
    assert Reliability("e", "q", held=1.0).widen(estimate) == estimate
    assert Reliability("e", "q").widen(estimate) is None
    assert Reliability("e", "q", held=0.0).widen(estimate) is None
