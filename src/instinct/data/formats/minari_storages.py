"""Read the episodes of a Minari dataset from its storage: one HDF5 file, or many Arrow files.

HDF5 has the group `episode_0` and so on. Arrow and Parquet have a folder `0` and so on for every
episode, whose rows also have the last observation; the other columns are padded there.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import h5py

from instinct.data.arrays import Array
from instinct.data.formats import hdf5
from instinct.data.formats.arrow import join, open_columns, read_columns
from instinct.data.formats.files import member, translate_errors
from instinct.data.formats.flatten import Tree, find
from instinct.errors import BadInput

FIELDS = {
    "observations": "observations",
    "actions": "actions",
    "rewards": "rewards",
    "terminations": "terminals",
    "truncations": "timeouts",
}
"""Minari's name of every field, and ours."""
MAIN_FILE = "main_data.hdf5"
COST = "infos/cost"


@dataclass(frozen=True)
class Episode:
    """The fields of an episode by our names; observations have one row more than the others."""

    fields: dict[str, Tree]
    observations: Callable[[], Tree]
    """Read while the storage is open, because they are the largest."""


@contextmanager
def read_hdf5_episodes(folder: Path) -> Iterator[Iterator[tuple[str, Episode]]]:
    """Open the HDF5 file; its episodes have names and come in the order of recording."""
    path = member(folder, "data", MAIN_FILE)
    with translate_errors(path, "HDF5"), h5py.File(path, "r") as file:
        hdf5.check_total(file)
        names = in_order((each for each in file if each.startswith("episode_")), "episode_")
        yield ((name, read_group(file, name)) for name in names)


def read_group(file: h5py.File, name: str) -> Episode:
    group = hdf5.open_group(file, name)
    names = [*group]
    require_fields(name, names)
    known = {theirs: ours for theirs, ours in FIELDS.items() if theirs in names}
    known.pop("observations")
    fields = {ours: hdf5.read_tree(group, theirs) for theirs, ours in known.items()}
    if hdf5.open_item(group, COST) is not None:
        fields["costs"] = hdf5.read_array(group, COST)
    return Episode(fields, lambda: hdf5.read_tree(hdf5.open_group(file, name), "observations"))


@contextmanager
def read_arrow_episodes(folder: Path) -> Iterator[Iterator[tuple[str, Episode]]]:
    """Open a folder of Arrow or Parquet files, whose episodes come in the order of recording."""
    yield arrow_episodes(folder)


def arrow_episodes(folder: Path) -> Iterator[tuple[str, Episode]]:
    data = folder / "data"
    with translate_errors(data, "Minari"):
        folders = [each.name for each in data.iterdir() if each.is_dir()]
        names = in_order(name for name in folders if not name.startswith((".", "_")))
    for name in names:
        files = [*(data / name).glob("part-*.arrow"), *(data / name).glob("part-*.parquet")]
        if not files:
            raise BadInput("has no file part-0.arrow or part-0.parquet", file=data / name)
        parts = [read_part(folder, file) for file in sorted(files, key=number)]
        columns = {field: join(field, [part[field] for part in parts]) for field in parts[0]}
        fields = {
            ours: columns[theirs] if ours == "costs" else without_last(columns[theirs])
            for theirs, ours in {**FIELDS, COST: "costs"}.items()
            if theirs in columns and ours != "observations"
        }
        yield name, Episode(fields, partial(columns.__getitem__, "observations"))


def read_part(folder: Path, file: Path) -> dict[str, Tree]:
    path = member(folder, *file.relative_to(folder).parts)
    with translate_errors(path, "Arrow or Parquet"):
        source = open_columns(path)
        require_fields("", source.names)
        return read_columns(source, [*FIELDS, COST])


def without_last(tree: Tree) -> Array:
    """Return all rows but the padded one."""
    return find(tree, (), "actions")[:-1]


def number(path: Path) -> int:
    """Return the number of a file that is called part-0.arrow and so on."""
    return int("".join(re.findall(r"\d", path.stem)) or 0)


def in_order(names: Iterable[str], prefix: str = "") -> list[str]:
    """Return the names of the episodes in the order of recording."""
    numbers = {name: name.removeprefix(prefix) for name in names}
    if not numbers or not all(each.isdecimal() for each in numbers.values()):
        raise BadInput("holds no numbered episodes", field=f"{prefix}0")
    return sorted(numbers, key=lambda name: int(numbers[name]))


def require_fields(name: str, found: list[str]) -> None:
    for need in FIELDS:
        if need not in found and need != "rewards":
            raise BadInput("is missing", field=f"{name}/{need}" if name else need)
