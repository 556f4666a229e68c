"""Training of behaviors: exact resumption, and learning."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from instinct.behaviors.sac import SAC
from instinct.behaviors.training import TrainingConfig, train
from instinct.benchmarks.gymnasium.task import GymTask
from instinct.deep.training.checkpoint import load_arrays
from instinct.errors import BadInput

SMALL = TrainingConfig(
    "gym:InvertedPendulum-v5",
    SAC(units=16, batch_size=16),
    environments=2,
    warm_up=200,
    capacity=500,
    round_steps=400,
    episodes=2,
)


def test_a_resumed_training_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    whole = train(SMALL, GymTask(SMALL.task), 1200, tmp_path / "whole")
    train(SMALL, GymTask(SMALL.task), 400, tmp_path / "cut")
    cut = train(SMALL, GymTask(SMALL.task), 1200, tmp_path / "cut")
    assert [p.mean_return for p in whole] == [p.mean_return for p in cut]
    assert [p.step for p in cut] == [400, 800, 1200]
    mine, _ = load_arrays(tmp_path / "whole" / "checkpoint.safetensors")
    other, _ = load_arrays(tmp_path / "cut" / "checkpoint.safetensors")
    for name in mine:
        if name != "curve":
            np.testing.assert_array_equal(mine[name], other[name])


def test_the_folder_holds_the_curve_and_a_policy_per_round(tmp_path: Path) -> None:
    train(SMALL, GymTask(SMALL.task), 800, tmp_path)
    rows = list(csv.DictReader((tmp_path / "curve.csv").read_text().splitlines()))
    assert [int(row["step"]) for row in rows] == [400, 800]
    assert all(float(row["mean_length"]) >= 3 for row in rows)
    names = [path.stem for path in sorted((tmp_path / "policies").iterdir())]
    assert names == ["00000000", "00000400", "00000800"]


def test_a_folder_of_another_training_is_refused(tmp_path: Path) -> None:
    train(SMALL, GymTask(SMALL.task), 400, tmp_path)
    with pytest.raises(BadInput, match="another training"):
        train(replace(SMALL, seed=1), GymTask(SMALL.task), 400, tmp_path)


@pytest.mark.slow
def test_learns_to_balance_a_pendulum(tmp_path: Path) -> None:
    plan = TrainingConfig(
        "gym:InvertedPendulum-v5",
        SAC(units=64, batch_size=64, rate=1e-3),
        warm_up=1000,
        round_steps=2000,
        episodes=5,
    )
    curve = train(plan, GymTask(plan.task), 20_000, tmp_path)
    assert max(point.mean_return for point in curve) > 900
