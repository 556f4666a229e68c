"""Safety-Gymnasium: the paper's sixteen tasks with a reward and a cost."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import gymnasium

from instinct.benchmarks.safety.compat import build, builder, need_safety
from instinct.data import KAPPA as KAPPA
from instinct.data import Array, Box
from instinct.errors import BadInput
from instinct.tasks.environments import Environment
from instinct.tasks.simulation import End, ThreadedSimulation

PREFIX = "safety:"


class CostSetup(NamedTuple):
    """DSRL's bounds of the return, the observation size, and the length of an episode."""

    lowest: float
    highest: float
    observed: int
    horizon: int = 1000


SETUPS = {
    "PointButton1": CostSetup(0.008822109034937853, 41.19301568767707, 76),
    "PointButton2": CostSetup(0.014114166087574098, 42.8985953616709, 76),
    "PointCircle1": CostSetup(20.067626953125, 61.72819519042969, 28, 500),
    "PointCircle2": CostSetup(20.478347778320312, 54.02184295654297, 28, 500),
    "PointGoal1": CostSetup(0.01196012764197707, 30.071114857340543, 60),
    "PointGoal2": CostSetup(0.002616959830266108, 27.717709787852737, 60),
    "PointPush1": CostSetup(0.0014001545292344209, 16.518654299293367, 76),
    "PointPush2": CostSetup(0.0012438183001730607, 14.691039145644403, 76),
    "CarButton1": CostSetup(0.0028926206826067613, 44.420003345738984, 88),
    "CarButton2": CostSetup(0.001767391717990563, 41.99513815522894, 88),
    "CarCircle1": CostSetup(8.037073135375977, 24.94155502319336, 40, 500),
    "CarCircle2": CostSetup(5.113386154174805, 25.950098037719727, 40, 500),
    "CarGoal1": CostSetup(0.012232819540852091, 39.907809198384705, 72),
    "CarGoal2": CostSetup(0.001032874531954775, 28.902897990056502, 72),
    "CarPush1": CostSetup(0.013700173533941762, 16.304467598905237, 88),
    "CarPush2": CostSetup(0.00029391133526335267, 15.141648491514314, 88),
}


@dataclass(frozen=True)
class SafetyTask:
    """One of the sixteen tasks. Episodes end by timeout, and every step has a cost ≥ 0."""

    name: str

    def __post_init__(self) -> None:
        if self.short_name not in SETUPS:
            raise BadInput(
                f"there is no safety task {self.short_name!r}; there are {', '.join(SETUPS)}"
            )

    @property
    def short_name(self) -> str:
        return self.name.removeprefix(PREFIX)

    @property
    def setup(self) -> CostSetup:
        return SETUPS[self.short_name]

    @property
    def action_space(self) -> Box:
        return Box.of(2)

    @property
    def observation_size(self) -> int:
        return self.setup.observed

    @property
    def horizon(self) -> int:
        return self.setup.horizon

    @property
    def end(self) -> End:
        return "timeout"

    @property
    def cost_target(self) -> float:
        return KAPPA

    def environment(self) -> Environment:
        """Create Safety-Gymnasium's own environment; the cost of a step is in its info."""
        need_safety()
        return CostEnvironment(build(builder(), self.short_name))

    def simulation(self, places: int) -> ThreadedSimulation:
        """Create lean environments."""
        need_safety()
        from instinct.benchmarks.safety.lean import lean_builder

        return ThreadedSimulation(
            [CostEnvironment(build(lean_builder(), self.short_name)) for _ in range(places)]
        )

    def scores(self, returns: Array) -> Array:
        """Return (R − r_min)/(r_max − r_min), a fraction as in the paper."""
        lowest, highest = self.setup.lowest, self.setup.highest
        return (returns - lowest) / (highest - lowest)


class CostEnvironment(gymnasium.Env[Array, Array]):
    """Safety-Gymnasium's environment with Gymnasium's five results of a step."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.observation_space = base.observation_space
        self.action_space = base.action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Start the episode of the seed; it depends on nothing else."""
        assert seed is not None
        observation, info = self.base.reset(seed=seed, options=options)
        return observation, info

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        observation, reward, cost, terminal, timeout, info = self.base.step(action)
        return observation, float(reward), terminal, timeout and not terminal, info | {"cost": cost}
