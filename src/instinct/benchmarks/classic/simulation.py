"""Simulate many episodes of a world side by side, with numbers equal to Gymnasium's."""

from typing import Any

import numpy as np

from instinct.benchmarks.classic.worlds import World
from instinct.data import Array
from instinct.tasks.environments import make
from instinct.tasks.simulation import Step


class ClassicSimulation:
    """One state per place. Gymnasium resets every episode, and the world advances all at once."""

    def __init__(self, world: World, places: int) -> None:
        self.world = world
        self.start: Any = make(world.ENVIRONMENT).unwrapped
        self.states = np.zeros((places, world.STATE))
        self.steps = np.zeros(places, int)

    def reset(self, place: int, seed: int) -> Array:
        observation: Array = self.start.reset(seed=seed)[0]
        self.states[place], self.steps[place] = self.start.state, 0
        return observation

    def step(self, places: Array, actions: Array) -> Step:
        states = self.world.advance(self.states[places], actions)
        terminals = self.world.terminal(states)
        self.states[places] = states
        self.steps[places] += 1
        return Step(
            self.world.observe(states),
            self.world.rewards(terminals),
            terminals,
            (self.steps[places] >= self.world.HORIZON) & ~terminals,
        )
