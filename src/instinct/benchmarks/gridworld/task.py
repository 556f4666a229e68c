"""The grid world as a task."""

from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np

from instinct.benchmarks.gridworld.world import ACTIONS, KEY, GridWorld
from instinct.data import Array, Discrete
from instinct.tasks.evaluation import Evaluation
from instinct.tasks.simulation import End, Step

NAME = "gridworld"


@dataclass(frozen=True)
class GridWorldTask:
    """The paper's grid world. Reaching the key is a terminal; episodes have at most 20 steps."""

    name: str = NAME
    world: GridWorld = field(default_factory=GridWorld)

    @property
    def action_space(self) -> Discrete:
        return Discrete(len(ACTIONS))

    @property
    def observation_size(self) -> int:
        return int(self.world.observations.shape[1])

    @property
    def horizon(self) -> int:
        return self.world.horizon

    @property
    def end(self) -> End:
        return "goal"

    @property
    def cost_target(self) -> None:
        return None

    @property
    def states(self) -> Array:
        return self.world.observations

    def environment(self) -> "GridWorldEnvironment":
        return GridWorldEnvironment(self.world)

    def simulation(self, places: int) -> "GridWorldSimulation":
        return GridWorldSimulation(self.world, places)

    def rollout(self, policy: Array, episodes: int, random: np.random.Generator) -> Evaluation:
        found = self.world.rollout(policy, episodes, random)
        return Evaluation(found.returns, found.lengths)

    def scores(self, returns: Array) -> None:
        del returns


class GridWorldSimulation:
    """One state of the grid world per place. The world is deterministic: seeds change nothing."""

    def __init__(self, world: GridWorld, places: int) -> None:
        self.world = world
        self.states = np.full(places, world.start)
        self.steps = np.zeros(places, int)

    def reset(self, place: int, seed: int) -> Array:
        del seed
        self.states[place], self.steps[place] = self.world.start, 0
        observation: Array = self.world.observations[self.world.start]
        return observation

    def step(self, places: Array, actions: Array) -> Step:
        before = self.states[places]
        after = self.world.successors[before, actions]
        self.states[places] = after
        self.steps[places] += 1
        terminals = self.world.on(KEY)[after]
        return Step(
            self.world.observations[after],
            self.world.rewards[before, actions],
            terminals,
            (self.steps[places] >= self.world.horizon) & ~terminals,
        )


class GridWorldEnvironment(gymnasium.Env[Array, Array]):
    """The grid world with Gymnasium's interface."""

    def __init__(self, world: GridWorld) -> None:
        self.simulation = GridWorldSimulation(world, 1)
        highest = world.observations.max(axis=0)
        self.observation_space = gymnasium.spaces.Box(0, highest, dtype=np.int64)
        self.action_space = gymnasium.spaces.Discrete(len(ACTIONS))  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        del options
        return self.simulation.reset(0, seed or 0), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        step = self.simulation.step(np.array([0]), np.asarray(action).reshape(1))
        return (
            step.observations[0],
            float(step.rewards[0]),
            bool(step.terminals[0]),
            bool(step.timeouts[0]),
            {},
        )
