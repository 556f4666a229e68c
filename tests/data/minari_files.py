"""Write Minari datasets as Minari does, in any of its storages, from episodes of any space."""

import json
from pathlib import Path
from typing import Any

import gymnasium
import h5py
import numpy as np
from gymnasium import spaces

Space = gymnasium.Space[Any]
STORAGES = ("hdf5", "arrow", "parquet")
ACTIONS = spaces.Box(-2, 2, (2,), np.float32)
STEPS = (3, 2)
"""The steps of the two episodes that are written."""


def describe(space: Space) -> dict[str, Any]:
    """Describe a space as the metadata do."""
    match space:
        case spaces.Dict():
            parts = {key: describe(part) for key, part in space.spaces.items()}
            return {"type": "Dict", "subspaces": parts}
        case spaces.Tuple():
            return {"type": "Tuple", "subspaces": [describe(part) for part in space.spaces]}
        case spaces.Box():
            bounds = {"low": space.low.tolist(), "high": space.high.tolist()}
            shape = {"dtype": str(space.dtype), "shape": [*space.shape]}
            return {"type": "Box", **shape, **bounds}
        case spaces.Discrete():
            numbers = {"start": int(space.start), "n": int(space.n)}
            return {"type": "Discrete", "dtype": "int64", **numbers}
        case spaces.MultiDiscrete():
            numbers = {"nvec": space.nvec.tolist(), "start": space.start.tolist()}
            return {"type": "MultiDiscrete", "dtype": "int64", **numbers}
        case spaces.MultiBinary():
            return {"type": "MultiBinary", "n": space.n}
    return {"type": type(space).__name__}


def sample(space: Space, rows: int) -> list[Any]:
    return [space.sample() for _ in range(rows)]


def stack(space: Space, samples: list[Any]) -> Any:
    """Join samples into arrays: a dictionary for a Dict space, a tuple for a Tuple space."""
    if isinstance(space, spaces.Dict):
        return {
            key: stack(part, [each[key] for each in samples]) for key, part in space.spaces.items()
        }
    if isinstance(space, spaces.Tuple):
        parts = enumerate(space.spaces)
        return tuple(stack(part, [each[i] for each in samples]) for i, part in parts)
    return np.stack([np.asarray(each) for each in samples])


def write_hdf5(group: h5py.Group, name: str, values: Any) -> None:
    if isinstance(values, dict | tuple):
        parts = values.items() if isinstance(values, dict) else enumerate(values)
        for key, part in parts:
            prefix = "" if isinstance(values, dict) else "_index_"
            write_hdf5(group.require_group(name), f"{prefix}{key}", part)
    else:
        group[name] = values


def as_arrow(values: Any) -> Any:
    import pyarrow as pa

    if isinstance(values, dict | tuple):
        parts = dict(values.items() if isinstance(values, dict) else enumerate(values))
        arrays = [as_arrow(part) for part in parts.values()]
        return pa.StructArray.from_arrays(arrays, names=[str(key) for key in parts])
    if values.ndim == 1:
        return pa.array(values)
    width = int(np.prod(values.shape[1:]))
    return pa.FixedSizeListArray.from_arrays(values.reshape(-1), width)


def write_minari_files(
    folder: Path, storage: str, space: Space, actions: Space = ACTIONS, described: bool = True
) -> list[Any]:
    """Write two episodes with costs: one of 3 steps to a terminal, one of 2 to a timeout.

    Return the observations of both, one more than steps each, as the space has them.
    """
    data = folder / "data"
    data.mkdir(parents=True)
    spaces_text = {"action_space": json.dumps(describe(actions))}
    if described:
        spaces_text["observation_space"] = json.dumps(describe(space))
    (data / "metadata.json").write_text(json.dumps({"data_format": storage, **spaces_text}))
    space.seed(1)
    actions.seed(2)
    episodes = [sample(space, steps + 1) for steps in STEPS]
    for number, (steps, samples) in enumerate(zip(STEPS, episodes, strict=True)):
        fields = {
            "observations": stack(space, samples),
            "actions": stack(actions, sample(actions, steps)),
            "rewards": np.arange(1.0, steps + 1),
            "terminations": np.arange(steps) == (2 if number == 0 else -1),
            "truncations": np.arange(steps) == (1 if number == 1 else -1),
        }
        infos = {"cost": np.arange(steps + 1) / 10, "note": np.array([b"x"] * (steps + 1))}
        if storage == "hdf5":
            with h5py.File(data / "main_data.hdf5", "a") as file:
                for name, values in (*fields.items(), ("infos", infos)):
                    write_hdf5(file.require_group(f"episode_{number}"), name, values)
        else:
            write_arrow(data / str(number), storage, fields, infos)
    return episodes


def write_arrow(folder: Path, storage: str, fields: dict[str, Any], infos: dict[str, Any]) -> None:
    """Write an episode as one file; all but observations and infos are padded by one row."""
    import pyarrow as pa
    from pyarrow import parquet

    folder.mkdir()
    columns = {
        name: as_arrow(values if name == "observations" else pad(values))
        for name, values in fields.items()
    }
    table = pa.table({**columns, "infos": as_arrow(infos)})
    if storage == "parquet":
        parquet.write_table(table, folder / "part-0.parquet")
    else:
        with pa.ipc.new_file(folder / "part-0.arrow", table.schema) as file:
            file.write_table(table)
    (folder / "metadata.json").write_text("{}")


def pad(values: Any) -> Any:
    if isinstance(values, dict):
        return {key: pad(part) for key, part in values.items()}
    return np.concatenate([values, np.zeros_like(values[:1])])
