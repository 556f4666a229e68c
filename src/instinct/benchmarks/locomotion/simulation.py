"""Simulate hopper, walker2d and halfcheetah (Gymnasium's v4 environments) on all cores.

Gymnasium resets every episode, and MuJoCo steps it in a state of its own. Every number equals
Gymnasium's to the bit.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import mujoco  # type: ignore[import-untyped]
import numpy as np

from instinct.data import Array
from instinct.tasks.environments import make
from instinct.tasks.simulation import Step
from instinct.util.cores import cores

HORIZON = 1000
STATE = mujoco.mjtState.mjSTATE_INTEGRATION
"""Everything that the next step depends on, including the start of the constraint solver."""


@dataclass(frozen=True)
class Body:
    """The reward and the terminal states of a task: r = ẋ + alive − control·|a|².

    A body with an `alive` bonus falls, which ends the episode, when its height, angle or any other
    coordinate leaves its range.
    """

    environment: str
    control: float
    alive: float = 0.0
    height: tuple[float, float] = (-math.inf, math.inf)
    angle: tuple[float, float] = (-math.inf, math.inf)
    coordinates: float = math.inf
    seen_speed: float = math.inf
    """Observed velocities are clipped to this."""

    def observe(self, positions: Array, velocities: Array) -> Array:
        """Return observations: positions without the distance covered, clipped velocities."""
        seen = np.clip(velocities, -self.seen_speed, self.seen_speed)
        return np.concatenate([positions[:, 1:], seen], axis=1)

    def reward(self, speed: Array, actions: Array) -> Array:
        return np.asarray(
            speed + self.alive - self.control * np.square(actions).sum(axis=1), np.float64
        )

    def terminal(self, positions: Array, velocities: Array) -> Array:
        height, angle = positions[:, 1], positions[:, 2]
        others = np.concatenate([positions[:, 2:], velocities], axis=1)
        healthy = (
            within(height, *self.height)
            & within(angle, *self.angle)
            & within(others, -self.coordinates, self.coordinates).all(axis=1)
        )
        return ~healthy if self.alive else np.zeros(len(positions), bool)


BODIES = {
    "hopper": Body(
        "Hopper-v4",
        control=1e-3,
        alive=1.0,
        height=(0.7, math.inf),
        angle=(-0.2, 0.2),
        coordinates=100.0,
        seen_speed=10.0,
    ),
    "walker2d": Body(
        "Walker2d-v4",
        control=1e-3,
        alive=1.0,
        height=(0.8, 2.0),
        angle=(-1.0, 1.0),
        seen_speed=10.0,
    ),
    "halfcheetah": Body("HalfCheetah-v4", control=0.1),
}


def within(values: Array, low: float, high: float) -> Array:
    return np.asarray((low < values) & (values < high))


class LocomotionSimulation:
    """One MuJoCo state per place; threads share the places."""

    def __init__(self, body: Body, places: int) -> None:
        self.body = body
        self.environment = make(body.environment)
        unwrapped: Any = self.environment.unwrapped
        self.model, self.frames = unwrapped.model, int(unwrapped.frame_skip)
        self.start = unwrapped.data
        self.everything = np.zeros(mujoco.mj_stateSize(self.model, STATE))
        self.dt = float(unwrapped.dt)
        self.states = [mujoco.MjData(self.model) for _ in range(places)]
        self.controls = [state.ctrl for state in self.states]
        self.positions = [state.qpos for state in self.states]
        self.velocities = [state.qvel for state in self.states]
        self.steps = np.zeros(places, int)
        self.threads = max(1, min(len(cores()), places))
        self.pool = ThreadPoolExecutor(self.threads)

    def reset(self, place: int, seed: int) -> Array:
        observation, _ = self.environment.reset(seed=seed)
        mujoco.mj_getState(self.model, self.start, self.everything, STATE)
        mujoco.mj_setState(self.model, self.states[place], self.everything, STATE)
        self.steps[place] = 0
        return observation

    def step(self, places: Array, actions: Array) -> Step:
        before = self.gather(self.positions, places)[:, 0]
        shares = np.array_split(np.arange(len(places)), self.threads)
        list(self.pool.map(lambda share: self.advance(places[share], actions[share]), shares))
        positions = self.gather(self.positions, places)
        velocities = self.gather(self.velocities, places)
        self.steps[places] += 1
        terminals = self.body.terminal(positions, velocities)
        return Step(
            self.body.observe(positions, velocities),
            self.body.reward((positions[:, 0] - before) / self.dt, actions),
            terminals,
            (self.steps[places] >= HORIZON) & ~terminals,
        )

    def advance(self, places: Array, actions: Array) -> None:
        for place, action in zip(places.tolist(), actions, strict=True):
            self.controls[place][:] = action
            mujoco.mj_step(self.model, self.states[place], self.frames)

    @staticmethod
    def gather(views: list[Array], places: Array) -> Array:
        return np.array([views[place] for place in places.tolist()])
