"""Bends whose place is known."""

import numpy as np
import pytest

from instinct.dose.changepoint import bend, find_changepoint

DOSES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])


@pytest.mark.parametrize("tau", [0.0, 0.25, 0.4, 0.6])
def test_a_bend_without_noise_is_found(tau: float) -> None:
    response = 3 - 2 * np.maximum(DOSES - tau, 0)
    assert bend(DOSES, response[None])[0] == pytest.approx(tau, abs=0.011)


def test_the_interval_covers_the_bend_and_shrinks_with_runs() -> None:
    random = np.random.default_rng(0)
    means = 80 - 100 * np.maximum(DOSES - 0.5, 0)
    few, many = (
        find_changepoint(DOSES, [mean + random.normal(0, 5, n) for mean in means]) for n in (3, 300)
    )
    assert few is not None
    assert many is not None
    assert few.matters
    assert few.low <= 0.5 <= few.high
    assert many.dose == pytest.approx(0.5, abs=0.03)
    assert many.high - many.low < few.high - few.low
    assert many.change.value == pytest.approx(-50, abs=1.5)


def test_noise_does_not_matter() -> None:
    random = np.random.default_rng(1)
    found = find_changepoint(DOSES, [random.normal(80, 5, 5) for _ in DOSES])
    assert found is not None
    assert not found.matters


def test_single_runs_have_no_changepoint() -> None:
    assert find_changepoint(DOSES, [np.array([1.0])] * 5) is None
    assert find_changepoint(DOSES[:2], [np.array([1.0, 2.0])] * 2) is None
