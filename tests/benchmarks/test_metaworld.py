"""Meta-World's tasks: the paper's changes, goals by seed, and lean against plain environments."""

import pickle
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instinct.benchmarks.metaworld import task as metaworld
from instinct.benchmarks.metaworld.task import SETUPS, MetaWorldTask
from instinct.benchmarks.registry import find_task
from instinct.data import Array
from instinct.errors import BadInput
from instinct.tasks import simulation
from instinct.tasks.environments import Environment
from instinct.tasks.evaluation import episode_seed, evaluate
from tests.extras import needs_metaworld

REACH = MetaWorldTask("metaworld:reach")


class Wander:
    """Moves towards the goal, with a swing that depends on the state."""

    def start(self, n: int, seed: int) -> Any:
        return None

    def act(self, memory: Any, observations: Array, rewards: Array) -> tuple[Array, Any]:
        towards = 8 * (observations[:, -3:] - observations[:, :3])
        swing = 0.5 * np.sin(1000 * observations[:, :4] + rewards[:, None])
        actions = np.concatenate([towards, np.ones((len(towards), 1))], axis=1) + swing
        return np.clip(actions, -1, 1).astype(np.float32), None


class Rest:
    """Does nothing."""

    def start(self, n: int, seed: int) -> Any:
        return None

    def act(self, memory: Any, observations: Array, rewards: Array) -> tuple[Array, Any]:
        return np.zeros((len(observations), 4), np.float32), None


def plain_episodes(task: MetaWorldTask, episodes: int) -> list[tuple[float, int, bool]]:
    """Play episodes in Meta-World's own environment; return their returns, lengths, successes."""
    environment, policy = task.environment(), Wander()
    played = []
    for episode in range(episodes):
        observation, _ = environment.reset(seed=episode_seed(0, episode))
        total, length, reward, success, over = 0.0, 0, 0.0, False, False
        while not over:
            seen = np.asarray(observation, np.float32)[None]
            actions, _ = policy.act(None, seen, np.array([reward]))
            observation, given, terminal, timeout, info = environment.step(actions[0])
            reward, success, over = float(given), success or info["success"], terminal or timeout
            total, length = total + reward, length + 1
        played.append((total, length, success))
    return played


def check_equal(task: MetaWorldTask, episodes: int) -> None:
    found = evaluate(Wander(), task, episodes)
    assert found.successes is not None
    lists = found.returns.tolist(), found.lengths.tolist(), found.successes.tolist()
    assert list(zip(*lists, strict=True)) == plain_episodes(task, episodes)


@needs_metaworld
@pytest.mark.parametrize("name", ["reach", "window-open"])
def test_equals_meta_world_to_the_bit(name: str) -> None:
    check_equal(MetaWorldTask(f"metaworld:{name}"), 3)


@needs_metaworld
@pytest.mark.slow
@pytest.mark.parametrize("name", SETUPS)
def test_all_fifteen_equal_meta_world_to_the_bit(name: str) -> None:
    check_equal(MetaWorldTask(f"metaworld:{name}"), 4)


@needs_metaworld
def test_the_threads_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    task = MetaWorldTask("metaworld:window-open")
    found = []
    for cores in ([0], [0, 1]):
        monkeypatch.setattr(simulation, "cores", lambda cores=cores: cores)
        found.append(evaluate(Wander(), task, 3).returns.tolist())
    assert found[0] == found[1]


@needs_metaworld
def test_success_is_a_terminal_and_idleness_a_timeout() -> None:
    moving, resting = evaluate(Wander(), REACH, 3), evaluate(Rest(), REACH, 2)
    assert moving.successes is not None
    assert moving.successes.all()
    assert (moving.lengths < 200).all()
    assert resting.successes is not None
    assert not resting.successes.any()
    assert (resting.lengths == 500).all()
    assert ((resting.returns > -500) & (resting.returns < -100)).all()
    assert (moving.returns > resting.returns.max()).all()


