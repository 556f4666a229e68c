"""Benchmark of lockstep evaluation against a plain loop over episodes."""

import time
from dataclasses import dataclass, replace

import jax
import numpy as np

from instinct.behaviors.behavior import Behavior
from instinct.behaviors.shipped import behaviors, shipped_tasks
from instinct.benchmarks.registry import find_task
from instinct.deep.algorithms.bc import BC
from instinct.deep.nn.networks import gaussian_init
from instinct.deep.training.policy import TrainedPolicy
from instinct.tasks.evaluation import Evaluation, Policy, episode_seed, evaluate
from instinct.tasks.simulation import Task, action_box


@dataclass(frozen=True)
class LockstepTiming:
    """Times of the same episodes in lockstep and one after another, both after a warm-up.

    The returns differ slightly, because a forward pass rounds differently for one row and for many.
    """

    task: str
    episodes: int
    steps: int
    lockstep_seconds: float
    gymnasium_seconds: float
    speedup: float
    lockstep_return: float
    gymnasium_return: float


def compare(policy: Policy, task: Task, episodes: int = 50) -> LockstepTiming:
    evaluate(policy, task, episodes=2)
    started = time.perf_counter()
    lockstep = evaluate(policy, task, episodes)
    lockstep_seconds = time.perf_counter() - started
    one_at_a_time(policy, task, episodes=1)
    started = time.perf_counter()
    plain = one_at_a_time(policy, task, episodes)
    gymnasium_seconds = time.perf_counter() - started
    per_step = lockstep_seconds / lockstep.lengths.sum(), gymnasium_seconds / plain.lengths.sum()
    return LockstepTiming(
        task.name,
        episodes,
        int(lockstep.lengths.sum()),
        lockstep_seconds,
        gymnasium_seconds,
        float(per_step[1] / per_step[0]),
        float(lockstep.returns.mean()),
        float(plain.returns.mean()),
    )


def untrained(task: Task, seed: int = 0) -> TrainedPolicy:
    """Return a 3 × 256 policy with random weights, which is as fast as a trained one."""
    box = action_box(task)
    key = jax.random.key(seed)
    network = gaussian_init(key, task.observation_size, box.dimension, layers=3, units=256)
    return TrainedPolicy(BC(), {"policy": network}, box)


def one_at_a_time(policy: Policy, task: Task, episodes: int, seed: int = 0) -> Evaluation:
    """Play the episodes in one environment, with one row per forward pass."""
    environment = task.environment()
    returns, lengths = np.zeros(episodes), np.zeros(episodes, int)
    for episode in range(episodes):
        observation, _ = environment.reset(seed=episode_seed(seed, episode))
        memory, rewards, over = policy.start(1, episode_seed(seed, episode)), np.zeros(1), False
        while not over:
            seen = np.asarray(observation, np.float32)[None]
            actions, memory = policy.act(memory, seen, rewards)
            observation, reward, terminal, timeout, _ = environment.step(actions[0])
            rewards, over = np.array([reward], float), terminal or timeout
            returns[episode] += rewards[0]
            lengths[episode] += 1
    return Evaluation(returns, lengths, task.scores(returns))


def bench_evaluate(name: str = "hopper", episodes: int = 50) -> LockstepTiming:
    """Compare with episodes of a 3 × 256 policy: a shipped behavior, or an untrained policy."""
    task = find_task(name)
    if name in shipped_tasks():
        return compare(deeper(behaviors(name)["medium"]), task, episodes)
    return compare(untrained(task), task, episodes)


def deeper(behavior: Behavior) -> Behavior:
    """Return the policy without noise and with one more hidden layer, the identity.

    The output of a ReLU passes through another ReLU unchanged.
    """
    *hidden, last = behavior.network
    units = hidden[-1]["bias"].shape[0]
    identity = {"weight": np.eye(units, dtype=np.float32), "bias": np.zeros(units, np.float32)}
    return replace(behavior, network=(*hidden, identity, last), noisy=False)  # type: ignore[arg-type]
