"""An interrupted run ends with the same weights as one that was not interrupted."""

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import pytest
from safetensors.numpy import save

from instinct.data import ActionSpace, Dataset
from instinct.deep import Outcome, Pace, Run, StageProgress, configure, load_run, train
from instinct.deep.algorithms.algorithm import Algorithm
from instinct.errors import BadInput
from tests.deep.problems import discrete_noise_dataset, noise_dataset

OFTEN = Pace(report_steps=10, checkpoint_seconds=0)
SMALL = {"layers": 1, "units": 8, "batch_size": 16, "steps": 30}


MODEL: dict[str, float] = {
    "model_steps": 20,
    "model_layers": 1,
    "model_units": 8,
    "model_batch": 16,
    "members": 2,
    "reward_steps": 20,
    "rollouts": 4,
    "buffer": 40,
}


def small(name: str, space: ActionSpace | None = None, /, **settings: float) -> Algorithm:
    special: dict[str, dict[str, float]] = {
        "ATAC": {"warm_start_steps": 20, "slow_rate": 1e-3},
        "PSPI": {"warm_start_steps": 20, "slow_rate": 1e-3},
        "AWR": {"value_steps": 20},
        "EDAC": {"critics": 3},
        "MOPO": MODEL,
        "ARMOR": MODEL | {"warm_start_steps": 20, "slow_rate": 1e-3},
        "DT": {"context": 3, "horizon": 5, "return_scale": 10},
    }
    return configure(name, SMALL | special.get(name, {}) | settings, space)


class Stopped(Exception):
    pass


def assert_equal(one: Outcome, other: Outcome) -> None:
    jax.tree.map(np.testing.assert_array_equal, one.weights, other.weights)
    assert list(one.metrics) == list(other.metrics)
    for name, column in one.metrics.items():
        np.testing.assert_array_equal(column, other.metrics[name])
    assert list(one.snapshots) == list(other.snapshots)
    jax.tree.map(np.testing.assert_array_equal, one.snapshots, other.snapshots)
    assert one.diagnostics == other.diagnostics


@pytest.mark.parametrize(
    ("name", "make"),
    [
        *itertools.product(["ATAC", "IQL", "DT", "AWR"], [noise_dataset, discrete_noise_dataset]),
        *itertools.product(["TD3+BC", "ReBRAC", "EDAC", "MOPO"], [noise_dataset]),
        pytest.param("ARMOR", noise_dataset, marks=pytest.mark.slow),
    ],
)
def test_stopped_anywhere(name: str, make: Callable[[], Dataset], tmp_path: Path) -> None:
    """The run is stopped at every report of every stage, and resumed each time."""
    dataset = make()
    algorithm = small(name, dataset.action_space)
    whole = train(Run(dataset, algorithm), pace=OFTEN)
    run = Run(dataset, algorithm, folder=tmp_path)
    seen: list[tuple[str, int]] = []

    def stop_when_new(progress: StageProgress) -> None:
        if (progress.stage, progress.step) not in seen:
            seen.append((progress.stage, progress.step))
            raise Stopped

    outcome = None
    while outcome is None:
        try:
            outcome = train(run, pace=OFTEN, on_progress=stop_when_new)
        except Stopped:
            continue
    assert len(seen) == {"ATAC": 7, "AWR": 5, "MOPO": 7, "ARMOR": 9}.get(name, 3)
    assert list(whole.snapshots) == [10, 20], "the first reports after a quarter and a half"
    assert len(whole.diagnostics) == {"DT": 0, "AWR": 1}.get(name, 5)
    assert_equal(outcome, whole)
    assert_equal(load_run(tmp_path).outcome, whole)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "config.json",
        "metrics.csv",
        "result.json",
        "snapshots.safetensors",
        "weights.safetensors",
    ]
    assert_equal(train(run), whole)


def test_a_run_without_snapshots_and_diagnostics_is_readable(tmp_path: Path) -> None:
    """Earlier versions wrote neither."""
    run = Run(noise_dataset(), small("IQL"), folder=tmp_path)
    whole = train(run, pace=OFTEN)
    (tmp_path / "snapshots.safetensors").unlink()
    (tmp_path / "result.json").write_text('{"status": "finished", "failure": ""}')
    found = load_run(tmp_path).outcome
    assert (found.snapshots, found.diagnostics) == ({}, {})
    jax.tree.map(np.testing.assert_array_equal, found.weights, whole.weights)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("snapshots.safetensors", b"damaged"),
        ("snapshots.safetensors", save({"policy/weight": np.zeros(3)})),
        ("snapshots.safetensors", save({"10": np.zeros(3)})),
        ("result.json", b'{"failure": "", "diagnostics": [1]}'),
        ("result.json", b'{"failure": "", "diagnostics": {"live_units": "many"}}'),
    ],
)
def test_damaged_snapshots_and_diagnostics_are_refused(
    tmp_path: Path, file: str, content: bytes
) -> None:
    train(Run(noise_dataset(), small("BC"), folder=tmp_path), pace=OFTEN)
    (tmp_path / file).write_bytes(content)
    with pytest.raises(BadInput, match=file):
        load_run(tmp_path)


