"""DSRL's own files in the data folder."""

import re
from pathlib import Path

from instinct.benchmarks.safety.task import SETUPS
from instinct.data import ActionRange, Dataset, read
from instinct.errors import BadInput
from instinct.util.folders import data_folder

PREFIX = "dsrl:"
FILE = re.compile(r"Safety([A-Za-z]+\d)Gymnasium-v\d+(-\d+)*\.hdf5")
"""DSRL's file names, such as SafetyPointGoal1Gymnasium-v0-100-2022.hdf5."""


def dsrl_path(name: str) -> Path:
    """Return the path of a dataset such as dsrl:PointGoal1 in the data folder."""
    task = name.removeprefix(PREFIX)
    if task not in SETUPS:
        raise BadInput(f"DSRL has no task {task!r} here; there are {', '.join(SETUPS)}")
    paths = files().get(task, [])
    if len(paths) > 1:
        raise BadInput(
            f"has several files of {task}: {', '.join(path.name for path in paths)}; leave one",
            file=folder(),
        )
    if not paths:
        raise BadInput(
            f"has no Safety{task}Gymnasium-v0-….hdf5; download it from DSRL "
            "(https://offline-saferl.org) and put it there",
            file=folder(),
        )
    return paths[0]


def read_dsrl(name: str, action_range: ActionRange | None = None) -> Dataset:
    """Read a dataset by name; it must have costs."""
    path = dsrl_path(name)
    dataset = read(path, action_range=action_range)
    if dataset.costs is None:
        raise BadInput("is missing; a file of DSRL's has a cost per row", file=path, field="costs")
    return dataset


def present() -> dict[str, Path]:
    """Return the files in the data folder by name; the first of several for a task."""
    return {f"{PREFIX}{task}": paths[0] for task, paths in files().items()}


def files() -> dict[str, list[Path]]:
    """Return DSRL's files in the data folder by task."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder().glob("*.hdf5")):
        match = FILE.fullmatch(path.name)
        if match and match[1] in SETUPS:
            found.setdefault(match[1], []).append(path)
    return found


def folder() -> Path:
    return data_folder() / "dsrl"
