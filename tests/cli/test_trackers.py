"""Curves of finished runs, written for trackers and read back."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from instinct.deep import Run, configure, train
from instinct.engine.trackers import export_runs, tracked
from tests.cli.conftest import Run as Command
from tests.deep.problems import noise_dataset

SMALL = {"layers": 1, "units": 4, "batch_size": 8, "steps": 2500}


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "a-run"
    train(Run(noise_dataset(), configure("BC", SMALL), seed=3, folder=folder, source="noise.npz"))
    return folder


def events(file: Path) -> list[Any]:
    """Read an event file: every record has its length, a checksum, the event and a checksum."""
    from tensorboardX.proto.event_pb2 import Event

    content, place, found = file.read_bytes(), 0, []
    while place < len(content):
        (length,) = struct.unpack_from("<Q", content, place)
        found.append(Event.FromString(content[place + 12 : place + 12 + length]))
        place += 16 + length
    return found


def test_tensorboard_has_every_metric_at_its_step(run_folder: Path, tmp_path: Path) -> None:
    assert export_runs("tensorboard", [run_folder], tmp_path) == 1
    (file,) = (tmp_path / "tensorboard").glob("noise-BC-original-3-*/events*")
    written = {
        (value.tag, event.step): value.simple_value
        for event in events(file)
        for value in event.summary.value
        if value.HasField("simple_value")
    }
    run = tracked(run_folder)
    assert run is not None
    steps, losses = run.metrics["step"], run.metrics["policy_loss"]
    assert steps.tolist() == [1000, 2000, 2500]
    found = [written["policy_loss", int(step)] for step in steps]
    np.testing.assert_allclose(found, losses, rtol=1e-6)
    assert written["final/action_distance", 0] == pytest.approx(run.final["action_distance"])


def test_a_run_is_written_once_and_only_if_it_has_finished(
    run_folder: Path, tmp_path: Path
) -> None:
    unfinished = tmp_path / "unfinished"
    unfinished.mkdir()
    (unfinished / "config.json").write_bytes((run_folder / "config.json").read_bytes())
    assert export_runs("tensorboard", [run_folder, unfinished], tmp_path) == 1
    assert export_runs("tensorboard", [run_folder, unfinished], tmp_path) == 0


def test_an_unknown_tracker_is_refused_before_training(run: Command, tmp_path: Path) -> None:
    outcome = run("audit", "gridworld", "--log", "neptune", "--out", str(tmp_path / "x"))
    assert outcome.code == 2
    assert "tensorboard, wandb, trackio" in outcome.err
    assert not (tmp_path / "x").exists()
