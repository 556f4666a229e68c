"""Measure an audit against the same agents in a plain loop, one after the other, in one run.

The plain loop is of the usual kind: one process, one Python call per training step, one environment
of Gymnasium's per episode, every agent from its first step. Its training step is compiled too. Both
sides train the same number of steps with the same networks and play the same test episodes.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Dataset, relabel, write
from instinct.deep import Algorithm, TrainedPolicy
from instinct.deep.training.loop import begin, stage_key
from instinct.deep.training.run_training import stages
from instinct.deep.training.synthetic import hopper_like
from instinct.engine.run_plan import local, run_plan
from instinct.engine.scheduler import StudyProgress
from instinct.study.plan import Plan
from instinct.study.trials import Trial
from instinct.util.cores import cores
from instinct.util.progress import Progress, no_progress

ROWS = 20_000
"""Transitions of the dataset."""


@dataclass(frozen=True)
class AuditSpeed:
    """Seconds of both sides; `utilisation` is the share of time in which workers had a trial.

    It counts from the first training step to the last evaluation.
    """

    agents: int
    steps: int
    workers: int
    seconds: float
    plain_seconds: float
    agents_per_hour: float
    plain_agents_per_hour: float
    speedup: float
    utilisation: float


def measure(
    steps: int = 2000,
    seeds: int = 2,
    episodes: int = 5,
    workers: int | None = None,
    on_progress: Progress = no_progress,
) -> AuditSpeed:
    """Train BC and PSPI with the quick preset under three labels, on random data like hopper's."""
    dataset = hopper_like(ROWS)
    last: list[StudyProgress] = []
    with TemporaryDirectory() as scratch:
        write(dataset, Path(scratch) / "data.npz")
        plan = audit_like(str(Path(scratch) / "data.npz"), steps, seeds, episodes)
        trials = plan.final({})

        def watch(state: StudyProgress) -> None:
            last[:] = [state]
            on_progress(state.ended, 2 * len(trials), "the audit")

        began = time.perf_counter()
        run_plan(plan, Path(scratch) / "audit", watch, local(workers))
        seconds = time.perf_counter() - began
    began = time.perf_counter()
    for i, trial in enumerate(trials):
        on_progress(len(trials) + i, 2 * len(trials), "the plain loop")
        train_and_play(trial, dataset)
    plain_seconds = time.perf_counter() - began
    return AuditSpeed(
        agents=len(trials),
        steps=steps,
        workers=workers or len(cores()),
        seconds=seconds,
        plain_seconds=plain_seconds,
        agents_per_hour=3600 * len(trials) / seconds,
        plain_agents_per_hour=3600 * len(trials) / plain_seconds,
        speedup=plain_seconds / seconds,
        utilisation=last[0].busy or 0.0,
    )


def audit_like(path: str, steps: int, seeds: int, episodes: int) -> Plan:
    """Return the plan of a small audit."""
    return Plan(
        name="audit",
        datasets=(path,),
        algorithms=("BC", "PSPI"),
        labels=("original", "zero", "negative"),
        preset="quick",
        seeds=seeds,
        episodes=episodes,
        task="hopper",
        remove_terminals=False,
        settings={"BC": {"steps": steps}, "PSPI": {"steps": steps, "warm_start_steps": steps}},
    )


def train_and_play(trial: Trial, dataset: Dataset) -> list[float]:
    """Train an agent step by step and return the returns of its test episodes."""
    labeled = relabel(dataset, trial.reward_label, trial.seed)
    algorithm = trial.configured(dataset.action_space)
    state = train_plainly(algorithm, labeled, trial.seed)
    policy = TrainedPolicy(algorithm, algorithm.weights(state), dataset.action_space)
    return [*play_plainly(policy, trial.episodes)]


def train_plainly(algorithm: Algorithm, dataset: Dataset, seed: int) -> Any:
    """Train all stages with one Python call per step, and wait for the metrics of each.

    The random numbers are those of `train`, so that both end with the same weights.
    """
    state = None
    for stage in stages(algorithm):
        traced, key = jax.tree.map(jnp.asarray, stage), stage_key(stage, seed)
        data = jax.tree.map(jnp.asarray, stage.prepare(dataset))
        state = begin(traced, key, data, state)
        _, steps_key = jax.random.split(key)
        for step in range(int(stage.steps)):
            state, metrics = one_step(traced, state, data, jax.random.fold_in(steps_key, step))
            jax.block_until_ready(metrics)  # type: ignore[no-untyped-call]
    return state


@jax.jit
def one_step(algorithm: Algorithm, state: Any, data: Any, key: jax.Array) -> Any:
    """Sample a batch and make one update."""
    sample_key, update_key = jax.random.split(key)
    return algorithm.update(state, algorithm.sample(state, data, sample_key), update_key)


def play_plainly(policy: TrainedPolicy, episodes: int) -> Iterator[float]:
    """Play one episode after the other in Gymnasium and yield their returns."""
    env = gymnasium.make("Hopper-v5")
    for episode in range(episodes):
        observation, _ = env.reset(seed=episode)
        memory, reward, total, ended = policy.start(1, episode), 0.0, 0.0, False
        while not ended:
            action, memory = policy.act(
                memory, np.asarray(observation, np.float32)[None], np.array([reward])
            )
            observation, now, terminal, timeout, _ = env.step(action[0])
            reward, ended = float(now), bool(terminal or timeout)
            total += reward
        yield total
    env.close()