@needs_metaworld
def test_without_the_goal_terminal_episodes_go_on_after_success() -> None:
    found = evaluate(Wander(), MetaWorldTask("metaworld:reach", goal_terminal=False), 2)
    assert found.successes is not None
    assert found.successes.all()
    assert (found.lengths == 500).all()


@needs_metaworld
def test_equals_a_task_set_by_meta_world_itself() -> None:
    """Meta-World sets goals by pickled tasks; ours must lead to the same episode."""
    from metaworld.types import Task

    from instinct.benchmarks.metaworld.environment import GoalEnvironment, base_class

    ours = MetaWorldTask("metaworld:push").environment()
    assert isinstance(ours, GoalEnvironment)
    raw = base_class("push")()
    vector = {"rand_vec": ours.goals.draw(7), "env_cls": type(raw), "partially_observable": False}
    raw.set_task(Task("push-v3", pickle.dumps(vector)))
    np.testing.assert_array_equal(ours.reset(seed=7)[0], raw.reset()[0])
    for action in np.random.default_rng(0).uniform(-1, 1, (30, 4)).astype(np.float32):
        observation, reward, terminal, timeout, _ = ours.step(action)
        expected, of_ten, *_ = raw.step(action)
        np.testing.assert_array_equal(observation, expected)
        assert reward == pytest.approx(-1 + float(of_ten) / 10)
        assert not terminal
        assert not timeout


@pytest.fixture(scope="module")
def boards() -> tuple[Environment, Environment]:
    return REACH.environment(), MetaWorldTask("metaworld:reach", unseen=False).environment()


@needs_metaworld
@settings(max_examples=200)
@given(seeds=st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)))
def test_goals_of_tests_and_of_data_are_disjoint(
    boards: tuple[Any, Any], seeds: tuple[int, int]
) -> None:
    """Test goals are on white fields of 0.1 mm, data goals on black ones."""
    unseen, seen = (board.goals.draw(seed) for board, seed in zip(boards, seeds, strict=True))
    fields = [int(np.floor(goal / 1e-4).sum()) for goal in (unseen, seen)]
    assert fields[0] % 2 == 1
    assert fields[1] % 2 == 0
    for goal in (unseen, seen):
        assert (goal >= [-0.1, 0.6, 0.02, -0.1, 0.8, 0.05]).all()
        assert (goal <= [0.1, 0.7, 0.02, 0.1, 0.9, 0.3]).all()
        assert np.hypot(*(goal[:2] - goal[3:5])) >= 0.15


@needs_metaworld
def test_the_goal_depends_on_the_seed_alone() -> None:
    simulation = MetaWorldTask("metaworld:window-open").simulation(2)
    first, other = simulation.reset(0, 3), simulation.reset(1, 4)
    assert not np.array_equal(first, other)
    for _ in range(20):
        simulation.step(np.arange(2), np.ones((2, 4), np.float32))
    np.testing.assert_array_equal(simulation.reset(1, 3), first)


def test_an_unknown_task_is_a_clear_error() -> None:
    with pytest.raises(BadInput, match="no task 'fly' here; there are button-press, door-open"):
        find_task("metaworld:fly")
    with pytest.raises(BadInput, match=r"no task is called 'reach'.*metaworld:NAME"):
        find_task("reach")


def test_a_missing_extra_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "metaworld", None)
    for make in (REACH.environment, lambda: REACH.simulation(1)):
        with pytest.raises(BadInput, match=r"run: pip install 'survival-instinct\[metaworld\]'"):
            make()


@needs_metaworld
def test_another_version_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {"metaworld": "3.1.1", "mujoco": "3.4.0"}
    monkeypatch.setattr(metaworld, "version", installed.__getitem__)
    with pytest.raises(BadInput, match=r"need mujoco 3\.3\.0, but 3\.4\.0 is installed; pip"):
        REACH.simulation(1)
