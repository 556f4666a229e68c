"""Read the states and actions of a local LeRobot dataset, version 2 or 3. Videos are not opened.

A dataset is a folder with `meta/info.json` and Parquet files in `data/chunk-000` and so on. A row
is a frame; `next.reward` and `next.done` are what followed its action.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from instinct.data.arrays import Array, as_flags
from instinct.data.assemble import HORIZON, ActionRange, assemble
from instinct.data.dataset import Dataset
from instinct.data.formats.arrow import join, least_bytes, open_columns, read_columns, type_of
from instinct.data.formats.files import check_memory, member, read_object, translate_errors
from instinct.data.formats.flatten import find
from instinct.data.spaces import ActionSpace
from instinct.data.tables.columns import Keys
from instinct.data.tables.order import ends_of, find_order
from instinct.data.tables.roles import printable
from instinct.data.tables.source import require_arrow
from instinct.errors import BadInput

INFO = ("meta", "info.json")
VERSIONS = ("v2.", "v3.")
STATES = ("observation.state", "observation.environment_state")
"""LeRobot's names of observations that are vectors."""
ACTION, REWARD, DONE = "action", "next.reward", "next.done"
EPISODE, FRAME = "episode_index", "frame_index"
COLUMNS = (*STATES, ACTION, REWARD, DONE, EPISODE, FRAME)


def is_lerobot(path: Path) -> bool:
    return path.joinpath(*INFO).is_file()


def read_lerobot(
    path: Path,
    *,
    action_range: ActionRange | None = None,
    task_space: ActionSpace | None = None,
    horizon: int = HORIZON,
) -> Dataset:
    features = read_features(path)
    with translate_errors(path, "LeRobot"):
        columns = read_frames(path)
        states = [name for name in STATES if name in columns]
        require_columns(columns, states, features)
        rows = len(columns[EPISODE])
        order = find_order(
            as_keys(EPISODE, columns[EPISODE]),
            as_keys(FRAME, columns[FRAME]) if FRAME in columns else None,
            rows,
        )
        done = order.sort(as_flags(DONE, columns[DONE])) if DONE in columns else None
        terminals, timeouts, made = ends_of(order, done, None, DONE)
        observations = [columns[name].reshape(rows, -1) for name in states]
        action = columns[ACTION]
        arrays = {
            "observations": order.sort(np.concatenate(observations, axis=1)),
            "actions": order.sort(action[:, None] if is_number(action) else action),
            "terminals": terminals,
            "timeouts": timeouts,
        }
        if REWARD in columns:
            arrays["rewards"] = order.sort(columns[REWARD])
        dataset = assemble(
            arrays, action_range=action_range, task_space=task_space, horizon=horizon
        )
        found = describe_columns(columns, states, features, bool(timeouts.any()))
        return dataset.add_repairs((*found, *order.repairs, *made))


def read_features(folder: Path) -> Mapping[str, Any]:
    """Read what the columns and videos of a dataset are; refuse other versions."""
    path = member(folder, *INFO)
    info = read_object(path, "LeRobot metadata")
    version, features = info.get("codebase_version"), info.get("features")
    with translate_errors(path, "LeRobot metadata"):
        if not isinstance(version, str) or not version.startswith(VERSIONS):
            raise BadInput(
                f"is {version!r:.40}; versions 2 and 3 of LeRobot can be read",
                field="codebase_version",
            )
        if not isinstance(features, dict):
            raise BadInput("is missing", field="features")
        return features


def read_frames(folder: Path) -> dict[str, Array]:
    """Read the known columns of all data files."""
    paths = sorted(folder.glob("data/chunk-*/*.parquet"))
    if not paths:
        raise BadInput("has no file data/chunk-000/file-000.parquet")
    files = [member(folder, *path.relative_to(folder).parts) for path in paths]
    need, parts = 0, []
    for file in files:
        with translate_errors(file, "Parquet"):
            source = open_columns(file)
            types = [type_of(source, name) for name in COLUMNS]
            need += source.rows * sum(least_bytes(each) for each in types if each is not None)
            check_memory(need)
            parts.append(read_columns(source, COLUMNS))
    for file, part in zip(files, parts, strict=True):
        if part.keys() != parts[0].keys():
            raise BadInput("does not have the columns of the other files", file=file)
    return {name: find(join(name, [part[name] for part in parts]), (), name) for name in parts[0]}


def require_columns(
    columns: Mapping[str, Array], states: list[str], features: Mapping[str, Any]
) -> None:
    """Refuse data without states, actions or episodes, with what there is instead."""
    listed = ", ".join(printable(name) for name in [*features][:12]) or "nothing"
    for field, found in (
        (STATES[0], bool(states)),
        (ACTION, ACTION in columns),
        (EPISODE, EPISODE in columns),
    ):
        if not found:
            raise BadInput(f"is missing; the dataset has {listed}", field=field)


def as_keys(name: str, values: Array) -> Keys:
    """Return a column that rows are sorted by."""
    block = require_arrow().array(values)
    keys = Keys(name, len(values), block.type)
    keys.put(0, block)
    return keys


def is_number(action: Array) -> bool:
    """Tell whether actions are single amounts, which are vectors of one number."""
    return action.ndim == 1 and action.dtype.kind == "f"


def describe_columns(
    columns: Mapping[str, Array], states: list[str], features: Mapping[str, Any], timeouts: bool
) -> list[str]:
    """Say what was read from which column, what was not, and what ends episodes."""
    repairs = [f"observations: read from {' and '.join(states)}", f"actions: read from {ACTION}"]
    if REWARD in columns:
        repairs.append(f"rewards: read from {REWARD}")
    if DONE in columns:
        every = "" if timeouts else ": every end is taken for a terminal, none for a timeout"
        repairs.append(f"terminals: read from {DONE}{every}")
    else:
        repairs.append("terminals: missing, every episode ends with a timeout")
    others = [
        printable(name)
        for name in features
        if name.startswith("observation") and name not in states
    ]
    if others:
        repairs.append(f"observations: {', '.join(others[:12])} not read")
    return repairs
