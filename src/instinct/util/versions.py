"""The versions that numbers depend on."""

import os
import platform
from importlib.metadata import version

import instinct

LIBRARIES = ("numpy", "scipy", "jax", "gymnasium", "mujoco")


def describe_machine() -> str:
    """Describe this machine: its name, its kind of processor and how many cores it has."""
    return f"{platform.node()}, {platform.machine()}, {os.cpu_count()} cores"


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that numbers depend on."""
    return {
        "python": platform.python_version(),
        "instinct": instinct.__version__,
        **{name: version(name) for name in LIBRARIES},
    }
