"""Benchmark of the safety tasks' steps and resets against Safety-Gymnasium's own."""

import time
from typing import Any

import numpy as np

from instinct.benchmarks.safety.task import PREFIX, SafetyTask

PLACES = 8


def measure(name: str, steps: int) -> dict[str, Any]:
    """Take the same random actions in a simulation and in single environments, in turn.

    Times are processor times, which depend little on other processes and on the number of threads.
    Resets are those of the simulation; `speedup` is its steps per step of Safety-Gymnasium's own.
    """
    task, places = SafetyTask(PREFIX + name), np.arange(PLACES)
    simulation, environments = task.simulation(PLACES), [task.environment() for _ in places]
    for place, environment in enumerate(environments):
        simulation.reset(place, place)
        environment.reset(seed=place)
    lean = plain = 0.0
    for actions in np.random.default_rng(0).uniform(-1, 1, (steps, PLACES, 2)):
        started = time.process_time()
        simulation.step(places, actions)
        between = time.process_time()
        for environment, action in zip(environments, actions, strict=True):
            environment.step(action)
        lean += between - started
        plain += time.process_time() - between
    started = time.process_time()
    for place in range(PLACES):
        simulation.reset(place, PLACES + place)
    return {
        "task": task.name,
        "observed": task.observation_size,
        "episode": task.setup.horizon,
        "reset_ms": 1000 * (time.process_time() - started) / PLACES,
        "steps_per_second": steps * PLACES / lean,
        "speedup": plain / lean,
    }
