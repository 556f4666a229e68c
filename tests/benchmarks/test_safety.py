"""Safety-Gymnasium's tasks: determinism, costs, scores, errors."""

import sys
from typing import Any

import numpy as np
import pytest

from instinct.benchmarks.registry import find_task
from instinct.benchmarks.safety import compat as safety_compat
from instinct.benchmarks.safety.task import KAPPA, SETUPS, SafetyTask
from instinct.data import Array
from instinct.errors import BadInput
from instinct.tasks import simulation
from instinct.tasks.evaluation import episode_seed, evaluate
from tests.extras import needs_safety

GOAL = SafetyTask("safety:PointGoal1")
QUICK = {"PointButton1": 48, "PointButton2": 20, "CarButton1": 48, "CarButton2": 20}
"""Seeds whose layouts need few draws, in crowded tasks."""


class Swing:
    """Drives forward and turns depending on the state."""

    def start(self, n: int, seed: int) -> Any:
        return None

    def act(self, memory: Any, observations: Array, rewards: Array) -> tuple[Array, Any]:
        turn = np.sin(5 * observations[:, 3] + 50 * rewards)
        return np.stack([np.full(len(turn), 0.8), turn], axis=1).astype(np.float32), None


def plain_episode(task: SafetyTask, seed: int) -> tuple[float, int, float]:
    """Play an episode in the environment; return its return, length and cost."""
    environment = task.environment()
    observation, _ = environment.reset(seed=seed)
    total, length, cost, reward, over = 0.0, 0, 0.0, 0.0, False
    while not over:
        seen = np.asarray(observation, np.float32)[None]
        actions, _ = Swing().act(None, seen, np.array([reward]))
        observation, given, terminal, timeout, info = environment.step(actions[0])
        reward, over = float(given), terminal or timeout
        total, length, cost = total + reward, length + 1, cost + info["cost"]
    return total, length, cost


@needs_safety
@pytest.mark.parametrize("name", ["PointCircle1", "CarCircle1"])
def test_an_evaluation_equals_the_environment_to_the_bit(name: str) -> None:
    task = SafetyTask(f"safety:{name}")
    found = evaluate(Swing(), task, 2)
    assert found.costs is not None
    lists = found.returns.tolist(), found.lengths.tolist(), found.costs.tolist()
    assert list(zip(*lists, strict=True)) == [
        plain_episode(task, episode_seed(0, episode)) for episode in range(2)
    ]
    assert (found.lengths == task.setup.horizon).all()


def actions_of(name: str, steps: int) -> Array:
    """Random actions, mostly forward."""
    ahead = [0.6, 0.0] if name.startswith("Point") else [0.5, 0.5]
    drives = np.random.default_rng(0).uniform(-0.6, 0.6, (steps, 2)) + ahead
    return np.clip(drives, -1, 1).astype(np.float32)


def check_equal(name: str, seed: int, steps: int) -> None:
    """Compare a place of a simulation with Safety-Gymnasium's own environment, to the bit."""
    task, place = SafetyTask(f"safety:{name}"), np.zeros(1, int)
    simulation, environment = task.simulation(1), task.environment()
    first = environment.reset(seed=seed)[0]
    assert first.shape == (task.observation_size,)
    np.testing.assert_array_equal(simulation.reset(0, seed), first)
    for action in actions_of(name, steps):
        step = simulation.step(place, action[None])
        observation, reward, terminal, timeout, info = environment.step(action)
        np.testing.assert_array_equal(step.observations[0], observation)
        assert step.costs is not None
        found = step.rewards[0], step.terminals[0], step.timeouts[0], step.costs[0]
        assert found == (reward, terminal, timeout, info["cost"])


@needs_safety
@pytest.mark.parametrize("name", SETUPS)
def test_all_sixteen_reset_and_step_like_safety_gymnasium(name: str) -> None:
    check_equal(name, QUICK.get(name, 0), 25)


@needs_safety
@pytest.mark.slow
@pytest.mark.parametrize("name", SETUPS)
def test_all_sixteen_stay_equal_to_the_bit(name: str) -> None:
    for seed in range(3):
        check_equal(name, seed, 400)


@needs_safety
@pytest.mark.parametrize("name", ["PointPush1", "CarPush1"])
def test_an_episode_depends_on_its_seed_alone(name: str) -> None:
    """It is the same in a new place, in a used one, and beside others."""
    task, actions = SafetyTask(f"safety:{name}"), actions_of(name, 60)

    def record(simulation: Any, place: int, beside: list[int]) -> Array:
        places = np.array([place, *beside])
        rows = [simulation.reset(place, 5)]
        for action in actions:
            step = simulation.step(places, np.array([action, *(-action for _ in beside)]))
            rows.append(np.r_[step.observations[0], step.rewards[0], step.costs[0]])
        return np.concatenate(rows)

    first = record(task.simulation(1), 0, [])
    simulation = task.simulation(3)
    for place, seed in enumerate((7, 8, 9)):
        simulation.reset(place, seed)
    np.testing.assert_array_equal(record(simulation, 2, [0, 1]), first)
    np.testing.assert_array_equal(record(simulation, 2, []), first)
    np.testing.assert_array_equal(record(simulation, 0, [1]), first)


@needs_safety
def test_the_threads_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    task = SafetyTask("safety:CarCircle1")
    found = []
    for cores in ([0], [0, 1]):
        monkeypatch.setattr(simulation, "cores", lambda cores=cores: cores)
        found.append(evaluate(Swing(), task, 3).returns.tolist())
    assert found[0] == found[1]


def test_scores_and_costs_by_hand() -> None:
    returns = np.array([0.01196012764197707, 30.071114857340543, 15.04153749249126])
    np.testing.assert_allclose(GOAL.scores(returns), [0, 1, 0.5], atol=1e-12)
    assert pytest.approx(240 / 7) == KAPPA


def test_an_unknown_task_is_a_clear_error() -> None:
    with pytest.raises(BadInput, match="no safety task 'PointFly'; there are PointButton1, Po"):
        find_task("safety:PointFly")
    assert len(SETUPS) == 16


def test_a_missing_package_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xmltodict", None)
    for make in (GOAL.environment, lambda: GOAL.simulation(1)):
        with pytest.raises(BadInput, match="not installed; run `instinct setup safety`"):
            make()


@needs_safety
def test_another_version_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safety_compat, "version", lambda name: "1.2.0")
    with pytest.raises(BadInput, match=r"need Safety-Gymnasium 1\.0\.0, but 1\.2\.0 is installed"):
        GOAL.environment()
