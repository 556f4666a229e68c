"""The choice of a default behavior by the facts of its data."""

import json
import math
from pathlib import Path

import pytest

from instinct.behaviors.choice import (
    FILE,
    Fact,
    choices,
    compare,
    default_behavior,
    distance,
    write_choices,
)
from instinct.behaviors.shipped import FOLDER, shipped_tasks
from instinct.benchmarks.locomotion.d4rl_facts import D4RL_FACTS
from instinct.paper.tables import table

WANTED = (Fact("score", 40.0, 10.0), Fact("length", 400.0, 100.0))


def test_distance_by_hand() -> None:
    """5 of 10 points and 100 of 100 steps: (0.5 + 1) / 2."""
    assert distance({"score": 45.0, "length": 300.0}, WANTED) == 0.75
    assert distance({"score": 40.0, "length": 400.0, "other": 7.0}, WANTED) == 0


def test_a_fact_that_was_not_measured_is_infinitely_far() -> None:
    assert math.isinf(distance({"score": 40.0}, WANTED))


def test_the_nearest_is_the_default_and_is_recorded(tmp_path: Path) -> None:
    measured = {
        "sac-0": {"score": 45.0, "length": 300.0},
        "sac-1": {"score": 43.0, "length": 430.0},
        "sac-2": {"score": 37.0, "length": 370.0},
    }
    found = compare("medium", 100, WANTED, measured)
    assert [each.distance for each in found.candidates] == pytest.approx([0.75, 0.3, 0.3])
    assert found.default == "sac-1", "the first of equals"
    write_choices("hopper", [found], tmp_path)
    assert choices("hopper", tmp_path) == {"medium": found}
    assert default_behavior("hopper", "medium", tmp_path) == "sac-1"
    assert default_behavior("hopper", "medium-expert", tmp_path) == "sac-1"
    assert default_behavior("hopper", "expert", tmp_path) == "sac-0"
    assert default_behavior("walker2d", "medium", tmp_path) == "sac-0", "there is no choice"
    (row,) = json.loads((tmp_path / "hopper" / FILE).read_text())["choices"]
    assert row["default"] == "sac-1"


@pytest.mark.parametrize("task", [task for task in shipped_tasks() if choices(task)])
def test_the_recorded_choices_follow_from_the_recorded_facts(task: str) -> None:
    rows = json.loads((FOLDER / task / FILE).read_text())["choices"]
    assert [row["default"] for row in rows] == [each.default for each in choices(task).values()]
    for quality, choice in choices(task).items():
        assert choice.wanted == D4RL_FACTS[task, quality]
        for each in choice.candidates:
            assert each.distance == distance(each.measured, choice.wanted)


@pytest.mark.parametrize(("task", "quality"), D4RL_FACTS)
def test_scores_and_lengths_are_those_of_the_papers_tables(task: str, quality: str) -> None:
    wanted = {fact.name: fact.value for fact in D4RL_FACTS[task, quality]}
    for name, fact in (("d4rl_scores", "score"), ("d4rl_episode_lengths", "length")):
        means = [
            row.mean
            for row in table(name)
            if (row.algorithm, row.dataset) == ("behavior", f"{task}-{quality}")
        ]
        assert means == ([wanted[fact]] if fact in wanted else []), "no lengths of halfcheetah"
