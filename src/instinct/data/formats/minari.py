"""Read and write local Minari datasets.

A dataset is a folder with `data/main_data.hdf5` and `data/metadata.json`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from instinct.data.arrays import Array
from instinct.data.assemble import HORIZON, ActionRange, assemble
from instinct.data.dataset import Dataset
from instinct.data.formats import hdf5
from instinct.data.formats.files import check_memory, translate_errors
from instinct.data.spaces import ActionSpace, Box, Discrete
from instinct.errors import BadInput
from instinct.util.atomic import replacing

LAYOUT = "0.5.0"
"""The version of Minari whose layout is written."""

EPISODE_FIELDS = {
    "actions": "actions",
    "rewards": "rewards",
    "terminations": "terminals",
    "truncations": "timeouts",
}


def is_minari(path: Path) -> bool:
    return (path / "data" / "main_data.hdf5").is_file()


def read_minari(
    path: Path,
    *,
    action_range: ActionRange | None = None,
    task_space: ActionSpace | None = None,
    horizon: int = HORIZON,
) -> Dataset:
    metadata_path, data_path = path / "data" / "metadata.json", path / "data" / "main_data.hdf5"
    with translate_errors(metadata_path, "Minari metadata"):
        metadata = json.loads(metadata_path.read_text(encoding="utf-8"))
        if not isinstance(metadata, dict):
            raise BadInput("is not a JSON object")
        if metadata.get("data_format", "hdf5") != "hdf5":
            raise BadInput(
                f"is in Minari's {metadata['data_format']!r} format; only 'hdf5' can be read",
                field="data_format",
            )
        described = parse_space(metadata.get("action_space"))
    with translate_errors(data_path, "HDF5"):
        with h5py.File(data_path, "r") as file:
            arrays = join_episodes([read_episode(file, name) for name in episode_names(file)])
        return assemble(
            arrays,
            action_space=described,
            action_range=action_range,
            task_space=task_space,
            horizon=horizon,
        )


def episode_names(file: h5py.File) -> list[str]:
    """Return the names of the episodes in the order of recording."""
    names = [name for name in file if name.startswith("episode_")]
    if not names or not all(name.removeprefix("episode_").isdecimal() for name in names):
        raise BadInput("holds no numbered episodes", field="episode_0")
    check_memory(file.id.get_filesize())
    return sorted(names, key=lambda name: int(name.removeprefix("episode_")))


def read_episode(file: h5py.File, name: str) -> dict[str, Array]:
    group = file[name]
    if not isinstance(group, h5py.Group):
        raise BadInput("is not a group of arrays", field=name)
    for need in ("observations", *EPISODE_FIELDS):
        if need not in group and need != "rewards":
            raise BadInput("is missing", field=f"{name}/{need}")
    if isinstance(group["observations"], h5py.Group):
        parts = ", ".join(group["observations"])
        raise BadInput(
            f"have several parts ({parts}), as of a Dict space; only one vector per step can be "
            "read",
            field="observations",
        )
    arrays = {
        ours: hdf5.read_array(group, theirs)
        for theirs, ours in EPISODE_FIELDS.items()
        if theirs in group
    }
    steps = len(arrays["actions"]) if arrays["actions"].ndim else 0
    arrays.setdefault("rewards", np.full(steps, np.nan))
    if "cost" in group.get("infos", {}):
        costs = hdf5.read_array(group["infos"], "cost")
        arrays["costs"] = costs[-steps:]
    observations = hdf5.read_array(group, "observations")
    for field, array in {**arrays, "observations": observations}.items():
        rows = steps + (field == "observations")
        if array.ndim == 0 or len(array) != rows:
            raise BadInput(f"does not have {rows} rows", field=f"{name}/{field}")
    return arrays | {"observations": observations[:-1], "next_observations": observations[1:]}


def join_episodes(episodes: list[dict[str, Array]]) -> dict[str, Array]:
    """Join the episodes into one array per field. Costs need to be in all of them."""
    for number, fields in enumerate(episodes):
        for name, array in fields.items():
            expected = episodes[0].get(name, array).shape[1:]
            if array.shape[1:] != expected:
                raise BadInput(f"has rows of another shape in episode {number}", field=name)
    names = [name for name in episodes[0] if all(name in fields for fields in episodes)]
    return {name: np.concatenate([fields[name] for fields in episodes]) for name in names}


def parse_space(description: object) -> ActionSpace | None:
    """Read the action space from Minari's JSON text. Return None if there is no text."""
    if description is None:
        return None
    space = json.loads(description) if isinstance(description, str) else None
    match space:
        case {"type": "Discrete", "n": int(n), **rest} if rest.get("start", 0) == 0:
            return Discrete(n)
        case {"type": "Box", "shape": [int()], "low": [*low], "high": [*high]}:
            return Box(tuple(map(float, low)), tuple(map(float, high)))
        case {"type": str(kind)}:
            raise BadInput(
                f"is of type {kind}; only flat boxes and numbers from 0 can be read",
                field="action_space",
            )
    raise BadInput("is not a space that Minari writes", field="action_space")


def write_minari(dataset: Dataset, path: Path) -> None:
    """Write a folder that Minari can open in its folder of datasets."""
    with replacing(path) as scratch:
        (scratch / "data").mkdir(parents=True)
        with h5py.File(scratch / "data" / "main_data.hdf5", "w") as file:
            for number, (start, stop) in enumerate(zip(dataset.starts, dataset.stops, strict=True)):
                write_episode(file.create_group(f"episode_{number}"), dataset, start, stop, number)
        metadata = {
            "dataset_id": path.name,
            "data_format": "hdf5",
            "minari_version": LAYOUT,
            "total_episodes": dataset.episodes,
            "total_steps": len(dataset),
            "observation_space": json.dumps(describe_observations(dataset)),
            "action_space": json.dumps(describe_actions(dataset.action_space)),
        }
        (scratch / "data" / "metadata.json").write_text(json.dumps(metadata), encoding="utf-8")


def write_episode(group: h5py.Group, dataset: Dataset, start: int, stop: int, number: int) -> None:
    fields = dict(dataset.fields())
    group.attrs.update({"id": number, "total_steps": int(stop - start)})
    group["observations"] = np.concatenate(
        [fields["observations"][start:stop], fields["next_observations"][stop - 1 : stop]]
    )
    for theirs, ours in EPISODE_FIELDS.items():
        if ours in fields:
            group[theirs] = fields[ours][start:stop]
    if dataset.costs is not None:
        group.create_group("infos")["cost"] = dataset.costs[start:stop]


def describe_observations(dataset: Dataset) -> Mapping[str, Any]:
    both = np.concatenate([dataset.observations, dataset.next_observations])
    return describe_box(dataset.observations.dtype.name, both.min(axis=0), both.max(axis=0))


def describe_actions(space: ActionSpace) -> Mapping[str, Any]:
    if isinstance(space, Discrete):
        return {"type": "Discrete", "dtype": "int64", "start": 0, "n": space.n}
    return describe_box("float32", np.array(space.low), np.array(space.high))


def describe_box(dtype: str, low: Array, high: Array) -> Mapping[str, Any]:
    return {
        "type": "Box",
        "dtype": dtype,
        "shape": [len(low)],
        "low": low.tolist(),
        "high": high.tolist(),
    }
