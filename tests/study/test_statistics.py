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
from instinct.study import statistics
from instinct.study.statistics import (
    fractions_above,
    interquartile_mean,
    interval,
    mean,
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


def test_the_interval_of_two_runs_by_hand() -> None:
    """Of 0 and 1 with themselves the means are 0, 1/2, 1/2 and 1: a quarter, a half, a quarter."""
    assert interval(mean, np.array([0.0, 1.0]), level=0.4) == (0.5, 0.5, 0.5)
    assert interval(mean, np.array([0.0, 1.0]), level=0.6) == (0.5, 0, 1)


def test_runs_are_resampled_within_their_task() -> None:
    """Tasks whose runs agree have no spread, however far apart the tasks are."""
    assert interval(mean, np.array([[0.0, 100.0]] * 3)) == (50, 50, 50)


def test_tasks_are_resampled_independently() -> None:
    """All 16 pairs of resamples of two tasks, by going through them: 6 of them have mean 1/2."""
    x = np.array([[0.0, 0.0], [1.0, 1.0]])
    every = [sum(picks) / 4 for picks in product((0, 1), repeat=4)]
    found = statistics.bootstrap(mean, [x], seed=3, resamples=40_000)
    for value in (0, 0.25, 0.5, 0.75, 1):
        assert np.mean(found == value) == pytest.approx(every.count(value) / 16, abs=0.01)


def test_the_interval_of_a_mean_is_the_one_of_scipy() -> None:
    x = scores(10, 1)[:, 0]
    reference = stats.bootstrap(
        (x,), np.mean, n_resamples=200_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    found = interval(mean, x, resamples=200_000)
    assert found.value == pytest.approx(x.mean())
    assert found[1:] == pytest.approx((reference.low, reference.high), abs=0.05)


@pytest.mark.parametrize("statistic", [mean, interquartile_mean])
def test_the_interval_agrees_with_a_loop(statistic: statistics.Statistic) -> None:
    x, random = scores(6, 3), np.random.default_rng(5)
    found = [
        float(statistic(np.stack([random.choice(column, 6) for column in x.T], axis=1)))
        for _ in range(3000)
    ]
    ends = np.percentile(found, [2.5, 97.5])
    assert interval(statistic, x)[1:] == pytest.approx(ends, abs=0.2)


def test_the_interval_of_an_improvement_agrees_with_a_loop() -> None:
    x, y, random = (
        scores(6, 2, 1, decimals=0),
        scores(8, 2, 1, decimals=0),
        np.random.default_rng(5),
    )
    found = [
        float(
            probability_of_improvement(
                np.stack([random.choice(column, 6) for column in x.T], axis=1),
                np.stack([random.choice(column, 8) for column in y.T], axis=1),
            )
        )
        for _ in range(3000)
    ]
    ends = np.percentile(found, [2.5, 97.5])
    assert interval(probability_of_improvement, x, y)[1:] == pytest.approx(ends, abs=0.03)


def test_the_interval_holds_the_true_mean_as_often_as_it_says() -> None:
    """With 30 runs the percentile interval of 90 % is a little too narrow, by theory 88 %."""
    hits = 0
    for seed in range(300):
        x = np.random.default_rng(seed).normal(size=30)
        found = interval(mean, x, resamples=500, level=0.9)
        hits += found.low < 0 < found.high
    assert 0.83 < hits / 300 < 0.93


@given(repeated, st.integers(0, 5))
def test_intervals_hold_their_value_and_follow_the_seed(x: Array, seed: int) -> None:
    found = interval(mean, x, seed=seed, resamples=200)
    assert found == interval(mean, x, seed=seed, resamples=200)
    assert x.min() <= found.low <= found.high <= x.max()
    if np.ptp(x, axis=0).any():
        assert found.low < found.high


def test_another_seed_is_another_draw() -> None:
    x = scores(10, 3)
    assert interval(mean, x, seed=0) != interval(mean, x, seed=1)


def test_the_draws_do_not_depend_on_the_memory_they_are_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = scores(7, 3)
    whole = interval(interquartile_mean, x, resamples=1000)
    monkeypatch.setattr(statistics, "CHUNK", 500)
    assert interval(interquartile_mean, x, resamples=1000) == whole


def test_a_profile_has_an_interval_at_every_tau() -> None:
    """One run of ten above τ: the resampled number above is binomial(10, 0.1)."""
    x = np.array([0.0] * 9 + [10.0])
    profile = performance_profile(x, np.array([-1.0, 5.0, 20.0]), resamples=20_000)
    assert profile.fractions.tolist() == [1, 0.1, 0]
    assert profile.low.tolist() == [1, stats.binom.ppf(0.025, 10, 0.1) / 10, 0]
    assert profile.high.tolist() == [1, stats.binom.ppf(0.975, 10, 0.1) / 10, 0]


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
