"""Safety-Gymnasium's datasets: scripted episodes from reckless to cautious, with costs."""

import sys

import numpy as np
import pytest

from instinct.benchmarks.registry import find_dataset, find_recipe, nearest_names, size_of, task_of
from instinct.benchmarks.safety.datasets import DRIVES, Drives
from instinct.benchmarks.safety.task import KAPPA, SafetyTask
from instinct.data import Dataset
from instinct.errors import BadInput
from instinct.tasks.evaluation import episode_seed
from tests.extras import needs_safety

pytestmark = pytest.mark.usefixtures("own_data")


@pytest.fixture(scope="module")
def small() -> Dataset:
    return Drives("PointGoal1", episodes=4).make()


@pytest.fixture(scope="module")
def round_and_round() -> Dataset:
    return Drives("CarCircle1", episodes=4).make()


@needs_safety
def test_making_a_dataset_is_deterministic(round_and_round: Dataset) -> None:
    assert Drives("CarCircle1", episodes=4).make().hash == round_and_round.hash
    assert Drives("CarCircle1", episodes=4, seed=1).make().hash != round_and_round.hash


@needs_safety
def test_an_episode_does_not_depend_on_the_others(round_and_round: Dataset) -> None:
    alone = Drives("CarCircle1").play(range(2, 3))
    rows = slice(round_and_round.starts[2], round_and_round.stops[2])
    for name, array in round_and_round.fields():
        np.testing.assert_array_equal(alone[name].astype(array.dtype), array[rows])


@needs_safety
@pytest.mark.parametrize("data", ["small", "round_and_round"])
def test_recorded_actions_give_the_same_episode_and_costs(
    data: str, request: pytest.FixtureRequest
) -> None:
    dataset: Dataset = request.getfixturevalue(data)
    task = {"small": "PointGoal1", "round_and_round": "CarCircle1"}[data]
    environment = SafetyTask(f"safety:{task}").environment()
    seen, _ = environment.reset(seed=episode_seed(0, 1, 1))
    assert dataset.costs is not None
    for row in range(dataset.starts[1], dataset.stops[1]):
        np.testing.assert_array_equal(dataset.observations[row], seen.astype(np.float32))
        seen, reward, terminal, timeout, info = environment.step(dataset.actions[row])
        assert dataset.rewards[row] == np.float32(reward)
        assert dataset.costs[row] == info["cost"]
        assert (dataset.terminals[row], dataset.timeouts[row]) == (terminal, timeout)


@needs_safety
@pytest.mark.parametrize("data", ["small", "round_and_round"])
def test_both_safe_and_unsafe_episodes(data: str, request: pytest.FixtureRequest) -> None:
    """Cautions are 0, 0.36, 0 and 0.76."""
    dataset: Dataset = request.getfixturevalue(data)
    assert dataset.costs is not None
    costs = dataset.per_episode(dataset.costs)
    assert costs[0] > KAPPA >= costs.min()
    assert (dataset.returns > 10).all()
    assert set(np.unique(dataset.costs)) == {0, 1}


@needs_safety
def test_caution_lowers_cost_and_reward(round_and_round: Dataset) -> None:
    assert round_and_round.costs is not None
    costs, returns = round_and_round.per_episode(round_and_round.costs), round_and_round.returns
    assert costs[3] <= KAPPA < costs[1] < costs[0]
    assert returns[3] < returns[0]


@needs_safety
def test_no_test_episode_has_the_layout_of_a_recorded_one(small: Dataset) -> None:
    simulation = SafetyTask("safety:PointGoal1").simulation(1)
    tests = {
        simulation.reset(0, episode_seed(0, episode)).astype(np.float32).tobytes()
        for episode in range(8)
    }
    assert not tests & {row.tobytes() for row in small.observations[small.starts]}


@needs_safety
def test_several_processes_give_the_same_as_one() -> None:
    """Eleven episodes make two groups."""
    drives = Drives("PointCircle2", episodes=11)
    calls: list[tuple[int, int, str]] = []
    dataset = drives.make(lambda *call: calls.append(call))
    assert calls == sorted(calls)
    assert calls[-1] == (5500, 5500, "transitions")
    assert len(dataset) == 5500
    last = drives.play(range(10, 11))
    np.testing.assert_array_equal(dataset.observations[-500:], last["observations"])


@needs_safety
def test_made_once_and_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "safety:PointCircle1@500"
    assert find_recipe(name).note() is None
    dataset = find_dataset(name)
    assert (len(dataset), dataset.episodes) == (500, 1)
    note = find_recipe(name).note()
    assert note is not None
    assert (note["hash"], note["safety-gymnasium"]) == (dataset.hash, "1.0.0")
    monkeypatch.setitem(sys.modules, "safety_gymnasium", None)
    assert find_dataset(name).hash == dataset.hash, "a stored dataset needs no Safety-Gymnasium"


def test_names() -> None:
    assert len(DRIVES) == len({one.entry for one in DRIVES.values()}) == 16
    assert task_of("safety:CarPush2") == task_of("safety:CarPush2@3000") == "safety:CarPush2"
    assert size_of("safety:PointGoal1") == 300_000
    assert size_of("safety:PointCircle1@2000") == 2000
    assert "safety:PointGoal1" in nearest_names("safety:PointGaol1")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("safety:PointGoal3", "neither a file nor the name of a dataset"),
        ("safety:PointGoal1@1500", "whole episodes of 1000 transitions; ask for a multiple"),
        ("safety:PointGoal1@x", "after @ comes a number of transitions"),
        ("safety:PointCircle1@250", "whole episodes of 500 transitions"),
    ],
)
def test_impossible_datasets_are_clear_errors(name: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        find_dataset(name)


def test_a_missing_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safety_gymnasium", None)
    with pytest.raises(BadInput, match="instinct setup safety"):
        find_dataset("safety:PointGoal1")
