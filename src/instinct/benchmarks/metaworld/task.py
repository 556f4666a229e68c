"""Meta-World: the paper's fifteen goal-oriented tasks."""

import copy
import importlib.util
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple

from instinct.data import Array, Box
from instinct.errors import BadInput, missing_extra
from instinct.tasks.environments import Environment
from instinct.tasks.simulation import End, ThreadedSimulation, threads_for

if TYPE_CHECKING:
    from metaworld.sawyer_xyz_env import SawyerXYZEnv

PREFIX = "metaworld:"
HORIZON = 500
VERSIONS = {"metaworld": "3.1.1", "mujoco": "3.3.0"}


class GoalSetup(NamedTuple):
    """Facts about a task that Meta-World does not provide in a uniform way.

    `apart` is the least distance between the object and its goal at the start. `turned` is the
    part whose rotation matrix Meta-World reads the object's orientation from.
    """

    apart: float = 0.0
    turned: tuple[str, str] | None = None


SETUPS = {
    "button-press": GoalSetup(),
    "door-open": GoalSetup(turned=("geom", "handle")),
    "drawer-close": GoalSetup(),
    "drawer-open": GoalSetup(),
    "peg-insert-side": GoalSetup(apart=0.1, turned=("site", "pegGrasp")),
    "pick-place": GoalSetup(apart=0.15, turned=("geom", "objGeom")),
    "push": GoalSetup(apart=0.15, turned=("geom", "objGeom")),
    "reach": GoalSetup(apart=0.15, turned=("geom", "objGeom")),
    "window-close": GoalSetup(),
    "window-open": GoalSetup(),
    "bin-picking": GoalSetup(),
    "box-close": GoalSetup(apart=0.25),
    "door-lock": GoalSetup(),
    "door-unlock": GoalSetup(),
    "hand-insert": GoalSetup(apart=0.15),
}


@dataclass(frozen=True)
class MetaWorldTask:
    """One of the fifteen tasks: the goal is observed and rewards are in [-1, 0].

    Test episodes have goals that occur in no dataset; `unseen=False` gives the goals of datasets.
    Reaching the goal is a terminal; with `goal_terminal=False` an episode goes on after success and
    ends by a timeout.
    """

    name: str
    unseen: bool = True
    goal_terminal: bool = True

    def __post_init__(self) -> None:
        if self.short_name not in SETUPS:
            raise BadInput(
                f"Meta-World has no task {self.short_name!r} here; there are {', '.join(SETUPS)}"
            )

    @property
    def short_name(self) -> str:
        return self.name.removeprefix(PREFIX)

    @property
    def action_space(self) -> Box:
        return Box.of(4)

    @property
    def observation_size(self) -> int:
        return 39

    @property
    def horizon(self) -> int:
        return HORIZON

    @property
    def end(self) -> End:
        return "goal" if self.goal_terminal else "timeout"

    @property
    def cost_target(self) -> None:
        return None

    def environment(self) -> Environment:
        """Create Meta-World's own environment with changed goals, rewards and terminals."""
        need_metaworld()
        from instinct.benchmarks.metaworld.environment import base_class

        return self.with_goals(base_class(self.short_name)())

    def with_goals(self, environment: "SawyerXYZEnv") -> Environment:
        from instinct.benchmarks.metaworld.environment import GoalEnvironment

        return GoalEnvironment(
            environment,
            SETUPS[self.short_name].apart,
            unseen=self.unseen,
            goal_terminal=self.goal_terminal,
        )

    def simulation(self, places: int) -> ThreadedSimulation:
        """Create lean environments; those of a thread share one model."""
        need_metaworld()
        from instinct.benchmarks.metaworld.lean import compiled, lean_class

        threads = threads_for(places)
        models = [copy.copy(compiled(self.short_name)) for _ in range(threads)]
        lean = lean_class(self.short_name, SETUPS[self.short_name].turned)
        return ThreadedSimulation(
            [self.with_goals(lean(models[place % threads])) for place in range(places)]
        )

    def scores(self, returns: Array) -> None:
        del returns


def need_metaworld() -> None:
    """Raise BadInput unless Meta-World and the versions that it needs are installed."""
    if importlib.util.find_spec("metaworld") is None:
        raise missing_extra("Meta-World", "metaworld")
    for package, needed in VERSIONS.items():
        if version(package) != needed:
            raise BadInput(
                f"Meta-World's tasks need {package} {needed}, but {version(package)} is "
                f"installed; pip install {package}=={needed}"
            )
