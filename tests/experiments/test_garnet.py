from collections.abc import Mapping
from typing import Any

import pytest

from instinct.experiments.garnet import GARNET
from instinct.experiments.garnet import compute as garnet
from instinct.experiments.results import ExperimentResults


@pytest.fixture(name="results", scope="module")
def small_study() -> ExperimentResults:
    patch = pytest.MonkeyPatch()
    patch.setattr(garnet, "SIZES", (2000,))
    patch.setattr(garnet, "DEGREES", (1.0, 64.0))
    results = GARNET.run(GARNET.configure(mdps=2, states=10, actions=2))
    patch.undo()
    return results


def strong(results: ExperimentResults, bias: str) -> list[Mapping[str, Any]]:
    return [
        row
        for row in results.results
        if row["bias"] == bias and row["R"] == 64 and row["algorithm"] != "BC"
    ]


def test_every_combination_has_a_row(results: ExperimentResults) -> None:
    assert len(results.results) == 3 * 10 * 4 * 2
    assert {row["mdps"] for row in results.results} == {2}


def test_positively_biased_data_need_no_reward(results: ExperimentResults) -> None:
    """By construction no step of a policy that stays in the data loses more than the gap."""
    for row in strong(results, "positive"):
        assert row["regret"] <= garnet.GAP / (1 - 0.9) + 1e-6, row
        assert row["cost"] <= 1e-6, row


def test_negatively_biased_data_fail_even_with_the_true_reward(results: ExperimentResults) -> None:
    assert min(row["regret"] for row in strong(results, "negative")) > 1


def test_without_a_bias_the_reward_decides(results: ExperimentResults) -> None:
    rows = strong(results, "zero")
    true = max(row["regret"] for row in rows if row["label"] == "original")
    wrong = min(row["regret"] for row in rows if row["label"] == "negative")
    assert true < 1 < wrong


def test_results_are_within_the_bounds(results: ExperimentResults) -> None:
    """They are for unlimited data; with 2,000 transitions half a reward may be lost to noise."""
    bounds = {(row["bias"], row["label"]): row for row in results.details["bounds"]}
    for bias in ("positive", "zero", "negative"):
        for row in strong(results, bias):
            bound = bounds[bias, row["label"]]
            assert row["regret"] <= bound["regret"] + 0.5, row
            assert row["cost"] <= bound["cost"] + 0.5, row


def test_page_has_summary_table_and_figures(results: ExperimentResults) -> None:
    page = GARNET.compose(results)
    assert "positively biased" in page.summary
    assert len([*page.drawings]) == 2
    assert len(next(page.tables).rows) == 10
