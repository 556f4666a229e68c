"""Run Safety-Gymnasium 1.0.0 on current versions of Python, NumPy, Gymnasium and MuJoCo.

It was written for Python 3.10 and MuJoCo 2.3. Its files stay unchanged. The patches here concern
how its modules are imported, how a joint is looked up, textures that are never rendered, and the
last bits of a first episode; they do not change physics, observations, rewards or costs.
"""

import importlib.util
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mujoco  # type: ignore[import-untyped]
import numpy as np

from instinct.errors import BadInput

PACKAGE = "safety_gymnasium"
VERSION = "1.0.0"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
"""What `instinct setup safety` installs: exact versions with their hashes."""
NEEDS = ("xmltodict", "yaml")
NO_SKY = {"@type": "skybox", "@builtin": "flat", "@width": "1", "@height": "1"}


def need_safety() -> None:
    """Raise BadInput unless the right version of Safety-Gymnasium is installed."""
    try:
        installed = version("safety-gymnasium")
    except PackageNotFoundError:
        installed = ""
    if not installed or any(importlib.util.find_spec(name) is None for name in (PACKAGE, *NEEDS)):
        raise BadInput("Safety-Gymnasium is not installed; run `instinct setup safety`")
    if installed != VERSION:
        raise BadInput(
            f"the safety tasks need Safety-Gymnasium {VERSION}, but {installed} is installed; "
            "run `instinct setup safety`"
        )


def build(kind: Any, name: str) -> Any:
    """Create the environment of a task such as PointGoal1."""
    agent = "Point" if name.startswith("Point") else "Car"
    with np.errstate(over="ignore"):  # Gymnasium compares -1 with the least float
        return kind(task_id=f"Safety{name}-v0", config={"agent_name": agent})


@cache
def builder() -> Any:
    """Return Safety-Gymnasium's environment class, patched."""
    need_safety()
    import_without_start()
    hashable_colors()
    found = import_module(f"{PACKAGE}.builder").Builder
    scalar_joints()
    first_like_later()
    no_sky()
    return found


def import_without_start() -> None:
    """Make its modules importable without running its `__init__.py`.

    That file imports wrappers that need modules which Gymnasium no longer has, and registers
    environments, which is not needed to build one.
    """
    if PACKAGE not in sys.modules:
        spec = importlib.util.find_spec(PACKAGE)
        assert spec is not None
        sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)


class Color(np.ndarray[Any, np.dtype[np.float64]]):
    """An array with a hash, which Python 3.11 requires of a dataclass's default value."""

    __hash__ = object.__hash__  # type: ignore[assignment]


def hashable_colors() -> None:
    """Make its colors usable as defaults of dataclasses."""
    colors = import_module(f"{PACKAGE}.assets.color").COLOR
    colors.update({name: np.asarray(color).view(Color) for name, color in colors.items()})


class ScalarJoints:
    """A model whose joints can be indexed by an array of one number, as in MuJoCo 2.3."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def jnt(self, number: Any) -> Any:
        return self.model.jnt(int(np.asarray(number).item()))


def scalar_joints() -> None:
    """Let agents find their joints' sensors, which they do once when they are created."""
    agent = import_module(f"{PACKAGE}.bases.base_agent").BaseAgent
    find_sensors = agent._init_jnt_sensors

    def find_with_scalars(self: Any) -> None:
        engine, model = self.engine, self.engine.model
        engine.model = ScalarJoints(model)
        find_sensors(self)
        engine.model = model

    agent._init_jnt_sensors = find_with_scalars


def first_like_later() -> None:
    """Give an environment's first world the solver pass that only later worlds get.

    Each pass starts from the result of the last one. Without this pass the last bits of an episode
    would depend on whether another episode was played before.
    """
    task = import_module(f"{PACKAGE}.bases.underlying").Underlying
    build_world = task._build

    def build_alike(self: Any) -> None:
        first = self.world is None
        build_world(self)
        if first:
            mujoco.mj_forward(self.model, self.data)

    task._build = build_alike


def no_sky() -> None:
    """Read the list of textures once, with a plain sky, instead of six images per reset."""
    import yaml  # type: ignore[import-untyped]

    world: Any = import_module(f"{PACKAGE}.world")
    assets = yaml.safe_load((Path(world.BASE_DIR) / "configs/assets.yaml").read_text("utf-8"))
    assets["textures"]["skybox"] = NO_SKY

    def load(file: Any, Loader: Any) -> Any:
        del file, Loader
        return assets

    world.yaml = SimpleNamespace(load=load, FullLoader=None)
