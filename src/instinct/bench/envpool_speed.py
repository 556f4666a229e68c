"""Measure EnvPool against this package's lockstep simulation of the locomotion tasks.

EnvPool steps MuJoCo in threads of its own, in C++. It is no dependency of this package: only this
benchmark imports it, where it is installed. Both sides play the same number of episodes side by
side on all cores and begin a new episode where one ends.
"""

import importlib.util
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import mujoco  # type: ignore[import-untyped]
import numpy as np

from instinct.behaviors.shipped import behaviors
from instinct.bench.evaluation import deeper
from instinct.benchmarks.locomotion.simulation import BODIES, LocomotionSimulation
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.data import Array
from instinct.errors import BadInput
from instinct.tasks.simulation import action_box
from instinct.util.cores import cores

TASKS = (*BODIES,)
REPEATS = 3
Act = Callable[[Array], Array]
"""Chooses the actions of all episodes from their observations."""


@dataclass(frozen=True)
class EnvPoolSpeed:
    """Steps per second of both sides, and microseconds of processor time per step.

    `acts` says who chooses the actions: nobody (they are random, drawn before) or a policy for all
    episodes. Every number is the best of three. `ratio` is EnvPool's speed divided by ours.
    `difference` is the largest difference between the observations of both after one step, and
    after ten, from the same states with the same actions.
    """

    task: str
    acts: str
    episodes: int
    steps: int
    lockstep_per_second: float
    envpool_per_second: float
    ratio: float
    lockstep_cpu_us: float
    envpool_cpu_us: float
    difference: float
    difference_after_ten: float


class Rate(NamedTuple):
    """Steps of episodes, the seconds that they took, and the processor time of all threads."""

    steps: int
    seconds: float
    cpu_seconds: float


def check_envpool() -> None:
    """Raise if EnvPool is not installed."""
    if importlib.util.find_spec("envpool") is None:
        raise BadInput("EnvPool is not installed; `pip install envpool`, then measure again")


def measure(episodes: int = 50, steps: int = 1000) -> Iterator[EnvPoolSpeed]:
    """Yield the speeds of every locomotion task, with random actions and with a policy."""
    check_envpool()
    for task in TASKS:
        acts = {"nobody": random_actions(task, episodes), "policy": policy_actions(task, episodes)}
        differences = compare_observations(task, acts["nobody"], episodes, 10)
        for who, act in acts.items():
            ours, theirs = [], []
            for _ in range(REPEATS):
                ours.append(play_lockstep(task, act, episodes, steps))
                theirs.append(play_envpool(task, act, episodes, steps))
            fast = [max(each.steps / each.seconds for each in side) for side in (ours, theirs)]
            cpu = [min(each.cpu_seconds / each.steps for each in side) for side in (ours, theirs)]
            yield EnvPoolSpeed(
                task=task,
                acts=who,
                episodes=episodes,
                steps=steps,
                lockstep_per_second=fast[0],
                envpool_per_second=fast[1],
                ratio=fast[1] / fast[0],
                lockstep_cpu_us=1e6 * cpu[0],
                envpool_cpu_us=1e6 * cpu[1],
                difference=differences[0],
                difference_after_ten=differences[-1],
            )


def random_actions(name: str, episodes: int) -> Act:
    """Return a rule that takes actions drawn before, whatever is observed."""
    box = action_box(LocomotionTask(name))
    drawn = np.random.default_rng(0).uniform(-1, 1, (episodes, box.dimension))
    return lambda _: drawn


def policy_actions(name: str, episodes: int) -> Act:
    """Return the rule of the shipped policy of medium skill, with three hidden layers."""
    policy, rewards = deeper(behaviors(name)["medium"]), np.zeros(episodes)
    memory = policy.start(episodes, 0)
    return lambda seen: policy.act(memory, np.asarray(seen, np.float32), rewards)[0]


def play_lockstep(name: str, act: Act, episodes: int, steps: int) -> Rate:
    """Step all episodes of our simulation; new ones begin where one ends."""
    simulation = LocomotionSimulation(BODIES[name], episodes)
    places = np.arange(episodes)
    seen = np.array([simulation.reset(place, place) for place in range(episodes)])
    act(seen)
    began, cpu = time.perf_counter(), time.process_time()
    for _ in range(steps):
        step = simulation.step(places, act(seen))
        seen = step.observations
        for place in np.flatnonzero(step.terminals | step.timeouts).tolist():
            seen[place] = simulation.reset(place, place)
    seconds = time.perf_counter() - began
    return Rate(steps * episodes, seconds, time.process_time() - cpu)


def play_envpool(name: str, act: Act, episodes: int, steps: int) -> Rate:
    """Step all episodes in EnvPool; the call after an end begins a new one and is no step."""
    pool = make_pool(name, episodes)
    seen, _ = pool.reset()
    act(seen)
    ends, over = 0, np.zeros(episodes, bool)
    began, cpu = time.perf_counter(), time.process_time()
    for _ in range(steps):
        ends += int(over.sum())
        seen, _, terminals, timeouts, _ = pool.step(act(seen))
        over = terminals | timeouts
    seconds = time.perf_counter() - began
    return Rate(steps * episodes - ends, seconds, time.process_time() - cpu)


def make_pool(name: str, episodes: int, **options: Any) -> Any:
    """Make EnvPool's environments of a task, which use all cores."""
    import envpool  # type: ignore[import-not-found]

    return envpool.make(
        BODIES[name].environment,
        env_type="gymnasium",
        num_envs=episodes,
        num_threads=min(len(cores()), episodes),
        seed=0,
        **options,
    )


def compare_observations(name: str, act: Act, episodes: int, steps: int) -> list[float]:
    """Return the largest difference of observations after every step, from EnvPool's states.

    Only episodes that have not ended are compared.
    """
    simulation = LocomotionSimulation(BODIES[name], episodes)
    pool = make_pool(name, episodes, exclude_current_positions_from_observation=False)
    start, _ = pool.reset()
    size = simulation.model.nq
    for place, state in enumerate(simulation.states):
        simulation.reset(place, 0)
        state.qpos[:], state.qvel[:] = start[place, :size], start[place, size:]
        mujoco.mj_forward(simulation.model, state)
    running, found = np.ones(episodes, bool), []
    for _ in range(steps):
        actions = act(start)
        ours = simulation.step(np.arange(episodes), actions)
        theirs, _, terminals, timeouts, _ = pool.step(actions)
        apart = np.abs(ours.observations - theirs[:, 1:]).max(axis=1)
        found.append(float(apart[running].max(initial=0.0)))
        running &= ~(ours.terminals | terminals | timeouts)
    return found
