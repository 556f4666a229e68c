"""The choice of snapshots to ship."""

from pathlib import Path

import pytest

from instinct.behaviors.sac import SAC
from instinct.behaviors.selection import choose, saved_policies, select
from instinct.behaviors.shipped import behaviors, curve, ship, shipped
from instinct.behaviors.training import TrainingConfig, train
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.errors import BadInput
from instinct.tasks.evaluation import evaluate
from instinct.util.spacing import evenly_spaced


def test_choice_by_hand() -> None:
    with_noise = {0: 1.0, 10: 5.0, 20: 20.0, 30: 44.0, 40: 43.0, 50: 90.0, 60: 101.0, 70: 44.0}
    without = with_noise | {30: 80.0, 40: 46.0, 70: 44.0, 50: 130.0}
    scores = {step: (with_noise[step], without[step]) for step in with_noise}
    assert choose(scores, medium_score=44.0) == {
        "random": 0,
        "replay-1": 10,
        "replay-2": 20,
        "replay-3": 30,
        "medium": 40,
        "expert": 60,
    }


def test_replay_snapshots_are_evenly_spaced() -> None:
    assert evenly_spaced(9, 3).tolist() == [0, 4, 8]
    assert evenly_spaced(2, 3).tolist() == [0, 1]


def test_a_short_training_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="at least three snapshots"):
        choose({0: (1.0, 1.0), 10: (2.0, 2.0)}, 44.0)
    with pytest.raises(BadInput, match="no policies"):
        saved_policies(tmp_path)


def test_shipped_weights_are_the_measured_ones(tmp_path: Path) -> None:
    config = TrainingConfig(
        "hopper", SAC(units=8, batch_size=8), warm_up=100, round_steps=200, episodes=1
    )
    train(config, LocomotionTask(config.task), 600, tmp_path / "training")
    task = LocomotionTask("hopper")
    chosen, networks = select(
        task,
        tmp_path / "training",
        5.0,
        "mine",
        "the command",
        episodes=3,
        screening_episodes=2,
    )
    ship(chosen, networks, tmp_path / "training", tmp_path)
    assert shipped("hopper", "mine", tmp_path) == chosen
    assert curve("hopper", "mine", tmp_path)["step"].tolist() == [200, 400, 600]
    assert chosen.snapshots[0].name == "random"
    assert chosen.shares("medium-expert") == (("medium", 1), ("expert", 1))
    replay = chosen.shares("medium-replay")
    assert replay[0] == ("random", 1)
    assert replay[-1] == ("medium", 1)
    for snapshot in chosen.snapshots:
        again = evaluate(behaviors("hopper", "mine", tmp_path)[snapshot.name], task, 3)
        assert float(again.returns.mean()) == snapshot.mean_return
        assert float(again.lengths.mean()) == snapshot.length
