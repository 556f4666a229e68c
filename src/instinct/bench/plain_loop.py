"""Train an agent in a plain loop over a compiled step: one process, one Python call per step.

The numbers are those of `train`, so that both end with the same weights; every agent is trained
from its first step, and plays one test episode after the other in Gymnasium.
"""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Dataset
from instinct.deep import Algorithm, TrainedPolicy
from instinct.deep.training.loop import begin, stage_key
from instinct.deep.training.run_training import stages


def train(algorithm: Algorithm, dataset: Dataset, seed: int) -> TrainedPolicy:
    """Train all stages and return the final policy."""
    state = train_stages(algorithm, dataset, seed)
    return TrainedPolicy(algorithm, algorithm.weights(state), dataset.action_space)


def warm_up(algorithm: Algorithm, dataset: Dataset) -> None:
    """Compile what training and playing need, by one step of each."""
    state = train_stages(algorithm, dataset, seed=0, most=1)
    policy = TrainedPolicy(algorithm, algorithm.weights(state), dataset.action_space)
    policy.act(policy.start(1), dataset.observations[:1], np.zeros(1))


def train_stages(algorithm: Algorithm, dataset: Dataset, seed: int, most: int | None = None) -> Any:
    """Train all stages, or at most so many steps of each, and wait for the metrics of each step."""
    state = None
    for stage in stages(algorithm):
        traced, key = jax.tree.map(jnp.asarray, stage), stage_key(stage, seed)
        data = jax.tree.map(jnp.asarray, stage.prepare(dataset))
        state = begin(traced, key, data, state)
        _, steps_key = jax.random.split(key)
        for step in range(int(stage.steps) if most is None else most):
            state, metrics = one_step(traced, state, data, jax.random.fold_in(steps_key, step))
            jax.block_until_ready(metrics)  # type: ignore[no-untyped-call]
    return state


@jax.jit
def one_step(algorithm: Algorithm, state: Any, data: Any, key: jax.Array) -> Any:
    """Sample a batch and make one update."""
    sample_key, update_key = jax.random.split(key)
    return algorithm.update(state, algorithm.sample(state, data, sample_key), update_key)


def play(policy: TrainedPolicy, environment: Any, episodes: int) -> Iterator[tuple[float, int]]:
    """Play one episode after the other and yield their returns and lengths."""
    for episode in range(episodes):
        observation, _ = environment.reset(seed=episode)
        memory, reward, total, length, over = policy.start(1, episode), 0.0, 0.0, 0, False
        while not over:
            seen = np.asarray(observation, np.float32)[None]
            action, memory = policy.act(memory, seen, np.array([reward]))
            observation, now, terminal, timeout, _ = environment.step(action[0])
            reward, over = float(now), bool(terminal or timeout)
            total, length = total + reward, length + 1
        yield total, length
