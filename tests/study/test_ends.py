"""What the data tell about the meaning of terminals, on cases solved by hand."""

from collections.abc import Sequence

import numpy as np
import pytest

from instinct.data import Box, Dataset
from instinct.study.ends import guess_end, terminal_facts


def recording(episodes: Sequence[tuple[Sequence[float], bool]]) -> Dataset:
    """Make a dataset from the rewards of every episode, and whether it ends in a terminal."""
    lengths = [len(rewards) for rewards, _ in episodes]
    ends = np.cumsum(lengths) - 1
    terminals = np.zeros(sum(lengths), bool)
    terminals[ends] = [terminal for _, terminal in episodes]
    timeouts = np.zeros(sum(lengths), bool)
    timeouts[ends] = ~terminals[ends]
    states = np.arange(sum(lengths) + 1.0)[:, None]
    return Dataset(
        observations=states[:-1],
        actions=np.zeros((sum(lengths), 1)),
        rewards=np.concatenate([np.array(rewards, np.float64) for rewards, _ in episodes]),
        next_observations=states[1:],
        terminals=terminals,
        timeouts=timeouts,
        action_space=Box.of(1),
    )


CASES = {
    "alive bonus": ([([1] * 3, True), ([1] * 5, True), ([1] * 9, False)], "fall"),
    "penalty at the end": ([([0, 0, -1], True), ([0, 0, -1], True)], "fall"),
    "reward at the end": ([([0, 0, 1], True), ([0] * 6, False)], "goal"),
    "every step costs": ([([-1] * 3, True), ([-1] * 7, True)], "goal"),
    "all the same": ([([1, 1], True), ([1, 1], False)], "unknown"),
    "goals and falls": ([([0, 0, 1], True), ([0, 0, -1], True)], "unknown"),
    "long and rewarded at the end": ([([1] * 3 + [9], True), ([1] * 8 + [9], True)], "unknown"),
    "one step each": ([([1], True), ([0], True)], "unknown"),
    "no terminals": ([([0, 0], False), ([0, 0], False)], "unknown"),
}


@pytest.mark.parametrize("case", CASES)
def test_lengths_and_terminal_rewards_tell_falls_from_goals(case: str) -> None:
    episodes, end = CASES[case]
    assert guess_end(terminal_facts(recording(episodes))) == end


def test_the_facts_are_means_and_shares() -> None:
    """Elsewhere the rewards are 1, 3, 1, 3: mean 2, deviation 1, so 5 is high and 4 is usual."""
    facts = terminal_facts(recording([([1, 3, 5], True), ([1, 3, 4], True)]))
    assert facts["correlation"] is None
    assert facts["terminal_rewards"] == {
        "at_terminals": 4.5,
        "elsewhere": 2.0,
        "above": 0.5,
        "below": 0.0,
    }


def test_noise_in_the_rewards_is_no_evidence() -> None:
    random = np.random.default_rng(0)
    episodes = [(random.normal(size=20).tolist(), True) for _ in range(200)]
    assert guess_end(terminal_facts(recording(episodes))) == "unknown"
