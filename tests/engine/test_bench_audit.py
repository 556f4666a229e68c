"""The plain loop that an audit is measured against does the same work."""

import jax
import numpy as np
import pytest

from instinct.bench.audit import audit_like, play_plainly, train_plainly
from instinct.deep import Run, TrainedPolicy, train
from instinct.deep.training.synthetic import hopper_like, untrained
from tests.cli.conftest import Run as Command
from tests.cli.conftest import run as run  # the fixture
from tests.deep.problems import noise_dataset
from tests.deep.test_resume import small


@pytest.mark.parametrize("name", ["BC", "PSPI"])
def test_the_plain_loop_trains_the_same_agent(name: str) -> None:
    dataset, algorithm = noise_dataset(), small(name)
    state = train_plainly(algorithm, dataset, seed=3)
    expected = train(Run(dataset, algorithm, seed=3)).weights
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5),
        algorithm.weights(state),
        expected,
    )


def test_the_plain_loop_plays_whole_episodes() -> None:
    """An untrained hopper falls; it is rewarded for every step before."""
    dataset, algorithm = hopper_like(100, 10), small("BC")
    state = untrained(algorithm, jax.random.key(0), algorithm.prepare(dataset))
    policy = TrainedPolicy(algorithm, algorithm.weights(state), dataset.action_space)
    returns = [*play_plainly(policy, 2)]
    assert len(returns) == 2
    assert all(1 < each < 1000 for each in returns)
    assert returns == [*play_plainly(policy, 2)]


def test_the_agents_of_the_benchmark() -> None:
    """BC reads no rewards: once per seed; PSPI under three labels."""
    trials = audit_like("data.npz", 10, 2, 5).final({})
    assert sorted(trial.algorithm for trial in trials) == ["BC"] * 2 + ["PSPI"] * 6
    assert {trial.settings["steps"] for trial in trials} == {10}


@pytest.mark.slow
def test_the_command(run: Command) -> None:
    found = run("bench", "audit", "--steps", 50, "--seeds", 1, "--episodes", 1, "--json").json
    assert found["agents"] == 4
    assert found["speedup"] == pytest.approx(found["plain_seconds"] / found["seconds"])
    assert found["agents_per_hour"] == pytest.approx(3600 * 4 / found["seconds"])
    assert 0 <= found["utilisation"] <= 1
