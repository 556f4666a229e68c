"""Learning with `standardize` equals learning from data that were standardized before."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.data import Dataset
from instinct.deep import configure
from instinct.deep.algorithms.algorithm import Algorithm, State
from instinct.deep.training.loop import advance, begin, stage_key
from instinct.deep.training.run_training import stages
from tests.deep.problems import noise_dataset

SMALL: dict[str, Any] = {"layers": 2, "units": 8, "batch_size": 16, "steps": 30}
GAME = SMALL | {"warm_start_steps": 20}


def trained(algorithm: Algorithm, dataset: Dataset) -> State:
    data = jax.tree.map(jnp.asarray, algorithm.prepare(dataset))
    state = None
    for stage in stages(algorithm):
        key = stage_key(stage, 0)
        state = begin(stage, key, data, state)
        state, _, bad = advance(stage, state, data, key, 0, int(stage.steps))
        assert bad == -1
    assert state is not None
    return algorithm.weights(state)


@pytest.fixture(name="loud")
def loud_dataset() -> Dataset:
    """Observations with one number in the hundreds, one near 5 and one constant."""
    quiet = noise_dataset()
    changed = {
        name: (getattr(quiet, name) * [300, 0.02, 0] + [0, 5, 7]).astype(np.float32)
        for name in ("observations", "next_observations")
    }
    return quiet.change(**changed)


@pytest.mark.parametrize(
    ("name", "settings"),
    [("BC", SMALL), ("BC", SMALL | {"held_out": 0.25}), ("ATAC", GAME), ("PSPI", GAME)],
)
def test_the_policy_takes_unscaled_observations(
    loud: Dataset, name: str, settings: dict[str, Any]
) -> None:
    algorithm = configure(name, settings | {"standardize": True})
    acts = algorithm.mode(trained(algorithm, loud), jnp.asarray(loud.observations))

    rows = algorithm.prepare(loud).rows
    scaled = {
        field: (getattr(loud, field) - rows["mean"]) / rows["std"]
        for field in ("observations", "next_observations")
    }
    plain = configure(name, settings)
    expected = plain.mode(
        trained(plain, loud.change(**scaled)), jnp.asarray(scaled["observations"])
    )
    np.testing.assert_allclose(acts, expected, atol=2e-4)
    assert np.ptp(np.asarray(acts), axis=0).min() > 0.01, "the actions depend on the observations"


def test_training_data_have_mean_0_and_deviation_1(loud: Dataset) -> None:
    rows = configure("PSPI", GAME | {"standardize": True}).prepare(loud).rows
    np.testing.assert_allclose(rows["observations"].mean(axis=0), 0, atol=1e-4)
    np.testing.assert_allclose(rows["observations"].std(axis=0), [1, 1, 0], atol=1e-3)
    difference = loud.next_observations - loud.observations
    np.testing.assert_allclose(
        (rows["next_observations"] - rows["observations"]) * rows["std"], difference, atol=1e-2
    )
