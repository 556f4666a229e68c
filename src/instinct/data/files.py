"""Read and write datasets in any known format."""

from pathlib import Path
from typing import Protocol

from instinct.data import cache
from instinct.data.assemble import HORIZON, ActionRange
from instinct.data.dataset import Dataset
from instinct.data.formats.d4rl import read_d4rl, write_d4rl
from instinct.data.formats.lerobot import is_lerobot, read_lerobot
from instinct.data.formats.minari import is_minari, read_minari, write_minari
from instinct.data.formats.npz import read_npz, write_npz
from instinct.data.spaces import ActionSpace
from instinct.data.tables.reader import read_table
from instinct.data.tables.roles import NO_ROLES, Roles, roles_beside
from instinct.data.tables.source import is_table
from instinct.errors import BadInput
from instinct.util.reading import refuse_special


class Reader(Protocol):
    def __call__(
        self,
        path: Path,
        *,
        action_range: ActionRange | None,
        task_space: ActionSpace | None,
        horizon: int,
    ) -> Dataset: ...


READERS: dict[bytes, Reader] = {b"\x89HDF\r\n\x1a\n": read_d4rl, b"PK\x03\x04": read_npz}
WRITERS = {".hdf5": write_d4rl, ".h5": write_d4rl, ".npz": write_npz, "": write_minari}
FORMATS = (
    "a D4RL or DSRL HDF5 file, an npz archive, a Minari or LeRobot folder, or a CSV, Parquet or "
    "Arrow table"
)


def read(
    path: Path | str,
    *,
    action_range: ActionRange | None = None,
    task_space: ActionSpace | None = None,
    horizon: int = HORIZON,
    roles: Roles = NO_ROLES,
) -> Dataset:
    """Read a dataset from a file or folder. The contents decide the format, not the name.

    `action_range` overrides the range of the file. If the file has none, it is that of
    `task_space`, the actions of the task to evaluate in, or else [-1, 1], or what the data span if
    they leave it. `horizon` splits episodes if the file has neither timeouts nor next
    observations. `roles` are those of the columns of a table; roles that are not given are read
    from the TOML file beside it. Large datasets are cached.
    """
    path = Path(path)
    refuse_special(path)
    if is_table(path):
        return read_cached_table(path, action_range, task_space, roles)
    if roles != NO_ROLES:
        raise BadInput("is no table, whose columns have roles", file=path)
    reader = choose_reader(path)
    options = f"{action_range} {task_space} {horizon}"
    dataset = cache.read_cached(path, options)
    if dataset is None:
        dataset = reader(path, action_range=action_range, task_space=task_space, horizon=horizon)
        cache.write_cached(dataset, path, options)
    return dataset


def read_cached_table(
    path: Path, action_range: ActionRange | None, task_space: ActionSpace | None, roles: Roles
) -> Dataset:
    """Read a table. Other roles, given or beside the table, are another entry of the cache."""
    roles = roles.over(roles_beside(path))
    options = f"{action_range} {task_space} {roles}"
    dataset = cache.read_cached(path, options)
    if dataset is None:
        dataset = read_table(path, roles=roles, action_range=action_range, task_space=task_space)
        cache.write_cached(dataset, path, options)
    return dataset


def choose_reader(path: Path) -> Reader:
    """Choose the reader for a path by the first bytes of its file."""
    if not path.exists():
        raise BadInput("does not exist", file=path)
    if path.is_dir():
        return choose_folder_reader(path)
    if not path.is_file():
        raise BadInput("is not a regular file", file=path)
    try:
        with path.open("rb") as file:
            beginning = file.read(8)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", file=path) from error
    for magic, reader in READERS.items():
        if beginning.startswith(magic):
            return reader
    raise BadInput(describe_unknown_format(beginning), file=path)


def choose_folder_reader(path: Path) -> Reader:
    """Choose the reader for a folder by the file that describes it."""
    if is_lerobot(path):
        return read_lerobot
    if is_minari(path):
        return read_minari
    raise BadInput(
        "is a folder without Minari's data/metadata.json or LeRobot's meta/info.json", file=path
    )


def describe_unknown_format(beginning: bytes) -> str:
    """Say why a file that begins with these bytes cannot be read."""
    if not beginning:
        return "is empty"
    if beginning[:1] == b"\x80" and beginning[1:2] <= b"\x05":
        return "is a pickle, which can run code: refused, not loaded"
    if beginning.startswith(b"\x93NUMPY"):
        return "is a single array; a dataset needs several, as in an npz archive"
    return f"is not {FORMATS}"


def write(dataset: Dataset, path: Path | str) -> None:
    """Write a dataset. The name decides the format: .hdf5, .h5, .npz, or a folder for Minari.

    >>> import instinct
    >>> instinct.write(instinct.load("gridworld"), "grid.npz")
    >>> instinct.load("grid.npz")
    Dataset(4,500 transitions, 500 episodes)
    """
    path = Path(path)
    if path.suffix not in WRITERS:
        raise BadInput(
            "must end in .hdf5 or .npz, or have no ending for a Minari folder", file=path
        )
    WRITERS[path.suffix](dataset, path)
