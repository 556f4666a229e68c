"""What every task tells of itself: horizon, what ends an episode, and cost target."""

import numpy as np
import pytest

from instinct.benchmarks.gridworld.task import GridWorldTask
from instinct.benchmarks.gridworld.world import OPTIMAL_EPISODE
from instinct.benchmarks.metaworld.task import MetaWorldTask
from instinct.benchmarks.registry import find_task
from instinct.errors import BadInput
from instinct.tasks.simulation import action_box
from instinct.tasks.tabular import TabularTask


@pytest.mark.parametrize(
    ("name", "end", "horizon", "target"),
    [
        ("hopper", "fall", 1000, None),
        ("walker2d", "fall", 1000, None),
        ("halfcheetah", "timeout", 1000, None),
        ("gym:InvertedPendulum-v5", "unknown", 1000, None),
        ("metaworld:reach", "goal", 500, None),
        ("safety:PointGoal1", "timeout", 1000, pytest.approx(34.2857, abs=1e-4)),
        ("safety:CarCircle2", "timeout", 500, pytest.approx(34.2857, abs=1e-4)),
        ("gridworld", "goal", 20, None),
        ("cartpole", "fall", 500, None),
        ("mountaincar", "goal", 200, None),
        ("acrobot", "goal", 500, None),
    ],
)
def test_ends_horizons_and_targets(name: str, end: str, horizon: int, target: object) -> None:
    task = find_task(name)
    assert (task.name, task.end, task.horizon) == (name, end, horizon)
    assert task.cost_target == target


def test_without_goal_terminal_metaworld_times_out() -> None:
    assert MetaWorldTask("metaworld:reach", goal_terminal=False).end == "timeout"


def test_only_the_grid_world_is_tabular() -> None:
    assert isinstance(find_task("gridworld"), TabularTask)
    assert not isinstance(find_task("hopper"), TabularTask)


def test_discrete_actions_have_no_box() -> None:
    with pytest.raises(BadInput, match="gridworld"):
        action_box(find_task("gridworld"))


def test_the_grid_world_plays_like_its_records() -> None:
    task = GridWorldTask()
    environment, recorded = task.environment(), task.world.record(OPTIMAL_EPISODE)
    observation, _ = environment.reset(seed=0)
    simulation = task.simulation(2)
    simulation.reset(0, 0), simulation.reset(1, 1)
    for row, action in enumerate(recorded["actions"]):
        assert observation.tolist() == recorded["observations"][row].tolist()
        both = simulation.step(np.array([0, 1]), np.array([action, 0]))
        observation, reward, terminal, timeout, _ = environment.step(action)
        assert both.observations[0].tolist() == observation.tolist()
        assert both.rewards[0] == reward == recorded["rewards"][row]
        assert (terminal, timeout) == (recorded["terminals"][row], False)
    assert terminal
    for _ in range(11):
        last = simulation.step(np.array([1]), np.array([0]))
    assert (last.timeouts.tolist(), last.terminals.tolist()) == ([True], [False])
