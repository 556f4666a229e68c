"""How scores are compared with what agents reached; the page shows what its file says."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from instinct.bench.score import family, small_enough
from instinct.report.kit.markdown import markdown
from instinct.score.agreement import HELD_OUT, agreements, held_out, spearman
from instinct.score.figure import reached
from instinct.score.table import agreement_table
from instinct.score.validation import Validated, read_validation, write_validation

DOCS = Path(__file__).parents[2] / "docs"


def rows(number: int = 8) -> list[Validated]:
    """Two families: the score orders all datasets rightly, TQ in the opposite order."""
    return [
        Validated(
            f"d{i}",
            f"d{i}",
            "even" if i % 2 == 0 else "odd",
            1.0 + i if i < number - 1 else np.inf,
            i / number,
            {"score": 0.125 * i, "TQ": -1.0 * i, "survival": None if i else 0.0},
            {1.1: float(i), 2.0: float(-i)},
        )
        for i in range(number)
    ]


def test_rank_correlations_are_scipys() -> None:
    random = np.random.default_rng(0)
    x, y = random.integers(5, size=(2, 3, 12))
    expected = [stats.spearmanr(a, b).statistic for a, b in zip(x, y, strict=True)]
    assert spearman(x, y) == pytest.approx(expected)


def test_measures_are_ranked_by_what_agents_showed() -> None:
    found = {each.measure: each for each in agreements(rows())}
    assert "survival" not in found  # known of one dataset only
    assert found["score"].bias == pytest.approx((1, 1, 1))
    assert found["TQ"].bias.value == pytest.approx(-1)
    assert found["TQ"].behind == pytest.approx((2, 2, 2))
    assert found["TQ"].lowest == pytest.approx(-1)
    assert found[HELD_OUT].share.value == pytest.approx(1)


def test_held_out_families_do_not_choose_their_own_ratio() -> None:
    changed = [
        replace(row, by_ratio={1.1: row.by_ratio[2.0], 2.0: row.by_ratio[1.1]})
        if row.family == "odd"
        else row
        for row in rows()
    ]
    chosen = [*held_out(changed)]
    assert [x for x, row in zip(chosen, changed, strict=True) if row.family == "odd"] == [
        row.by_ratio[1.1] for row in changed if row.family == "odd"
    ]


def test_the_file_gives_back_what_was_written(tmp_path: Path) -> None:
    write_validation(tmp_path / "score.csv", rows())
    assert read_validation(tmp_path / "score.csv") == rows()


def test_the_bias_as_a_share() -> None:
    assert [reached(replace(rows()[0], positive_bias=x)) for x in (1.0, 4.0, np.inf)] == [
        0,
        0.75,
        1,
    ]


def test_families_and_sizes() -> None:
    assert family("hopper-medium") == "hopper"
    assert family("metaworld:push") == "metaworld"
    assert small_enough("metaworld:push") == "metaworld:push"
    assert small_enough("hopper-medium@1000") == "hopper-medium@1000"


def test_the_page_shows_what_the_kept_file_says() -> None:
    table = agreement_table(agreements(read_validation(DOCS / "results" / "score.csv")))
    assert markdown(table, caption=False) in (DOCS / "score.md").read_text("utf-8")
