"""Runs that an earlier version interrupted are resumed, and end as that version ended them."""

import shutil
from pathlib import Path

import jax
import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from instinct.data import read, relabel
from instinct.deep import Outcome, Pace, Run, configure, load_run, train
from instinct.errors import BadInput
from instinct.util.jsonio import read_json

FIXTURE = Path(__file__).parent.parent / "old_version"
PACE = Pace(report_steps=10, checkpoint_seconds=0)
FORMER = [folder.name.removesuffix("-stopped") for folder in FIXTURE.glob("runs/*-stopped")]
"""The algorithms that the earlier version had."""
RELATIVE, ABSOLUTE = 1e-3, 1e-5
"""Tolerances, because the CPU may be another one than that of the fixture."""


def interrupted(name: str, folder: Path) -> Run:
    """A copy of a run that the earlier version stopped with a checkpoint of step 20 of 40."""
    shutil.copytree(FIXTURE / "runs" / f"{name}-stopped", folder)
    config = read_json(folder / "config.json")
    dataset = relabel(read(FIXTURE / "tiny.npz"), config["label"], config["seed"])
    algorithm = configure(config["algorithm"], config["settings"])
    return Run(dataset, algorithm, config["seed"], config["label"], folder, config["source"])


def assert_close(found: Outcome, expected: Outcome) -> None:
    assert (found.failure, expected.failure) == ("", "")
    jax.tree.map(
        lambda one, other: np.testing.assert_allclose(one, other, RELATIVE, ABSOLUTE),
        found.weights,
        expected.weights,
    )
    assert [*found.metrics] == [*expected.metrics]
    for name, column in expected.metrics.items():
        np.testing.assert_allclose(found.metrics[name], column, RELATIVE, ABSOLUTE)


@pytest.mark.parametrize("name", FORMER)
def test_a_run_of_the_earlier_version_is_resumed(name: str, tmp_path: Path) -> None:
    run = interrupted(name, tmp_path / "run")
    steps: list[int] = []
    outcome = train(run, pace=PACE, on_progress=lambda progress: steps.append(progress.step))
    assert steps == [30, 40], "only the last twenty steps were missing"
    expected = load_run(FIXTURE / "runs" / f"{name}-finished").outcome
    assert_close(outcome, expected)
    assert_close(load_run(run.folder or Path()).outcome, expected)


def spoil(path: Path, leaf: str, change: str) -> None:
    arrays = load_file(path)
    with safe_open(path, framework="numpy") as file:
        notes = file.metadata()
    if change == "missing":
        del arrays[leaf]
    elif change == "surplus":
        arrays[leaf] = np.zeros(1)
    elif change == "shape":
        arrays[leaf] = np.zeros((2, *arrays[leaf].shape), arrays[leaf].dtype)
    elif change == "type":
        arrays[leaf] = arrays[leaf].astype(np.float64)
    else:
        notes["step"] = "many"
    save_file(arrays, path, notes)


@pytest.mark.parametrize(
    ("leaf", "change"),
    [
        ("state/policy_optimizer/count", "missing"),
        ("state/other", "surplus"),
        ("state/policy/log_std", "shape"),
        ("state/policy/log_std", "type"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused(leaf: str, change: str, tmp_path: Path) -> None:
    run = interrupted("BC", tmp_path / "run")
    path = tmp_path / "run" / "checkpoint.safetensors"
    spoil(path, leaf, change)
    with pytest.raises(BadInput) as caught:
        train(run, pace=PACE)
    assert caught.value.file == path


def test_a_checkpoint_without_its_step_is_trained_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = interrupted("BC", tmp_path / "run")
    spoil(tmp_path / "run" / "checkpoint.safetensors", "", "step")
    assert not train(run, pace=PACE).failure
    assert "BC is trained from its beginning" in caplog.text
