"""The folders of the user that hold caches and datasets, and names that are safe for folders."""

import os
import re
from pathlib import Path


def cache_folder() -> Path:
    """Return the cache folder, `$INSTINCT_CACHE` or the user's; it can be deleted at any time."""
    if "INSTINCT_CACHE" in os.environ:
        return Path(os.environ["INSTINCT_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "instinct"


def program_folder() -> Path:
    """Return the folder of compiled programs, which does not move with `$INSTINCT_CACHE`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "instinct" / "xla"


def data_folder() -> Path:
    """Return the folder of datasets made on this machine, `$INSTINCT_DATA` or the user's."""
    if "INSTINCT_DATA" in os.environ:
        return Path(os.environ["INSTINCT_DATA"])
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "instinct"


def minari_folder() -> Path:
    """Return the folder of Minari's downloads; ids such as mujoco/hopper/medium-v0 are paths."""
    given = os.environ.get("MINARI_DATASETS_PATH")
    return Path.home() / ".minari" / "datasets" if given is None else Path(given)


def folder_name(name: str) -> str:
    """Return a name as the name of one folder, never a path.

    >>> folder_name("audit of hopper-medium@200000"), folder_name("../../etc"), folder_name("..")
    ('audit-of-hopper-medium@200000', '-..-etc', 'unnamed')
    """
    return re.sub(r"[^\w.@-]+", "-", name).lstrip(".") or "unnamed"
