"""Snapshots chosen by D4RL's facts."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from instinct.behaviors.choice import Fact
from instinct.behaviors.collection import divide
from instinct.behaviors.sac import SAC
from instinct.behaviors.shipped import ship, shipped
from instinct.behaviors.training import TrainingConfig, train
from instinct.benchmarks.locomotion.data_facts import data_facts
from instinct.benchmarks.locomotion.selection import (
    interval_steps,
    mixture,
    replay_intervals,
    replay_rounds,
    select_nearest,
    wanted_facts,
)
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.data import Box, Dataset
from instinct.errors import BadInput

HOPPER = LocomotionTask("hopper")


def test_facts_of_data_by_hand() -> None:
    """Episodes of 2, 4 and 3 steps with reward 100 a step; the third recording is cut."""
    ends = np.array([0, 1, 0, 0, 0, 1, 0, 0, 1], bool)
    terminals = ends.copy()
    terminals[-1] = False
    after = np.zeros((9, 11), np.float32)
    after[1, :2] = 0.6, -0.1
    after[5, :2] = 0.7, 0.1
    dataset = Dataset(
        observations=np.roll(after, 1, axis=0) * ~np.roll(ends, 1)[:, None],
        actions=np.zeros((9, 3), np.float32),
        rewards=np.full(9, 100, np.float32),
        next_observations=after,
        terminals=terminals,
        timeouts=ends & ~terminals,
        action_space=Box.of(3),
    )
    facts = data_facts(dataset, HOPPER)
    assert facts == pytest.approx(
        {
            "score": 100 * (300 + 20.272305) / (3234.3 + 20.272305),
            "length": 3,
            "length_spread": 1.8,
            "end_height": 0.65,
            "end_pitch_5": -0.09,
            "end_pitch": 0.0,
            "end_pitch_95": 0.09,
        },
        abs=1e-6,
    )


def test_parts_of_a_replay_grow_and_cover_all_rounds() -> None:
    assert replay_intervals(16, 4) == [(0, 1), (1, 4), (4, 9), (9, 16)]
    assert [each.snapshot for each in replay_intervals(16, 4)] == [0, 3, 7, 13]
    assert [each.snapshot for each in replay_intervals(4, 4)] == [0, 2, 3, 4]
    assert replay_intervals(4, 4) == [(0, 1), (1, 2), (2, 3), (3, 4)]
    for rounds in range(8, 60):
        intervals = replay_intervals(rounds)
        assert intervals[0].start == 0
        assert intervals[-1].stop == rounds
        assert all(a.stop == b.start < b.stop for a, b in itertools.pairwise(intervals))


def test_a_mixture_by_hand() -> None:
    """10,000 steps of episodes of 10 and 30,000 of episodes of 30: as many of either kind."""
    measured = [{"length": 10.0, "score": 1.0}, *4 * [{"length": 30.0, "score": 5.0}]]
    found = mixture(measured, range(0, 50_000, 10_000), replay_intervals(4, 2))
    assert found == pytest.approx({"length": 40 / (10 / 10 + 30 / 30), "score": 3.0})


def test_the_untrained_policy_stands_for_the_random_actions_only() -> None:
    intervals = replay_intervals(16, 4)
    short_rounds, long_rounds = range(0, 170_000, 10_000), range(0, 340_000, 20_000)
    assert interval_steps(intervals, short_rounds) == [10_000, 30_000, 50_000, 70_000]
    assert interval_steps(intervals, long_rounds) == [10_000, 70_000, 100_000, 140_000]


def test_the_replay_ends_where_its_mean_length_is_nearest() -> None:
    measured = [{"length": 10.0 * (i + 1), "score": 0.0} for i in range(20)]
    steps = range(0, 200_000, 10_000)
    lengths = {n: mixture(measured, steps, replay_intervals(n))["length"] for n in range(8, 20)}
    wanted = (Fact("length", lengths[13] + 0.1, 100.0),)
    assert replay_rounds(measured, steps, wanted) == 13
    with pytest.raises(BadInput, match="at least 8 rounds"):
        replay_rounds(measured[:8], steps[:8], wanted)


def test_transitions_are_divided_in_proportion() -> None:
    assert divide(10, [1, 1, 1]) == [3, 3, 4]
    assert divide(1000, [1, 3, 6]) == [100, 300, 600]


def test_selected_policies_are_shipped_with_their_shares(tmp_path: Path) -> None:
    config = TrainingConfig(
        "hopper", SAC(units=8, batch_size=8), warm_up=100, round_steps=200, episodes=1
    )
    train(config, HOPPER, 1800, tmp_path / "training")
    chosen, networks = select_nearest(
        HOPPER,
        tmp_path / "training",
        "mine",
        "the command",
        transitions=400,
        screening_transitions=300,
        episodes=2,
    )
    ship(chosen, networks, tmp_path / "training", tmp_path)
    again = shipped("hopper", "mine", tmp_path)
    assert again == chosen
    assert [share.snapshot for share in again.replay] == [f"replay-{i}" for i in range(1, 9)]
    assert sum(share.weight for share in again.replay) in (1600, 1800)
    assert again.snapshot("replay-1").step == 0
    assert again.has("medium")
    assert again.has("medium-replay")
    assert not again.has("expert")
    assert not again.has("medium-expert")


def test_a_quality_without_facts_is_refused() -> None:
    with pytest.raises(BadInput, match="no facts of D4RL's are known for hopper-expert"):
        wanted_facts("hopper", "expert")
