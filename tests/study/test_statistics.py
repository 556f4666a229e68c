"""Every statistic against its formula, computed in another way."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from instinct.data import Array
from instinct.errors import BadInput
from instinct.study import intervals, statistics
from instinct.study.intervals import (
    Mean,
    bca_interval,
    difference_interval,
    mean_interval,
    mean_of,
    ratio_interval,
    t_interval,
)
from instinct.study.statistics import (
    fractions_above,
    interquartile_mean,
    interval,
    mean,
    mean_difference,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
)


def scores(runs: int, tasks: int, seed: int = 0, decimals: int = 8) -> Array:
    """Normal scores about another mean on every task; few decimals make ties."""
    random = np.random.default_rng(seed)
    return random.normal(random.uniform(20, 90, tasks), 5, (runs, tasks)).round(decimals)


def drawn(runs: int, tasks: int) -> st.SearchStrategy[Array]:
    size = runs * tasks
    values = st.lists(st.integers(-20, 120), min_size=size, max_size=size)
    return values.map(lambda each: np.array(each, float).reshape(runs, tasks))


several = st.tuples(st.integers(1, 7), st.integers(1, 4)).flatmap(lambda shape: drawn(*shape))
repeated = st.tuples(st.integers(2, 5), st.integers(1, 3)).flatmap(lambda shape: drawn(*shape))


@given(several)
def test_the_interquartile_mean_is_the_mean_trimmed_by_a_quarter(x: Array) -> None:
    assert interquartile_mean(x) == pytest.approx(stats.trim_mean(x, 0.25, axis=None))


def test_the_interquartile_mean_by_hand() -> None:
    assert interquartile_mean(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 700.0]])) == 3.5
    assert interquartile_mean(np.array([1.0, 2.0, 6.0])) == 3


@given(several)
def test_the_optimality_gap_adds_up_what_is_missing(x: Array) -> None:
    missing = [max(100 - score, 0) for score in x.ravel()]
    assert optimality_gap(x, 100) == pytest.approx(sum(missing) / len(missing))


@given(several)
def test_the_profile_counts_the_runs_above(x: Array) -> None:
    taus = np.array([-50.0, 0.0, 40.0, 120.0])
    counted = [sum(score > tau for score in x.ravel()) / x.size for tau in taus]
    assert fractions_above(x, taus) == pytest.approx(counted)
    assert counted[0] == 1
    assert counted[-1] == 0


@given(st.integers(1, 3).flatmap(lambda tasks: st.tuples(drawn(4, tasks), drawn(3, tasks))))
def test_the_probability_of_improvement_is_the_mann_whitney_statistic(
    pair: tuple[Array, Array],
) -> None:
    x, y = pair
    by_task = [
        stats.mannwhitneyu(x[:, task], y[:, task]).statistic / (len(x) * len(y))
        for task in range(x.shape[1])
    ]
    found = float(probability_of_improvement(x, y))
    assert found == pytest.approx(np.mean(by_task))
    assert found + float(probability_of_improvement(y, x)) == pytest.approx(1)


def test_ties_count_half() -> None:
    """Of the four pairs one is won, one lost and two are ties."""
    assert probability_of_improvement(np.array([1.0, 2.0]), np.array([1.0, 2.0])) == 0.5
    assert probability_of_improvement(np.array([2.0, 2.0]), np.array([1.0, 2.0])) == 0.75


@pytest.mark.parametrize("statistic", [mean, interquartile_mean, partial(optimality_gap, best=80)])
def test_a_stack_gives_what_each_of_its_arrays_gives(statistic: statistics.Statistic) -> None:
    stack = np.stack([scores(5, 3, seed) for seed in range(4)])
    assert statistic(stack) == pytest.approx([float(statistic(each)) for each in stack])


@pytest.mark.parametrize("runs", [2, 3, 5, 10, 30])
def test_the_interval_of_a_mean_is_students(runs: int) -> None:
    x = scores(runs, 1)[:, 0]
    ends = stats.t.interval(0.95, runs - 1, loc=x.mean(), scale=stats.sem(x))
    assert interval(mean, x) == pytest.approx((x.mean(), *ends))


def test_the_interval_of_a_difference_is_welchs() -> None:
    x, y = scores(3, 1, 1)[:, 0], 3 * scores(5, 1, 2)[:, 0]
    ends = stats.ttest_ind(x, y, equal_var=False).confidence_interval()
    assert interval(mean_difference, x, y) == pytest.approx((x.mean() - y.mean(), *ends))


def test_the_interval_of_a_mean_over_tasks_adds_the_variances_of_the_tasks() -> None:
    """Satterthwaite's degrees of freedom by hand; tasks that are far apart add nothing."""
    x = np.array([[0.0, 100.0], [2.0, 106.0], [4.0, 103.0]])
    one, two = 4 / 3 / 4, 9 / 3 / 4
    freedom = (one + two) ** 2 / (one**2 / 2 + two**2 / 2)
    half = stats.t.ppf(0.975, freedom) * np.sqrt(one + two)
    assert interval(mean, x) == pytest.approx((52.5, 52.5 - half, 52.5 + half))
    assert interval(mean, np.array([[0.0, 100.0]] * 3)) == (50, 50, 50)


