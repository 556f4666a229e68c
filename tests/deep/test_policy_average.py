"""The average of a policy's weights that acts in the end."""

from pathlib import Path

import jax
import numpy as np
import pytest

from instinct.deep import Pace, Run, StageProgress, State, configure, train
from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.training.run_training import stages
from instinct.errors import BadInput
from tests.deep.problems import noise_dataset

SMALL = {"layers": 1, "units": 8, "batch_size": 16, "warm_start_steps": 10, "slow_rate": 1e-2}
OFTEN = Pace(report_steps=5, checkpoint_seconds=0)


def trained(algorithm: Algorithm, updates: int) -> list[State]:
    """The states before the first and after every update."""
    key = jax.random.key(3)
    data = algorithm.prepare(noise_dataset())
    state = None
    for stage in stages(algorithm):
        state = stage.init(key, data, state)
    assert state is not None
    states = [state]
    for step in range(updates):
        sample_key, update_key = jax.random.split(jax.random.fold_in(key, step))
        state, _ = algorithm.update(state, algorithm.sample(state, data, sample_key), update_key)
        states.append(state)
    return states


def test_the_papers_final_policy_is_the_last() -> None:
    algorithm = configure("PSPI", SMALL)
    first, *later = trained(algorithm, 4)
    for state in later:
        jax.tree.map(
            np.testing.assert_array_equal, algorithm.weights(state)["policy"], state.policy.params
        )
    assert not np.array_equal(
        first.policy.params[0]["weight"], later[-1].policy.params[0]["weight"]
    )


@pytest.mark.parametrize("name", ["ATAC", "PSPI"])
def test_weights_fall_geometrically_with_age(name: str) -> None:
    """After n updates policy k counts ρ(1−ρ)ⁿ⁻ᵏ and the warm start (1−ρ)ⁿ."""
    rho, n = 0.25, 6
    algorithm = configure(name, SMALL | {"policy_average": rho})
    states = trained(algorithm, n)
    shares = [(1 - rho) ** n] + [rho * (1 - rho) ** (n - k) for k in range(1, n + 1)]

    def compare(average: jax.Array, *policies: jax.Array) -> None:
        expected = sum(
            share * np.asarray(policy, float)
            for share, policy in zip(shares, policies, strict=True)
        )
        np.testing.assert_allclose(average, expected, rtol=1e-5, atol=1e-6)

    average = algorithm.weights(states[-1])["policy"]
    jax.tree.map(compare, average, *(state.policy.params for state in states))


def test_averaging_changes_only_what_acts() -> None:
    """Nothing else in the training state depends on the rate of the average."""
    plain = trained(configure("ATAC", SMALL), 4)[-1]
    averaged = trained(configure("ATAC", SMALL | {"policy_average": 0.1}), 4)[-1]
    for state in (plain, averaged):
        assert jax.tree.structure(state.average) == jax.tree.structure(state.policy.params)  # type: ignore[operator]
    without = (state._replace(average=()) for state in (plain, averaged))
    jax.tree.map(np.testing.assert_array_equal, *without)


def test_stopped_in_the_middle(tmp_path: Path) -> None:
    algorithm = configure("PSPI", SMALL | {"policy_average": 0.05, "steps": 20})
    whole = train(Run(noise_dataset(), algorithm), pace=OFTEN)
    run = Run(noise_dataset(), algorithm, folder=tmp_path)

    class Stopped(Exception):
        pass

    def stop(progress: StageProgress) -> None:
        if progress.stage == "PSPI" and progress.step == 15:
            raise Stopped

    with pytest.raises(Stopped):
        train(run, pace=OFTEN, on_progress=stop)
    resumed = train(run, pace=OFTEN)
    jax.tree.map(np.testing.assert_array_equal, resumed.weights, whole.weights)


@pytest.mark.parametrize("rate", [0, -0.1, 1.5])
def test_impossible_rates(rate: float) -> None:
    with pytest.raises(BadInput, match="policy_average"):
        configure("PSPI", {"policy_average": rate})
