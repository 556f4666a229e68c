"""Tasks by name: the locomotion benchmark, and any of Gymnasium's environments by its id."""

from dataclasses import dataclass
from functools import cached_property

from instinct.data import Array, Box
from instinct.errors import BadInput
from instinct.tasks.environments import Environment, action_box, make, observation_size
from instinct.tasks.locomotion import BODIES, LocomotionSimulation
from instinct.tasks.scores import D4RL_RETURNS, normalize
from instinct.tasks.simulation import GymSimulation, Simulation

PREFIX = "gym:"


@dataclass(frozen=True)
class GymTask:
    """An environment with observations and actions in boxes, judged by its own reward."""

    name: str

    def __post_init__(self) -> None:
        if self.name not in BODIES and not self.name.startswith(PREFIX):
            raise BadInput(
                f"no task is called {self.name!r}; there are {', '.join(BODIES)}, and any "
                f"environment of Gymnasium's as {PREFIX}ID, for example gym:InvertedPendulum-v5"
            )

    @property
    def environment_id(self) -> str:
        if self.name in BODIES:
            return BODIES[self.name].environment
        return self.name.removeprefix(PREFIX)

    @cached_property
    def environment(self) -> Environment:
        return make(self.environment_id)

    @cached_property
    def action_space(self) -> Box:
        return action_box(self.environment)

    @cached_property
    def observation_size(self) -> int:
        return observation_size(self.environment)

    def simulation(self, places: int) -> Simulation:
        if self.name in BODIES:
            return LocomotionSimulation(BODIES[self.name], places)
        return GymSimulation(self.environment_id, places)

    def scores(self, returns: Array) -> Array | None:
        """D4RL's normalised scores, if there are any for the task."""
        return normalize(returns, self.name) if self.name in D4RL_RETURNS else None