def test_a_published_mean_has_the_interval_of_its_runs() -> None:
    x, y = scores(3, 1, 1)[:, 0], scores(10, 1, 2)[:, 0]
    assert mean_interval(mean_of(x)) == pytest.approx(interval(mean, x))
    assert difference_interval(mean_of(x), mean_of(y)) == pytest.approx(
        interval(mean_difference, x, y)
    )
    assert mean_interval(Mean(94.5, 1.7, 10)) == pytest.approx(
        (94.5, *stats.t.interval(0.95, 9, loc=94.5, scale=1.7))
    )


def test_the_interval_of_a_ratio_is_fiellers() -> None:
    """At the ends of the interval, a - ρ·b is just significantly different from 0."""
    a, b = np.array([80.0, 84, 91]), np.array([88.0, 90, 95])
    found = ratio_interval(a, b)
    assert found.value == pytest.approx(a.mean() / b.mean())
    spread = stats.ttest_ind(a, found.value * b, equal_var=False).df
    for end in (found.low, found.high):
        error = np.sqrt(a.var(ddof=1) / 3 + end**2 * b.var(ddof=1) / 3)
        assert abs(a.mean() - end * b.mean()) / error == pytest.approx(stats.t.ppf(0.975, spread))


def test_a_ratio_to_something_that_may_be_zero_has_no_bounds() -> None:
    found = ratio_interval(np.array([4.0, 5, 6]), np.array([-1.0, 1, 3]))
    assert found == (5, -np.inf, np.inf)


def test_few_runs_have_t_intervals_and_many_have_bca() -> None:
    few, many = scores(9, 2), scores(10, 2)
    assert interval(interquartile_mean, few) == t_interval(interquartile_mean, few)
    assert interval(interquartile_mean, many) == bca_interval(interquartile_mean, many)


def test_the_bca_interval_is_the_one_of_scipy() -> None:
    """One sample of a skewed distribution, and two samples of one task."""
    x = np.random.default_rng(0).exponential(size=20)
    y = np.random.default_rng(1).exponential(size=15) - 0.3
    for statistic, samples in (
        (partial(optimality_gap, best=1.0), (x,)),
        (probability_of_improvement, (x, y)),
    ):
        reference = stats.bootstrap(
            samples,
            lambda *each, axis, statistic=statistic: statistic(
                *(np.moveaxis(part, axis, -1)[..., None] for part in each)
            ),
            n_resamples=50_000,
            batch=5_000,
            method="BCa",
            rng=np.random.default_rng(1),
        ).confidence_interval
        found = bca_interval(statistic, *samples, resamples=50_000)
        assert found[1:] == pytest.approx((reference.low, reference.high), abs=0.01)


