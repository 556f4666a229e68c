import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from instinct.data import Array
from instinct.errors import BadInput
from instinct.paper.tables import table
from instinct.study.bias import bias_of_means, positive_bias
from instinct.study.intervals import Mean

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
    """Only `zero` matters: its t interval is 50 ± t·10/√3."""
    found = positive_bias(runs([40, 50, 60], [90, 91, 92], [90, 91, 92]), best=100)
    low, high = stats.t.interval(0.95, 2, loc=50, scale=10 / math.sqrt(3))
    assert found == pytest.approx((2, 100 / (100 - low), 100 / (100 - high)))


def test_the_interval_reaches_as_low_as_that_of_any_label() -> None:
    """`random` has the better mean and the lower end."""
    found = positive_bias(runs([49, 50, 51], [40, 60, 65], [90, 91, 92]), best=100)
    assert found.low is not None
    spread = np.std([40, 60, 65], ddof=1) / math.sqrt(3)
    low = stats.t.interval(0.95, 2, loc=55, scale=spread)[0]
    high = stats.t.interval(0.95, 2, loc=50, scale=1 / math.sqrt(3))[1]
    assert found == pytest.approx((2, 100 / (100 - low), 100 / (100 - high)))


def test_an_interval_may_end_in_infinity() -> None:
    found = positive_bias(runs([94, 95, 96, 110], [110, 111], [110, 111]), best=100)
    assert found.estimate == pytest.approx(100 / 1.25)
    assert found.low is not None
    assert 1 < found.low < found.estimate
    assert found.high == math.inf


@pytest.mark.parametrize("number", [3, 5, 10])
@pytest.mark.parametrize(("levels", "coverage"), [((50, 80, 90), 0.95), ((50, 50, 50), 0.975**3)])
def test_the_interval_holds_the_true_bias(
    number: int, levels: tuple[int, ...], coverage: float
) -> None:
    """In 95% of cases if one label is clearly the worst, in 92.7% if all three are equally bad."""
    draws = np.random.default_rng(number).normal(levels, 8, (2000, number, 3))
    found = [positive_bias(dict(zip(LABELS, each.T, strict=True)), best=100) for each in draws]
    hits = [each.low <= 2 <= each.high for each in found if each.low and each.high]
    assert len(hits) == 2000
    assert np.mean(hits) == pytest.approx(coverage, abs=0.015)


@pytest.mark.parametrize("number", [3, 10])
def test_the_interval_holds_an_infinite_bias(number: int) -> None:
    """Policies that are optimal on average: the interval reaches ∞ in at least 97.5% of cases."""
    draws = np.random.default_rng(number).normal((100, 115, 120), 5, (2000, number, 3))
    found = [positive_bias(dict(zip(LABELS, each.T, strict=True)), best=100) for each in draws]
    assert np.mean([each.high == math.inf for each in found]) == pytest.approx(0.975, abs=0.012)


def test_published_means_have_intervals_too() -> None:
    means = {
        label: Mean(value, 0.5, 10) for label, value in zip(LABELS, (94, 92.3, 91.5), strict=True)
    }
    low, high = stats.t.interval(0.95, 9, loc=91.5, scale=0.5)
    expected = [100 / (100 - end) for end in (91.5, low, high)]
    assert bias_of_means(means, best=100) == pytest.approx(expected)


def test_infinite_for_sure_where_every_seed_is_optimal() -> None:
    found = positive_bias(runs([105, 105.1], [105, 105.2], [110, 110]), best=100)
    assert found == (math.inf, math.inf, math.inf)


def test_worse_than_nothing_is_below_one() -> None:
    assert positive_bias(runs([0], [0], [0]), best=100).estimate == 1
    assert positive_bias(runs([0], [-25], [0]), best=100).estimate == pytest.approx(0.8)


def test_one_seed_has_no_interval() -> None:
    assert positive_bias(runs([50], [60, 70], [60]), best=100) == (2, None, None)


seeds = st.lists(st.integers(-20, 150).map(float), min_size=2, max_size=4)


@settings(max_examples=30)
@given(seeds, seeds, seeds)
def test_the_interval_holds_the_estimate(
    zero: list[float], random: list[float], negative: list[float]
) -> None:
    found = positive_bias(runs(zero, random, negative), best=100)
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low <= found.estimate <= found.high


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
