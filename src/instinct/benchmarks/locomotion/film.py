"""Film an episode of a policy: positions along the episode, and pictures where MuJoCo can draw."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.data import Array
from instinct.tasks.evaluation import Policy, play

DRAWN_BY = ("egl", "osmesa") if sys.platform == "linux" else ("",)
"""Values of MUJOCO_GL to try, if the user has set none."""
SECONDS = 30.0
"""Rendering that takes longer is given up."""


def record_positions(policy: Policy, task: LocomotionTask, seed: int) -> Array:
    """Play the first test episode of a seed and return the positions after every step."""
    simulation = task.simulation(1)
    found = []
    for _ in play(policy, simulation, task.observation_size, np.array([0]), seed):
        found.append(simulation.positions[0].copy())  # noqa: PERF401 - playing changes them
    return np.array(found)


def render(task: LocomotionTask, positions: Array) -> Array | None:
    """Render positions to pictures, [n, height, width, 3]; None where nothing can draw."""
    environment = task.environment()
    model = str(environment.unwrapped.fullpath)  # type: ignore[attr-defined]
    environment.close()
    chosen = os.environ.get("MUJOCO_GL")
    for library in (chosen,) if chosen else DRAWN_BY:
        frames = render_with(library, model, positions)
        if frames is not None:
            return frames
    return None


def render_with(library: str, model: str, positions: Array) -> Array | None:
    """Render with one library; None if it does not work here."""
    script = Path(__file__).with_name("offscreen.py")
    settings = {**os.environ, "MUJOCO_GL": library} if library else {**os.environ}
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "positions.npy", Path(folder) / "frames.npy"
        np.save(given, positions, allow_pickle=False)
        try:
            subprocess.run(  # noqa: S603 - this interpreter and our own file
                [sys.executable, str(script), model, str(given), str(made)],
                env=settings,
                timeout=SECONDS,
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            frames: Array = np.load(made, allow_pickle=False)
        except (subprocess.SubprocessError, OSError, ValueError):
            return None
        return frames if frames.any() else None
