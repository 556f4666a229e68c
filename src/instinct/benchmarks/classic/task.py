"""CartPole-v1, MountainCar-v0 and Acrobot-v1 as tasks with discrete actions."""

from dataclasses import dataclass

from instinct.benchmarks.classic.simulation import ClassicSimulation
from instinct.benchmarks.classic.worlds import WORLDS, World
from instinct.data import Array, Discrete
from instinct.errors import BadInput
from instinct.tasks.environments import Environment, make
from instinct.tasks.simulation import End

RETURNS = {
    "cartpole": (22.2, 500.0),
    "mountaincar": (-200.0, -110.0),
    "acrobot": (-499.0, -79.0),
}
"""The mean returns of random actions, and of the shipped expert without noise."""


@dataclass(frozen=True)
class ClassicTask:
    """One of the three tasks, judged by its own reward and by the normalized score."""

    name: str

    def __post_init__(self) -> None:
        if self.name not in WORLDS:
            raise BadInput(
                f"no classic task is called {self.name!r}; there are {', '.join(WORLDS)}"
            )

    @property
    def world(self) -> World:
        return WORLDS[self.name]

    @property
    def action_space(self) -> Discrete:
        return Discrete(self.world.ACTIONS)

    @property
    def observation_size(self) -> int:
        return self.world.OBSERVED

    @property
    def horizon(self) -> int:
        return self.world.HORIZON

    @property
    def end(self) -> End:
        return self.world.END

    @property
    def cost_target(self) -> None:
        return None

    def environment(self) -> Environment:
        """Create Gymnasium's own environment."""
        return make(self.world.ENVIRONMENT)

    def simulation(self, places: int) -> ClassicSimulation:
        return ClassicSimulation(self.world, places)

    def scores(self, returns: Array) -> Array:
        """Return 100·(R − random)/(expert − random)."""
        low, high = RETURNS[self.name]
        return 100 * (returns - low) / (high - low)
