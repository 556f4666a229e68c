"""The audit that is measured, and the plain loops beside it, do the same work."""

import os
from pathlib import Path

import jax
import numpy as np
import pytest

from instinct.bench import audit, plain_loop
from instinct.bench.audit import AgentTime, Audit, Loop, first_of_each, loop_speed, scaled_audit
from instinct.bench.empty_cache import empty_cache
from instinct.benchmarks.registry import find_task
from instinct.deep import Run, TrainedPolicy, train
from instinct.deep.training.synthetic import hopper_like, untrained
from instinct.util.folders import cache_folder, program_folder
from tests.cli.conftest import Run as Command
from tests.cli.conftest import run as run  # the fixture
from tests.deep.problems import noise_dataset
from tests.deep.test_resume import small


@pytest.mark.parametrize("name", ["BC", "PSPI"])
def test_the_plain_loop_trains_the_same_agent(name: str) -> None:
    dataset, algorithm = noise_dataset(), small(name)
    found = plain_loop.train(algorithm, dataset, seed=3)
    expected = train(Run(dataset, algorithm, seed=3)).weights
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5),
        found.weights,
        expected,
    )


def test_the_plain_loop_plays_whole_episodes() -> None:
    """An untrained hopper falls; it is rewarded for every step before."""
    dataset, algorithm = hopper_like(100, 10), small("BC")
    state = untrained(algorithm, jax.random.key(0), algorithm.prepare(dataset))
    policy = TrainedPolicy(algorithm, algorithm.weights(state), dataset.action_space)
    environment = find_task("hopper").environment()
    found = [*plain_loop.play(policy, environment, 2)]
    assert len(found) == 2
    assert all(1 < total < 1000 and 1 < length < 1000 for total, length in found)
    assert found == [*plain_loop.play(policy, environment, 2)]


def test_the_agents_of_the_benchmark() -> None:
    """BC reads no rewards: once per seed; ATAC and PSPI under four labels."""
    trials = scaled_audit("data.npz", "hopper", 0.1, 3).final({})
    names = [trial.algorithm for trial in trials]
    assert [names.count(name) for name in ("BC", "ATAC", "PSPI")] == [3, 12, 12]
    assert {trial.label for trial in trials} == {"original", "zero", "random", "negative"}
    assert {trial.episodes for trial in trials} == {5}
    steps = {trial.algorithm: trial.settings for trial in trials}
    assert steps["BC"]["steps"] == 4000
    assert steps["PSPI"] == steps["ATAC"]
    stages = ("cloning_steps", "warm_start_steps", "steps")
    assert [steps["PSPI"][name] for name in stages] == [4000, 2000, 2400]
    assert {trial.algorithm for trial in first_of_each(trials)} == {"BC", "ATAC", "PSPI"}
    assert {trial.label for trial in first_of_each(trials)} == {"original"}


def test_the_time_of_all_agents_is_calculated() -> None:
    """3 of BC at 10 s, 12 of ATAC at 100 s; 500 test steps at 0.01 s."""
    trials = [t for t in scaled_audit("a", "hopper", 1, 3).final({}) if t.algorithm != "PSPI"]
    loop = Loop("slow", 1, lambda *_: None, lambda *_: None, lambda *_: iter(()))
    times = [AgentTime("BC", 10.0, 150, 1.0), AgentTime("ATAC", 100.0, 50, 1.0)]
    took = Audit(seconds=100.0, utilisation=1.0, test_steps=500)
    found = loop_speed(loop, times, trials, took)
    assert (found.measured_agents, found.calculated_agents) == (2, 15)
    assert found.calculated_seconds == pytest.approx(3 * 10 + 12 * 100 + 500 * 0.01)
    assert found.speedup == pytest.approx(12.35)
    both = [*times, AgentTime("ATAC", 200.0, 200, 2.0)]
    assert loop_speed(loop, both, trials, took).calculated_seconds == pytest.approx(
        3 * 10 + 12 * 150 + 500 * 0.01
    )


def test_an_empty_cache_is_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSTINCT_CACHE", "mine")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    with empty_cache(tmp_path):
        assert cache_folder() == tmp_path
        assert tmp_path in program_folder().parents
    assert os.environ["INSTINCT_CACHE"] == "mine"
    assert "XDG_CACHE_HOME" not in os.environ


@pytest.mark.slow
@pytest.mark.parametrize("torch", [False, True])
def test_the_command(
    run: Command, own_data: Path, torch: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if torch:
        pytest.importorskip("torch", reason="PyTorch is not installed")
    else:
        monkeypatch.setattr(audit, "has_torch", lambda: False)
    options = ("--fraction", 0.0005, "--seeds", 1)
    found = run("bench", "audit", "hopper-medium@2000", *options, "--json").json
    assert found["agents"] == 9
    assert found["agents_per_hour"] == pytest.approx(3600 * 9 / found["seconds"])
    assert 0 <= found["utilisation"] <= 1
    assert len(found["loops"]) == 1 + torch
    first, last = found["loops"][0], found["loops"][-1]
    assert (found["speedup"], found["speedup_over"]) == (first["speedup"], first["loop"])
    assert first["loop"].startswith("PyTorch") == torch
    assert last["loop"] == "compiled steps, one call each"
    assert first["speedup"] == pytest.approx(first["calculated_seconds"] / found["seconds"])
    assert first["measured_agents"] == 3
