"""Any Gymnasium environment by its id."""

from dataclasses import dataclass
from functools import cached_property

from instinct.data import Array, Box
from instinct.tasks.environments import Environment, action_box, make, observation_size
from instinct.tasks.simulation import GymSimulation

PREFIX = "gym:"


@dataclass(frozen=True)
class GymTask:
    """An environment with observations and actions in boxes, judged by its own reward."""

    name: str

    @property
    def environment_id(self) -> str:
        return self.name.removeprefix(PREFIX)

    def environment(self) -> Environment:
        return make(self.environment_id)

    @cached_property
    def _environment(self) -> Environment:
        return self.environment()

    @property
    def action_space(self) -> Box:
        return action_box(self._environment)

    @property
    def observation_size(self) -> int:
        return observation_size(self._environment)

    def simulation(self, places: int) -> GymSimulation:
        return GymSimulation(self.environment_id, places)

    def scores(self, returns: Array) -> None:
        """Return no scores: nothing normalizes the returns of an arbitrary environment."""
        del returns
