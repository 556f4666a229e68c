"""Meta-World's datasets: scripted episodes with and without the goal terminal."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from instinct.benchmarks.benchmark import episode_terminals
from instinct.benchmarks.metaworld.datasets import DEMONSTRATIONS, Demonstrations
from instinct.benchmarks.metaworld.task import MetaWorldTask
from instinct.benchmarks.registry import (
    find_dataset,
    find_recipe,
    find_task,
    goals_end,
    size_of,
    task_of,
)
from instinct.data import Dataset
from instinct.errors import BadInput
from instinct.tasks.evaluation import episode_seed
from tests.extras import needs_metaworld

pytestmark = pytest.mark.usefixtures("own_data")


SMALL = Demonstrations("reach", scripted=2, perturbed=4)


@pytest.fixture(scope="module")
def reach() -> Dataset:
    return SMALL.make()


def replay(dataset: Dataset, episode: int, environment: Any) -> list[tuple[Any, ...]]:
    """Replay the recorded actions of an episode in Meta-World's own environment."""
    rows = range(dataset.starts[episode], dataset.stops[episode])
    observation, _ = environment.reset(seed=episode_seed(0, episode))
    given = []
    for row in rows:
        following, *rest, _ = environment.step(dataset.actions[row])
        given.append((np.float32(observation), np.float32(following), *rest))
        observation = following
    return given


@needs_metaworld
def test_recorded_actions_give_the_same_episodes_in_meta_world(reach: Dataset) -> None:
    environment = MetaWorldTask("metaworld:reach", unseen=False).environment()
    assert reach.episodes == 6
    for episode in range(6):
        rows = slice(reach.starts[episode], reach.stops[episode])
        seen, following, rewards, terminals, timeouts = (
            np.array(column) for column in zip(*replay(reach, episode, environment), strict=True)
        )
        np.testing.assert_array_equal(reach.observations[rows], seen)
        np.testing.assert_array_equal(reach.next_observations[rows], following)
        np.testing.assert_array_equal(reach.rewards[rows], rewards.astype(np.float32))
        np.testing.assert_array_equal(reach.terminals[rows], terminals)
        np.testing.assert_array_equal(reach.timeouts[rows], timeouts)


@needs_metaworld
def test_scripted_episodes_succeed_and_the_others_have_noise(reach: Dataset) -> None:
    """The script of reach moves by 5 times the remaining distance and does not grip."""
    assert episode_terminals(reach).all()
    assert ((reach.rewards >= -1) & (reach.rewards <= 0)).all()
    script = np.zeros_like(reach.actions)
    script[:, :3] = 5 * (reach.observations[:, -3:] - reach.observations[:, :3])
    quiet = np.arange(len(reach)) < reach.stops[1]
    difference = reach.actions - np.clip(script, -1, 1)
    np.testing.assert_allclose(difference[quiet], 0, atol=1e-5)
    grip = reach.actions[~quiet, 3]
    inside = np.abs(grip) < 1
    assert 0.4 < np.std(grip) < 0.55, "0.5, reduced by clipping"
    assert 0.9 < inside.mean() < 0.99, "95 % of N(0, 0.5²) are within 1"


@needs_metaworld
def test_without_the_goal_terminal_the_same_episodes_go_on(reach: Dataset) -> None:
    longer = replace(SMALL, goal_terminal=False).make()
    assert (longer.lengths == 500).all()
    assert not longer.terminals.any()
    for short, long, length in zip(reach.starts, longer.starts, reach.lengths, strict=True):
        for name in ("observations", "actions", "rewards", "next_observations"):
            np.testing.assert_array_equal(
                getattr(longer, name)[long : long + length],
                getattr(reach, name)[short : short + length],
            )


@needs_metaworld
def test_made_once_and_stored(reach: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    monkeypatch.setitem(DEMONSTRATIONS, "metaworld:reach", SMALL)
    assert find_recipe("metaworld:reach").note() is None
    dataset = find_dataset("metaworld:reach", on_progress=lambda done, *_: counts.append(done))
    assert dataset.hash == reach.hash
    assert counts == sorted(counts)
    assert counts[-1] == len(dataset) <= size_of("metaworld:reach")
    note = find_recipe("metaworld:reach").note()
    assert note is not None
    assert (note["hash"], note["noise"], note["metaworld"]) == (dataset.hash, 0.5, "3.1.1")
    monkeypatch.setitem(sys.modules, "metaworld", None)
    assert find_dataset("metaworld:reach").hash == dataset.hash, "stored: needs no Meta-World"


@needs_metaworld
def test_test_goals_do_not_occur_in_the_data(reach: Dataset) -> None:
    simulation = find_task("metaworld:reach").simulation(1)
    starts = [simulation.reset(0, episode_seed(0, episode)) for episode in range(50)]
    tests = {start[-3:].astype(np.float32).tobytes() for start in starts}
    data = {row.tobytes() for row in reach.observations[reach.starts, -3:]}
    assert len(tests) == 50
    assert len(data) == 6
    assert not tests & data


def test_names() -> None:
    assert len(DEMONSTRATIONS) == 30
    assert task_of("metaworld:reach") == "metaworld:reach"
    assert task_of("metaworld:reach:no-goal-terminal") == "metaworld:reach"
    assert goals_end("metaworld:reach")
    assert not goals_end("metaworld:reach:no-goal-terminal")
    assert not goals_end("hopper-medium")
    entries = {one.entry for one in DEMONSTRATIONS.values()}
    assert len(entries) == 30


def test_impossible_datasets_are_clear_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="there are metaworld:pick-place, "):
        find_dataset("metaworld:pick-plaice")
    with pytest.raises(BadInput, match="as many transitions as its episodes take"):
        find_recipe("metaworld:push", 1000)
    monkeypatch.setitem(sys.modules, "metaworld", None)
    with pytest.raises(BadInput, match="not installed"):
        find_dataset("metaworld:push")
