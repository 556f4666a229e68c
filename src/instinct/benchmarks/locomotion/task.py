"""The locomotion tasks: hopper, walker2d and halfcheetah."""

from dataclasses import dataclass

from instinct.benchmarks.locomotion.scores import normalize
from instinct.benchmarks.locomotion.simulation import (
    BODIES,
    HORIZON,
    Body,
    LocomotionSimulation,
)
from instinct.data import Array
from instinct.errors import BadInput
from instinct.tasks.environments import Environment, EnvironmentSpaces, make
from instinct.tasks.simulation import End


@dataclass(frozen=True)
class LocomotionTask(EnvironmentSpaces):
    """A locomotion task, evaluated by its own reward and by D4RL's normalized score."""

    name: str

    def __post_init__(self) -> None:
        if self.name not in BODIES:
            raise BadInput(
                f"no locomotion task is called {self.name!r}; there are {', '.join(BODIES)}"
            )

    @property
    def body(self) -> Body:
        return BODIES[self.name]

    def environment(self) -> Environment:
        return make(self.body.environment)

    @property
    def horizon(self) -> int:
        return HORIZON

    @property
    def end(self) -> End:
        return "fall" if self.body.alive else "timeout"

    @property
    def cost_target(self) -> None:
        return None

    def simulation(self, places: int) -> LocomotionSimulation:
        return LocomotionSimulation(self.body, places)

    def scores(self, returns: Array) -> Array:
        """Return D4RL's normalized scores."""
        return normalize(returns, self.name)
