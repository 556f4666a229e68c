"""Read and write local Minari datasets.

A dataset is a folder with `data/metadata.json`, and its episodes beside it in one of the storages:
`data/main_data.hdf5`, or `data/0/part-0.arrow` (or `.parquet`) for every episode.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from instinct.data.arrays import Array, as_numbers
from instinct.data.assemble import HORIZON, ActionRange, assemble
from instinct.data.dataset import Dataset
from instinct.data.following import Following
from instinct.data.formats.files import member, read_object, translate_errors
from instinct.data.formats.flatten import NO_SPACE, Tree, find, flatten, infer_parts, parts_of
from instinct.data.formats.minari_storages import (
    FIELDS,
    MAIN_FILE,
    Episode,
    read_arrow_episodes,
    read_hdf5_episodes,
)
from instinct.data.spaces import ActionSpace, Box, Discrete
from instinct.errors import BadInput
from instinct.util.atomic import replacing

LAYOUT = "0.5.0"
"""The version of Minari whose layout is written."""
STORAGES = {
    "hdf5": read_hdf5_episodes,
    "arrow": read_arrow_episodes,
    "parquet": read_arrow_episodes,
}
"""Readers of episodes by Minari's name of the storage."""


def is_minari(path: Path) -> bool:
    data = path / "data"
    return (data / MAIN_FILE).is_file() or (data / "metadata.json").is_file()


def read_minari(
    path: Path,
    *,
    action_range: ActionRange | None = None,
    task_space: ActionSpace | None = None,
    horizon: int = HORIZON,
) -> Dataset:
    about = read_metadata(path)
    with translate_errors(path, "Minari"):
        with about.storage(path) as found:
            fields, observed = [], []
            for name, episode in found:
                fields.append(as_arrays(name, episode))
                observed.append((name, len(fields[-1]["actions"]), episode.observations))
            arrays = join_episodes(fields)
            arrays |= join_observations(observed, about.observation_space)
        dataset = assemble(
            arrays,
            action_space=about.action_space,
            action_range=action_range,
            task_space=task_space,
            horizon=horizon,
        )
        return dataset.add_repairs(describe_parts(about.observation_space, dataset))


@dataclass(frozen=True)
class Metadata:
    """The parts of a dataset's metadata that reading needs."""

    storage: Callable[[Path], AbstractContextManager[Iterator[tuple[str, Episode]]]]
    action_space: ActionSpace | None
    observation_space: dict[str, Any] | None
    """As Minari writes it; None if the metadata do not describe it."""


def read_metadata(folder: Path) -> Metadata:
    """Read the metadata; refuse spaces and storages that cannot be read before any data are."""
    path = member(folder, "data", "metadata.json")
    found = read_object(path, "Minari metadata")
    with translate_errors(path, "Minari metadata"):
        storage = found.get("data_format", "hdf5")
        if storage not in STORAGES:
            raise BadInput(
                f"is {storage!r:.40}; {', '.join(STORAGES)} can be read", field="data_format"
            )
        described = found.get("observation_space")
        space = json.loads(described) if isinstance(described, str) else described
        if space is not None:
            [*parts_of(space)]
        return Metadata(STORAGES[storage], parse_space(found.get("action_space")), space)


def as_arrays(name: str, episode: Episode) -> dict[str, Array]:
    """Return the fields of an episode but observations as arrays with one row per step."""
    arrays = {field: find(tree, (), field) for field, tree in episode.fields.items()}
    steps = len(arrays["actions"]) if arrays["actions"].ndim else 0
    arrays.setdefault("rewards", np.full(steps, np.nan))
    if "costs" in arrays and arrays["costs"].ndim:
        arrays["costs"] = arrays["costs"][-steps:]
    for field, array in arrays.items():
        if array.ndim == 0 or len(array) != steps:
            raise BadInput(f"does not have {steps} rows", field=f"{name}/{field}")
    return arrays


def join_observations(
    episodes: Sequence[tuple[str, int, Callable[[], Tree]]], space: dict[str, Any] | None
) -> dict[str, Array | Following]:
    """Return observations and next observations; those of one episode are read at a time.

    Of every episode there are the name, the number of steps and how to read its observations.
    """
    lengths = np.array([steps for _, steps, _ in episodes])
    stops = np.cumsum(lengths)
    observations = last = np.empty((0, 0), np.float32)
    for i, (name, steps, read) in enumerate(episodes):
        field = f"{name}/observations"
        found = as_observations(field, read(), space)
        if found.ndim == 0 or len(found) != steps + 1:
            raise BadInput(f"does not have {steps + 1} rows", field=field)
        numbers = as_numbers(field, found)
        if i == 0:
            observations = np.empty((stops[-1], *numbers.shape[1:]), numbers.dtype)
            last = np.empty((len(episodes), *numbers.shape[1:]), numbers.dtype)
        if numbers.shape[1:] != observations.shape[1:]:
            raise BadInput(f"has rows of another shape in episode {i}", field="observations")
        if numbers.dtype.kind == "f" != observations.dtype.kind:
            observations, last = observations.astype(np.float32), last.astype(np.float32)
        observations[stops[i] - steps : stops[i]] = numbers[:-1]
        last[i] = numbers[-1]
    observations.flags.writeable = False
    some = np.flatnonzero(lengths)
    following = Following(observations, stops[some] - 1, last[some])
    return {"observations": observations, "next_observations": following}


def as_observations(name: str, tree: Tree, space: dict[str, Any] | None) -> Array:
    """Return observations as one array: those of several parts, and boxes, as vectors."""
    kind = None if space is None else space["type"]
    if kind in ("Dict", "Tuple") or (space is None and isinstance(tree, dict)):
        return flatten([*(infer_parts(tree) if space is None else parts_of(space))], tree, name)
    array = find(tree, (), name)
    return array.reshape(len(array), -1) if kind == "Box" and array.ndim > 2 else array


def describe_parts(space: dict[str, Any] | None, dataset: Dataset) -> tuple[str, ...]:
    """Say which parts observations were joined from, and in which order."""
    if space is None or space["type"] not in ("Dict", "Tuple"):
        return ()
    names = [
        "/".join(part.place) + (" (one-hot)" if part.choices else "") for part in parts_of(space)
    ]
    size = dataset.observations.shape[1]
    return (f"observations: {size} numbers from {', '.join(names)}, in this order",)


def join_episodes(episodes: list[dict[str, Array]]) -> dict[str, Any]:
    """Join the episodes into one array per field. Costs need to be in all of them."""
    for number, fields in enumerate(episodes):
        for name, array in fields.items():
            expected = episodes[0].get(name, array).shape[1:]
            if array.shape[1:] != expected:
                raise BadInput(f"has rows of another shape in episode {number}", field=name)
    names = [name for name in episodes[0] if all(name in fields for fields in episodes)]
    return {name: np.concatenate([fields.pop(name) for fields in episodes]) for name in names}


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
                f"is of type {kind:.40}; only flat boxes and numbers from 0 can be read",
                field="action_space",
            )
    raise BadInput(NO_SPACE, field="action_space")


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
    for theirs, ours in FIELDS.items():
        if ours in fields and ours != "observations":
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
