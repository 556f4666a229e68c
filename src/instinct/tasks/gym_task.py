"""The locomotion benchmark, and any of Gymnasium's environments by its id."""

from dataclasses import dataclass
from functools import cached_property

from instinct.data import Array, Box
from instinct.tasks.environments import Environment, action_box, make, observation_size
from instinct.tasks.locomotion import BODIES, LocomotionSimulation
from instinct.tasks.scores import D4RL_RETURNS, normalize
from instinct.tasks.simulation import GymSimulation, Simulation

PREFIX = "gym:"


@dataclass(frozen=True)
class GymTask:
    """An environment with observations and actions in boxes, judged by its own reward."""

    name: str

    @property
    def environment_id(self) -> str:
        if self.name in BODIES:
            return BODIES[self.name].environment
        return self.name.removeprefix(PREFIX)

    def environment(self) -> Environment:
        return make(self.environment_id)

    @cached_property
    def made(self) -> Environment:
        return self.environment()

    @property
    def action_space(self) -> Box:
        return action_box(self.made)

    @property
    def observation_size(self) -> int:
        return observation_size(self.made)

    def simulation(self, places: int) -> Simulation:
        if self.name in BODIES:
            return LocomotionSimulation(BODIES[self.name], places)
        return GymSimulation(self.environment_id, places)

    def scores(self, returns: Array) -> Array | None:
        """D4RL's normalised scores, if there are any for the task."""
        return normalize(returns, self.name) if self.name in D4RL_RETURNS else None