def test_runs_are_resampled_within_their_task() -> None:
    """All 16 pairs of resamples of two tasks, by going through them: 6 of them have mean 1/2."""
    x = np.array([[0.0, 0.0], [1.0, 1.0]])
    every = [sum(picks) / 4 for picks in product((0, 1), repeat=4)]
    found = intervals.bootstrap(mean, [x], seed=3, resamples=40_000)
    for value in (0, 0.25, 0.5, 0.75, 1):
        assert np.mean(found == value) == pytest.approx(every.count(value) / 16, abs=0.01)


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_intervals_of_means_hold_as_often_as_they_say(runs: int) -> None:
    """With normal scores in 95% of cases; the standard error of 2,000 cases is 0.5%."""
    draws = np.random.default_rng(runs).normal(50, 10, (2000, 2, runs))
    means = [[mean_of(each) for each in pair] for pair in draws]
    hits = [mean_interval(one).low < 50 < mean_interval(one).high for one, _ in means]
    assert np.mean(hits) == pytest.approx(0.95, abs=0.015)
    apart = [difference_interval(*pair) for pair in means]
    assert np.mean([each.low < 0 < each.high for each in apart]) == pytest.approx(0.955, abs=0.02)


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_intervals_of_ratios_hold_as_often_as_they_say(runs: int) -> None:
    draws = np.random.default_rng(runs).normal([[60.0], [80.0]], 8, (2000, 2, runs))
    found = [ratio_interval(*pair) for pair in draws]
    assert np.mean([each.low < 0.75 < each.high for each in found]) == pytest.approx(
        0.955, abs=0.02
    )


@pytest.mark.parametrize(("runs", "coverage"), [(3, 0.97), (5, 0.96), (10, 0.93)])
def test_intervals_of_the_interquartile_mean(runs: int, coverage: float) -> None:
    """Five tasks; the true value is that of very many runs."""
    levels = np.array([20.0, 45, 60, 75, 90])
    true = interquartile_mean(np.random.default_rng(0).normal(levels, 8, (100_000, 5)))
    draws = np.random.default_rng(runs).normal(levels, 8, (300, runs, 5))
    found = [interval(interquartile_mean, each, resamples=500) for each in draws]
    hits = np.mean([each.low < true < each.high for each in found])
    assert hits == pytest.approx(coverage, abs=0.04)


@given(repeated)
def test_intervals_hold_their_value(x: Array) -> None:
    found = interval(mean, x)
    assert found.low <= found.value <= found.high
    if np.ptp(x, axis=0).any():
        assert found.low < found.value < found.high


def test_another_seed_is_another_draw() -> None:
    x = scores(10, 3)
    assert interval(interquartile_mean, x, seed=0) != interval(interquartile_mean, x, seed=1)
    assert interval(interquartile_mean, x, seed=1) == interval(interquartile_mean, x, seed=1)


def test_the_draws_do_not_depend_on_the_memory_they_are_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = scores(10, 3)
    whole = interval(interquartile_mean, x, resamples=1000)
    monkeypatch.setattr(intervals, "CHUNK", 500)
    assert interval(interquartile_mean, x, resamples=1000) == whole


def test_a_profile_has_an_interval_at_every_tau() -> None:
    """One run of ten above τ: the mean of nine zeros and a one, cut at 0."""
    x = np.array([0.0] * 9 + [10.0])
    profile = performance_profile(x, np.array([-1.0, 5.0, 20.0]))
    assert profile.fractions.tolist() == [1, 0.1, 0]
    assert profile.low.tolist() == [1, 0, 0]
    assert profile.high.tolist() == pytest.approx([1, 0.1 + stats.t.ppf(0.975, 9) * 0.1, 0])


def test_one_run_has_no_interval() -> None:
    with pytest.raises(BadInput, match="two or more runs"):
        interval(mean, np.array([[1.0, 2.0]]))


@pytest.mark.parametrize("broken", [np.zeros((2, 0)), np.zeros((2, 2, 2)), np.array(1.0)])
def test_what_is_not_runs_by_tasks_is_refused(broken: Array) -> None:
    with pytest.raises(BadInput, match="runs × tasks"):
        interval(mean, broken)


def test_failed_runs_are_not_averaged_over() -> None:
    with pytest.raises(BadInput, match="not finite"):
        performance_profile(np.array([1.0, np.nan]), np.array([0.0]))


def test_only_the_same_tasks_are_compared() -> None:
    with pytest.raises(BadInput, match="2 tasks cannot be compared with 3"):
        interval(probability_of_improvement, scores(4, 2), scores(4, 3))
