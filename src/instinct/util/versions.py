"""The versions that numbers depend on."""

import platform
from importlib.metadata import version

LIBRARIES = ("instinct", "numpy", "scipy", "jax", "gymnasium", "mujoco")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that numbers depend on."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
    }
