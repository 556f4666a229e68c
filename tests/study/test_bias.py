import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instinct.data import Array
from instinct.errors import BadInput
from instinct.paper.tables import table
from instinct.study.bias import positive_bias

LABELS = ("zero", "random", "negative")


def runs(zero: list[float], random: list[float], negative: list[float]) -> dict[str, Array]:
    return {
        label: np.array(values)
        for label, values in zip(LABELS, (zero, random, negative), strict=True)
    }


@pytest.mark.parametrize(
    ("dataset", "bias"),
    [("hopper-medium", 100 / 8.5), ("hopper-expert", math.inf), ("walker2d-expert", math.inf)],
)
def test_the_papers_numbers_give_the_papers_bias(dataset: str, bias: float) -> None:
    means = {
        row.label: np.array([row.mean])
        for row in table("d4rl_scores")
        if (row.dataset, row.algorithm) == (dataset, "ATAC") and row.label is not None
    }
    assert positive_bias(means, best=100).estimate == pytest.approx(bias)


def test_the_worst_mean_decides() -> None:
    """Means 60, 50 and 70: 100/(100 - 50); on success rates 1/(1 - 0.5)."""
    scores = runs([50, 70], [20, 80], [70, 70])
    assert positive_bias(scores, best=100).estimate == 2
    rates = {label: each / 100 for label, each in scores.items()}
    assert positive_bias(rates, best=1).estimate == 2


def test_the_interval_is_that_of_the_worst_mean() -> None:
    """Only `zero` matters: its resampled mean is 60 or 40 in a quarter of the draws each."""
    found = positive_bias(runs([40, 60], [90, 90], [90, 90]), best=100)
    assert found == pytest.approx((2, 100 / 60, 100 / 40))


def test_an_interval_may_end_in_infinity() -> None:
    found = positive_bias(runs([80, 110], [110, 110], [110, 110]), best=100)
    assert found == pytest.approx((20, 5, math.inf))


def test_infinite_for_sure_where_every_seed_is_optimal() -> None:
    found = positive_bias(runs([100, 101], [105, 104], [110, 110]), best=100)
    assert found == (math.inf, math.inf, math.inf)


def test_worse_than_nothing_is_below_one() -> None:
    assert positive_bias(runs([0], [0], [0]), best=100).estimate == 1
    assert positive_bias(runs([0], [-25], [0]), best=100).estimate == pytest.approx(0.8)


def test_one_seed_has_no_interval() -> None:
    assert positive_bias(runs([50], [60, 70], [60]), best=100) == (2, None, None)


seeds = st.lists(st.integers(-20, 150).map(float), min_size=2, max_size=4)


@settings(max_examples=30)
@given(seeds, seeds, seeds, st.integers(0, 9))
def test_the_interval_holds_the_estimate_and_follows_the_seed(
    zero: list[float], random: list[float], negative: list[float], seed: int
) -> None:
    scores = runs(zero, random, negative)
    found = positive_bias(scores, best=100, seed=seed)
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low <= found.estimate <= found.high
    assert positive_bias(scores, best=100, seed=seed) == found


@settings(max_examples=30)
@given(seeds, seeds, seeds)
def test_the_true_reward_has_no_part_in_it(
    zero: list[float], random: list[float], negative: list[float]
) -> None:
    scores = runs(zero, random, negative)
    assert positive_bias(scores | {"original": np.array([-1e3])}, 100) == positive_bias(scores, 100)


@pytest.mark.parametrize("label", LABELS)
def test_a_missing_label_is_named(label: str) -> None:
    scores = runs([50, 70], [20, 80], [70, 70])
    for incomplete in (
        {name: each for name, each in scores.items() if name != label},
        scores | {label: np.array([])},
    ):
        with pytest.raises(BadInput, match=f"no runs for {label}"):
            positive_bias(incomplete, best=100)


def test_a_failed_run_is_not_averaged_over() -> None:
    with pytest.raises(BadInput, match="not finite"):
        positive_bias(runs([math.nan, 1], [1, 1], [1, 1]), best=100)


@pytest.mark.parametrize("best", [0, -100, math.inf, math.nan])
def test_the_optimal_score_must_make_a_scale(best: float) -> None:
    with pytest.raises(BadInput, match="optimal score must be positive"):
        positive_bias(runs([1], [1], [1]), best)
