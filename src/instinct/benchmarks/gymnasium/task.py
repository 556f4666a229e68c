"""Any Gymnasium environment by its id."""

from dataclasses import dataclass

from instinct.data import Array
from instinct.tasks.environments import Environment, EnvironmentSpaces, make
from instinct.tasks.simulation import End, GymSimulation

PREFIX = "gym:"


@dataclass(frozen=True)
class GymTask(EnvironmentSpaces):
    """A Gymnasium environment with vectors as observations, evaluated by its own reward.

    Actions are vectors as well, or discrete.

    The name is "gym:" and the id of the environment, or any other name beside an `id`.
    """

    name: str
    id: str = ""
    end: End = "unknown"

    @property
    def environment_id(self) -> str:
        return self.id or self.name.removeprefix(PREFIX)

    def environment(self) -> Environment:
        return make(self.environment_id)

    @property
    def horizon(self) -> int | None:
        """The time limit that Gymnasium has registered for the environment."""
        spec = self._environment.spec
        return None if spec is None else spec.max_episode_steps

    @property
    def cost_target(self) -> None:
        return None

    def simulation(self, places: int) -> GymSimulation:
        return GymSimulation([self.environment() for _ in range(places)])

    def scores(self, returns: Array) -> None:
        """Return no scores: nothing normalizes the returns of an arbitrary environment."""
        del returns