def test_steps_per_report_do_not_matter() -> None:
    run = Run(noise_dataset(), small("ATAC"))
    one, other = train(run, pace=Pace(report_steps=7)), train(run, pace=Pace(report_steps=1000))
    jax.tree.map(np.testing.assert_array_equal, one.weights, other.weights)
    assert one.metrics["step"].tolist() == [7, 14, 21, 28, 30]


def test_a_run_shorter_than_a_report_has_no_snapshots(tmp_path: Path) -> None:
    outcome = train(Run(noise_dataset(), small("BC"), folder=tmp_path))
    assert outcome.snapshots == load_run(tmp_path).outcome.snapshots == {}
    assert not (tmp_path / "snapshots.safetensors").exists()


def test_a_folder_holds_one_run(tmp_path: Path) -> None:
    train(Run(noise_dataset(), small("IQL"), folder=tmp_path), pace=OFTEN)
    with pytest.raises(BadInput, match="holds another run"):
        train(Run(noise_dataset(), small("IQL"), seed=1, folder=tmp_path))


def test_another_checkpoint_is_refused(tmp_path: Path) -> None:
    def stop(progress: StageProgress) -> None:
        if progress.step == 20:
            raise Stopped

    for seed in (0, 1):
        run = Run(noise_dataset(), small("IQL"), seed, folder=tmp_path / str(seed))
        with pytest.raises(Stopped):
            train(run, pace=OFTEN, on_progress=stop)
    (tmp_path / "0" / "checkpoint.safetensors").replace(tmp_path / "1" / "checkpoint.safetensors")
    with pytest.raises(BadInput, match="checkpoint of another run"):
        train(Run(noise_dataset(), small("IQL"), 1, folder=tmp_path / "1"))


def test_divergence_names_the_step(tmp_path: Path) -> None:
    algorithm = small("IQL", rate=1e9)
    outcome = train(Run(noise_dataset(), algorithm, folder=tmp_path), pace=OFTEN)
    again = train(Run(noise_dataset(), algorithm), pace=Pace(report_steps=1))
    assert outcome.failure.startswith("IQL diverged at step ")
    step = int(outcome.failure.split()[4].rstrip(":"))
    assert again.metrics["step"][-1] == step + 1
    assert load_run(tmp_path).outcome.failure == outcome.failure


def test_a_failed_warm_start_fails_the_run(tmp_path: Path) -> None:
    run = Run(noise_dataset(), small("ATAC", fast_rate=1e12), folder=tmp_path)
    assert "diverged at step" in train(run, pace=OFTEN).failure
    assert "diverged at step" in load_run(tmp_path).outcome.failure


SCRIPT = """
import sys
from pathlib import Path
from instinct.deep import Pace, Run, configure, cache_programs, train
from tests.deep.problems import noise_dataset
cache_programs(Path(sys.argv[1]).parent / "programs")
settings = {"layers": 1, "units": 8, "batch_size": 16, "steps": 40_000, "warm_start_steps": 10_000}
run = Run(noise_dataset(), configure("ATAC", settings), folder=Path(sys.argv[1]))
train(run, pace=Pace(report_steps=100, checkpoint_seconds=0))
"""


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """The process is killed five times, each at a random moment after a checkpoint."""

    def start(folder: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path / folder)])

    def checkpoints() -> set[tuple[str, int]]:
        files = (tmp_path / "killed").glob("*.safetensors")
        return {(file.name, file.stat().st_mtime_ns) for file in files}

    assert start("whole").wait() == 0
    random = np.random.default_rng(int.from_bytes(os.urandom(4)))
    for _ in range(5):
        before, process = checkpoints(), start("killed")
        while checkpoints() <= before and process.poll() is None:
            time.sleep(0.01)
        time.sleep(random.uniform(0, 0.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not (tmp_path / "killed" / "result.json").exists()
    assert start("killed").wait() == 0
    assert_equal(load_run(tmp_path / "killed").outcome, load_run(tmp_path / "whole").outcome)
