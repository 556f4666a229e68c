"""CartPole, MountainCar and Acrobot: equal to Gymnasium's environments, step by step."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from instinct.benchmarks.classic.feedback import FEEDBACK
from instinct.benchmarks.classic.task import RETURNS, ClassicTask
from instinct.benchmarks.classic.worlds import Acrobot, CartPole
from instinct.benchmarks.registry import find_recipe, find_task, matching_task
from instinct.data import Array, Discrete
from instinct.errors import BadInput
from instinct.tasks.evaluation import Evaluation, evaluate

PLACES = 12
SETUPS = {"cartpole": (2, 4, 500), "mountaincar": (3, 2, 200), "acrobot": (3, 6, 500)}


class Replay:
    """Acts as it is told: column t of the actions in step t."""

    def __init__(self, actions: Array) -> None:
        self.actions = actions

    def start(self, n: int, seed: int) -> int:
        return 0

    def act(self, memory: int, observations: Array, rewards: Array) -> tuple[Array, int]:
        return self.actions[: len(observations), memory], memory + 1


def play_gymnasium(name: str, seed: int, actions: Array) -> list[tuple[Any, ...]]:
    """Play one episode in Gymnasium's own environment until it ends."""
    environment: gymnasium.Env[Any, Any] = gymnasium.make(name)
    observation, _ = environment.reset(seed=seed)
    steps: list[tuple[Any, ...]] = [(observation,)]
    for action in actions:
        steps.append(environment.step(action)[:4])
        if steps[-1][2] or steps[-1][3]:
            break
    return steps


def actions_of(task: str, quality: str) -> Array:
    """Return what a policy does in the first episodes, [places, horizon]."""
    where, policy = ClassicTask(task), FEEDBACK[task][quality]
    simulation, memory = where.simulation(PLACES), policy.start(PLACES, 0)
    observations = np.array([simulation.reset(place, place) for place in range(PLACES)])
    done = np.zeros((PLACES, where.horizon), int)
    for step in range(where.horizon):
        done[:, step], memory = policy.act(memory, observations, np.zeros(PLACES))
        observations = simulation.step(np.arange(PLACES), done[:, step]).observations
    return done


@pytest.mark.parametrize("quality", ["random", "medium", "expert"])
@pytest.mark.parametrize(
    ("task", "environment"),
    [("cartpole", "CartPole-v1"), ("mountaincar", "MountainCar-v0"), ("acrobot", "Acrobot-v1")],
)
def test_every_number_is_gymnasiums(task: str, environment: str, quality: str) -> None:
    """Observations, rewards, terminals and timeouts are equal to the bit until episodes end."""
    actions = actions_of(task, quality)
    simulation = ClassicTask(task).simulation(PLACES)
    expected = [play_gymnasium(environment, place, actions[place]) for place in range(PLACES)]
    for place in range(PLACES):
        start = simulation.reset(place, place)
        assert start.dtype == np.float32
        np.testing.assert_array_equal(start, expected[place][0][0])
    playing = np.arange(PLACES)
    for time in range(max(map(len, expected)) - 1):
        step = simulation.step(playing, actions[playing, time])
        seen, rewards, terminals, timeouts = zip(
            *(expected[place][time + 1] for place in playing), strict=True
        )
        assert step.observations.dtype == np.float32
        np.testing.assert_array_equal(step.observations, seen)
        np.testing.assert_array_equal(step.rewards, rewards)
        np.testing.assert_array_equal(step.terminals, terminals)
        np.testing.assert_array_equal(step.timeouts, np.array(timeouts) & ~step.terminals)
        playing = playing[~(step.terminals | step.timeouts)]
    assert len(playing) == 0


@pytest.mark.parametrize("task", SETUPS)
def test_spaces_and_limits_are_gymnasiums(task: str) -> None:
    where = ClassicTask(task)
    environment: gymnasium.Env[Any, Any] = where.environment()
    assert environment.spec is not None
    actions, observed, horizon = SETUPS[task]
    assert isinstance(environment.action_space, gymnasium.spaces.Discrete)
    assert where.action_space == Discrete(int(environment.action_space.n)) == Discrete(actions)
    assert environment.observation_space.shape == (where.observation_size,) == (observed,)
    assert where.horizon == environment.spec.max_episode_steps == horizon


def test_the_pole_falls_at_twelve_degrees_and_the_cart_at_its_limit() -> None:
    degree = np.pi / 180
    states = np.zeros((4, 4))
    states[:, 0] = (0, 0, -2.41, 2.39)
    states[:, 2] = (11.9 * degree, -12.1 * degree, 0, 0)
    assert CartPole().terminal(states).tolist() == [False, True, True, False]


def test_the_acrobot_reaches_its_goal_above_the_axis() -> None:
    """Both links up: the tip is at height 2; horizontal: at 0; the first up, the second down: 0."""
    states = np.zeros((3, 4))
    states[:, 0] = (np.pi, np.pi / 2, np.pi)
    states[:, 1] = (0, 0, np.pi)
    assert Acrobot().terminal(states).tolist() == [True, False, False]
    assert Acrobot().rewards(np.array([True, False])).tolist() == [0, -1]


def test_returns_are_true_returns() -> None:
    """Pushing to the right alone: the pole falls after 8 to 10 steps, the car never arrives."""
    right = Replay(np.ones((32, 500), int))
    found = evaluate(right, find_task("cartpole"), episodes=20)
    assert found.returns.tolist() == found.lengths.tolist()
    assert {8, 9, 10} >= {*found.lengths.tolist()}
    found = evaluate(Replay(np.full((32, 200), 2)), find_task("mountaincar"), episodes=3)
    assert (found.returns.tolist(), found.lengths.tolist()) == ([-200] * 3, [200] * 3)


def judge(task: str, quality: str, episodes: int, noise: float) -> Evaluation:
    policy = FEEDBACK[task][quality]
    quiet = type(policy)(policy.actions, policy.weights, policy.offset, noise)
    return evaluate(quiet, ClassicTask(task), episodes)


@pytest.mark.parametrize("task", RETURNS)
def test_random_actions_score_0_and_the_expert_100(task: str) -> None:
    scores = ClassicTask(task).scores(np.array(RETURNS[task]))
    assert scores == pytest.approx([0, 100])
    random = judge(task, "random", 128, noise=1.0).scores
    expert = judge(task, "expert", 128, noise=0.0).scores
    assert random is not None
    assert expert is not None
    assert random.mean() == pytest.approx(0, abs=1)
    assert expert.mean() == pytest.approx(100, abs=5)


def test_the_middle_of_a_scale() -> None:
    assert ClassicTask("mountaincar").scores(np.array([-155.0])) == pytest.approx([50])


def test_unknown_tasks_and_other_data_are_refused() -> None:
    with pytest.raises(BadInput, match="no classic task is called 'pendulum'; there are cartpole"):
        ClassicTask("pendulum")
    dataset = find_recipe("cartpole", 50).make()
    with pytest.raises(BadInput, match=r"actions in \{0, …, 1\}, mountaincar in \{0, …, 2\}"):
        matching_task("mountaincar", dataset)
