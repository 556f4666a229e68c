"""Lockstep evaluation against Gymnasium, one episode at a time."""

from typing import Any

import jax
import numpy as np
import pytest

from instinct.bench.evaluation import compare, untrained
from instinct.benchmarks.gymnasium.task import GymTask
from instinct.benchmarks.locomotion.scores import normalize
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.benchmarks.registry import find_task
from instinct.data import Array, Box, find_label
from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.algorithms.bc import BC
from instinct.deep.algorithms.dt import DT
from instinct.deep.nn.networks import gaussian_init
from instinct.deep.training.policy import TrainedPolicy
from instinct.errors import BadInput
from instinct.tasks.environments import Environment
from instinct.tasks.evaluation import episode_seed, evaluate
from instinct.tasks.simulation import End, Step, Task, action_box
from tests.deep.problems import noise_dataset


class Swing:
    """Actions that depend on the state, the step and the last reward, row by row."""

    def __init__(self, actions: int) -> None:
        self.actions = actions

    def start(self, n: int, seed: int) -> Any:
        return 0

    def act(self, memory: int, observations: Array, rewards: Array) -> tuple[Array, Any]:
        angle = 100 * observations[:, 1] + 0.1 * memory + np.tanh(rewards)
        columns = [0.5 * np.sin(angle * (k + 1)) for k in range(self.actions)]
        return np.stack(columns, axis=1).astype(np.float32), memory + 1


def one_at_a_time(task: Task, policy: Swing, episodes: int) -> tuple[list[float], list[int]]:
    environment = task.environment()
    returns, lengths = [], []
    for episode in range(episodes):
        observation, _ = environment.reset(seed=episode_seed(0, episode))
        memory, reward, total, length, over = policy.start(1, 0), 0.0, 0.0, 0, False
        while not over:
            seen = np.asarray(observation, np.float32)[None]
            actions, memory = policy.act(memory, seen, np.array([reward]))
            observation, given, terminal, timeout, _ = environment.step(actions[0])
            reward, over = float(given), terminal or timeout
            total, length = total + reward, length + 1
        returns.append(total)
        lengths.append(length)
    return returns, lengths


@pytest.mark.parametrize(
    ("name", "episodes"),
    [("hopper", 40), ("walker2d", 40), ("halfcheetah", 2), ("gym:InvertedPendulum-v5", 5)],
)
def test_equals_gymnasium_to_the_bit(name: str, episodes: int) -> None:
    task = find_task(name)
    policy = Swing(action_box(task).dimension)
    result = evaluate(policy, task, episodes)
    returns, lengths = one_at_a_time(task, policy, episodes)
    assert result.returns.tolist() == returns
    assert result.lengths.tolist() == lengths
    if name != "halfcheetah":
        assert len(set(lengths)) > 1, "the test needs episodes of different lengths"


def network_policy(task: Task, algorithm: Algorithm) -> TrainedPolicy:
    size, box = task.observation_size, action_box(task)
    weights = {"policy": gaussian_init(jax.random.key(0), size, box.dimension, 2, 32)}
    return TrainedPolicy(algorithm, weights, box)


@pytest.mark.parametrize("at_once", [1, 7, 33])
def test_the_result_does_not_depend_on_the_number_of_places(at_once: int) -> None:
    task = LocomotionTask("hopper")
    policy = network_policy(task, BC())
    whole = evaluate(policy, task, 40, seed=3)
    parts = evaluate(policy, task, 40, seed=3, at_once=at_once)
    assert whole.returns.tolist() == parts.returns.tolist()
    assert whole.lengths.tolist() == parts.lengths.tolist()
    fewer = evaluate(policy, task, 10, seed=3)
    assert whole.returns[:10].tolist() == fewer.returns.tolist()
    other = evaluate(policy, task, 10, seed=4)
    assert fewer.returns.tolist() != other.returns.tolist()


@pytest.mark.parametrize("label", ["original", "random"])
def test_a_policy_with_memory_gets_the_same_rewards_with_any_number_of_places(
    label: str,
) -> None:
    task = LocomotionTask("hopper")
    dataset = noise_dataset(rows=20, n=task.observation_size, m=3, length=10)
    algorithm = DT(layers=1, units=8, context=3)
    weights = algorithm.weights(algorithm.init(jax.random.key(0), algorithm.prepare(dataset)))
    policy = TrainedPolicy(algorithm, weights, task.action_space, find_label(label))
    whole = evaluate(policy, task, 5)
    assert whole.returns.tolist() == evaluate(policy, task, 5, at_once=2).returns.tolist()


def test_the_benchmark_compares_the_same_episodes() -> None:
    task = find_task("gym:InvertedPendulum-v5")
    policy = untrained(task)
    found = compare(policy, task, 4)
    lockstep = evaluate(policy, task, 4)
    assert (found.task, found.episodes, found.steps) == (task.name, 4, lockstep.lengths.sum())
    assert found.lockstep_return == lockstep.returns.mean()
    assert found.gymnasium_return == pytest.approx(found.lockstep_return, rel=0.1)
    assert found.speedup > 0


class Countdown:
    """A task of three steps that cost ½ each; some episodes reach the goal in the second step."""

    name, action_space, observation_size = "countdown", Box.of(1), 2
    horizon, cost_target = 3, None
    end: End = "timeout"

    def environment(self) -> Environment:
        raise NotImplementedError

    def scores(self, returns: Array) -> None:
        return None

    def simulation(self, places: int) -> "Countdown":
        self.steps, self.lucky = np.zeros(places, int), np.zeros(places, bool)
        return self

    def reset(self, place: int, seed: int) -> Array:
        self.steps[place], self.lucky[place] = 0, seed % 2
        return np.zeros(2)

    def step(self, places: Array, actions: Array) -> Step:
        self.steps[places] += 1
        passed = self.lucky[places] & (self.steps[places] == 2)
        zeros, over = np.zeros(len(places)), self.steps[places] == 3
        return Step(np.zeros((len(places), 2)), zeros, zeros > 0, over, passed, zeros + 0.5)


def test_successes_and_costs_are_per_episode() -> None:
    found = evaluate(Swing(1), Countdown(), 9, at_once=4)
    assert found.successes is not None
    assert found.costs is not None
    assert found.successes.tolist() == [episode_seed(0, i) % 2 == 1 for i in range(9)]
    assert found.costs.tolist() == [1.5] * 9
    assert found.scores is None


def test_scores_are_d4rls() -> None:
    task = LocomotionTask("hopper")
    result = evaluate(Swing(3), task, 3)
    assert result.scores is not None
    np.testing.assert_array_equal(result.scores, normalize(result.returns, "hopper"))
    pendulum = GymTask("gym:InvertedPendulum-v5")
    assert evaluate(Swing(1), pendulum, 2).scores is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hoper", "no task is called 'hoper'"),
        ("gym:Nothing-v0", "cannot make 'Nothing-v0'"),
        ("gym:FrozenLake-v1", "observations of FrozenLake-v1 are discrete"),
    ],
)
def test_impossible_tasks_are_explained(name: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        _ = find_task(name).action_space
