"""Facts about a dataset."""

from typing import Any

import numpy as np

from instinct.data import Box, Dataset
from instinct.study.facts import dataset_facts


def goal_data(ends_by_terminal: list[bool]) -> Dataset:
    """Episodes of 2, 3, … steps, each ending by a terminal or by a timeout."""
    lengths = np.arange(len(ends_by_terminal)) + 2
    rows = int(lengths.sum())
    ends = np.zeros(rows, bool)
    ends[np.cumsum(lengths) - 1] = True
    terminals = ends.copy()
    terminals[np.cumsum(lengths) - 1] = ends_by_terminal
    return Dataset(
        observations=np.zeros((rows, 3), np.float32),
        actions=np.zeros((rows, 2), np.float32),
        rewards=np.full(rows, -1, np.float32),
        next_observations=np.zeros((rows, 3), np.float32),
        terminals=terminals,
        timeouts=ends & ~terminals,
        action_space=Box.of(2),
    )


def behavior(found: dict[str, Any]) -> dict[str, float]:
    means: dict[str, float] = found["behavior"]
    return means


def test_a_terminal_at_the_goal_is_a_success() -> None:
    found = dataset_facts(goal_data([True, False, True, True]), "metaworld:reach")
    assert behavior(found) == {"return": -3.5, "length": 3.5, "success": 0.75}
    assert found["points"] == [[2, 1], [3, 0], [4, 1], [5, 1]]


def test_without_terminals_success_is_not_known() -> None:
    assert "success" not in behavior(dataset_facts(goal_data([False, False]), "metaworld:reach"))


def test_a_fall_is_no_success() -> None:
    found = behavior(dataset_facts(goal_data([True, False]), "hopper"))
    assert {*found} == {"return", "length", "score"}
    assert {*behavior(dataset_facts(goal_data([True, False]), ""))} == {"return", "length"}


def test_facts_of_a_dataset_made_here_name_its_behavior() -> None:
    data = goal_data([True, False])
    assert dataset_facts(data, "hopper", "hopper-medium:sac-0@500")["recorded_from"] == (
        "sac-0 at 200,000"
    )
    assert "recorded_from" not in dataset_facts(data, "hopper", "d4rl:hopper-medium-v2")
    assert "recorded_from" not in dataset_facts(data, "hopper", "somewhere/file.npz")
    assert "recorded_from" not in dataset_facts(data, "hopper")
