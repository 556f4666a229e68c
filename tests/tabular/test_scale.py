"""Run the algorithms on a million transitions between ten thousand states."""

import numpy as np
import pytest

from instinct.bench.tabular import measure, random_dataset
from instinct.tabular import ALGORITHMS, Model, find_algorithm


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ALGORITHMS if ALGORITHMS[name].pessimistic])
def test_a_large_dataset(name: str) -> None:
    """Policies take seen actions, and the gap is small."""
    algorithm = find_algorithm(name)
    if algorithm.finite_horizon_only:
        model = Model.of(random_dataset(500, 10, 1_000_000, length=20), horizon=20)
    else:
        model = Model.of(random_dataset(10_000, 10, 1_000_000), discount=0.99)
    assert len(model) == 1_000_000
    solution = algorithm.solve(model, 10.0)
    np.testing.assert_allclose(solution.policy.sum(axis=1), 1)
    unseen = model.support.any(axis=1, keepdims=True) & ~model.support
    assert (solution.policy * unseen).max() < 1e-6
    assert (np.abs(solution.V) <= 10 * model.steps_left + 1e-6).all()
    assert solution.gap is None or 0 <= solution.gap < 1e-2 * model.steps_left.max()


def test_the_measurement_has_a_row_for_every_algorithm() -> None:
    rows = measure(states=60, actions=3, transitions=600, discount=0.9)
    assert [row.algorithm for row in rows] == ["model", *ALGORITHMS]
    assert all(row.seconds >= 0 and row.peak_mib > 0 for row in rows)


def test_the_random_dataset_has_the_requested_size() -> None:
    data = random_dataset(50, 3, 1000, length=100)
    model = Model.of(data, discount=0.9)
    assert len(data) == 1000
    assert model.states <= 50
    assert np.diff(model.transitions.indptr).max() <= 10
    assert data.terminals.sum() == 1
