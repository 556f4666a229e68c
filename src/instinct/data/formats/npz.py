"""Read and write npz archives with D4RL's field names, repairs and names of observations."""

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from instinct.data.arrays import Array
from instinct.data.assemble import HORIZON, ActionRange, assemble
from instinct.data.dataset import Dataset, ObservationColumn
from instinct.data.formats.files import check_expansion, check_memory, translate_errors
from instinct.data.formats.names import FieldNames, find_fields
from instinct.data.formats.spaces import SPACE_FIELDS, space_from_arrays, space_to_arrays
from instinct.data.spaces import ActionSpace
from instinct.errors import BadInput
from instinct.util.atomic import replacing

METADATA = "metadata/"
REPAIRS = METADATA + "repairs"
COLUMNS, COLUMN_SCALES = METADATA + "columns", METADATA + "column_scales"


def read_npz(
    path: Path,
    *,
    action_range: ActionRange | None = None,
    task_space: ActionSpace | None = None,
    horizon: int = HORIZON,
) -> Dataset:
    with translate_errors(path, "npz"):
        arrays, chosen = load_arrays(path)
        dataset = assemble(
            chosen.rename(arrays),
            action_space=space_from_arrays(arrays),
            action_range=action_range,
            task_space=task_space,
            horizon=horizon,
        )
        dataset = dataset.add_repairs((*read_texts(arrays, REPAIRS), *chosen.repairs))
        columns = read_columns(arrays)
        return replace(dataset, columns=columns) if columns else dataset


def load_arrays(path: Path) -> tuple[dict[str, Array], FieldNames]:
    """Load the known arrays of an archive. Raise if it holds anything but plain arrays."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if not name.endswith(".npy"):
                raise BadInput(f"holds {name!r}, which is not an array: refused, not loaded")
        check_memory(sum(member.file_size for member in archive.infolist()))
        for member in archive.infolist():
            check_expansion(member.file_size, member.compress_size, member.filename)
    with np.load(path, allow_pickle=False) as archive:
        chosen = find_fields([name for name in archive.files if not name.startswith(METADATA)])
        known = {*chosen.names.values(), *SPACE_FIELDS, REPAIRS, COLUMNS, COLUMN_SCALES}
        arrays = {name: load_member(archive, name) for name in archive.files if name in known}
        return arrays, chosen


def load_member(archive: np.lib.npyio.NpzFile, name: str) -> Array:
    try:
        return np.asarray(archive[name])
    except ValueError as error:
        if "pickle" in str(error).lower() or "object" in str(error).lower():
            raise BadInput("holds pickled objects: refused, not loaded", field=name) from None
        raise


def read_texts(arrays: dict[str, Array], name: str) -> tuple[str, ...]:
    texts = arrays.get(name, np.array([], np.str_))
    if texts.dtype.kind != "U" or texts.ndim != 1:
        raise BadInput("is not a list of texts", field=name)
    return tuple(texts.tolist())


def read_columns(arrays: dict[str, Array]) -> tuple[ObservationColumn, ...]:
    """Return the columns of observations that an archive names."""
    names = read_texts(arrays, COLUMNS)
    scales = arrays.get(COLUMN_SCALES, np.tile([0.0, 1.0], (len(names), 1)))
    if scales.shape != (len(names), 2) or scales.dtype.kind != "f":
        raise BadInput("does not fit the names of columns", field=COLUMN_SCALES)
    return tuple(map(ObservationColumn, names, *scales.T.tolist())) if names else ()


def write_npz(dataset: Dataset, path: Path) -> None:
    arrays = dict(dataset.fields()) | space_to_arrays(dataset.action_space)
    if dataset.repairs:
        arrays[REPAIRS] = np.array(dataset.repairs, np.str_)
    if dataset.columns:
        arrays[COLUMNS] = np.array([each.name for each in dataset.columns], np.str_)
        arrays[COLUMN_SCALES] = np.array([each[1:] for each in dataset.columns])
    with replacing(path) as scratch, scratch.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
