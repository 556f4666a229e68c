"""Read and write npz archives with D4RL's field names, repairs and names of observations."""

import math
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from instinct.data.arrays import Array
from instinct.data.assemble import HORIZON, ActionRange, assemble
from instinct.data.dataset import Dataset, ObservationColumn
from instinct.data.formats.files import check_expansion, check_memory, translate_errors
from instinct.data.formats.names import FieldNames, find_fields
from instinct.data.formats.spaces import SPACE_FIELDS, space_from_arrays, space_to_arrays
from instinct.data.spaces import ActionSpace
from instinct.errors import BadInput
from instinct.util.atomic import replacing
from instinct.util.rows import Rows, blocks_of, rows_per_block

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
    with translate_errors(path, "npz"), zipfile.ZipFile(path) as archive:
        arrays, chosen = open_arrays(archive)
        dataset = assemble(
            chosen.rename(arrays),
            action_space=space_from_arrays(arrays),
            action_range=action_range,
            task_space=task_space,
            horizon=horizon,
        )
        dataset = dataset.add_repairs((*read_texts(arrays, REPAIRS), *chosen.repairs))
        columns = read_columns(arrays)
        if not columns:
            return dataset
        return replace(dataset, columns=columns, next_observations=dataset.stored_next)


def open_arrays(archive: zipfile.ZipFile) -> tuple[dict[str, Any], FieldNames]:
    """Read the known arrays of an archive, the large ones later in blocks.

    Raise if it holds anything but plain arrays.
    """
    for name in archive.namelist():
        if not name.endswith(".npy"):
            raise BadInput(f"holds {name!r}, which is not an array: refused, not loaded")
    check_memory(sum(member.file_size for member in archive.infolist()))
    for member in archive.infolist():
        check_expansion(member.file_size, member.compress_size, member.filename)
    names = [name.removesuffix(".npy") for name in archive.namelist()]
    chosen = find_fields([name for name in names if not name.startswith(METADATA)])
    known = {*chosen.names.values(), *SPACE_FIELDS, REPAIRS, COLUMNS, COLUMN_SCALES}
    arrays: dict[str, Any] = {}
    for name in names:
        if name in chosen.in_blocks:
            arrays[name] = open_rows(archive, name)
        elif name in known:
            arrays[name] = load_member(archive, name)
    return arrays, chosen


def load_member(archive: zipfile.ZipFile, name: str) -> Array:
    """Read an array of an archive as a whole."""
    try:
        with archive.open(f"{name}.npy") as member:
            return np.asarray(npy.read_array(member, allow_pickle=False))
    except ValueError as error:
        if "pickle" in str(error).lower() or "object" in str(error).lower():
            raise BadInput("holds pickled objects: refused, not loaded", field=name) from None
        raise


def open_rows(archive: zipfile.ZipFile, name: str) -> Array | Rows:
    """Return an array that is read in blocks, or as a whole if its rows are not in order."""
    with archive.open(f"{name}.npy") as member:
        shape, in_columns, dtype = read_header(member)
    size = rows_per_block(shape, dtype)
    if in_columns or dtype.hasobject or not shape:
        return load_member(archive, name)
    if math.prod(shape) * dtype.itemsize > archive.getinfo(f"{name}.npy").file_size:
        raise BadInput("has fewer rows than it says", field=name)

    def read() -> Iterator[Array]:
        with archive.open(f"{name}.npy") as member:
            read_header(member)
            for start in range(0, shape[0], size):
                rows = min(size, shape[0] - start)
                content = member.read(rows * math.prod(shape[1:]) * dtype.itemsize)
                yield np.frombuffer(content, dtype).reshape(rows, *shape[1:])
            member.read(1)

    return Rows(shape, dtype, read)


def read_header(member: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return the shape, whether it is stored by columns, and the type of an array."""
    version = npy.read_magic(member)
    reader = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, in_columns, dtype = reader(member)
    return shape, in_columns, dtype


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
    arrays = dict(dataset.stored_fields()) | space_to_arrays(dataset.action_space)
    if dataset.repairs:
        arrays[REPAIRS] = np.array(dataset.repairs, np.str_)
    if dataset.columns:
        arrays[COLUMNS] = np.array([each.name for each in dataset.columns], np.str_)
        arrays[COLUMN_SCALES] = np.array([each[1:] for each in dataset.columns])
    with replacing(path) as scratch, zipfile.ZipFile(scratch, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                header = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape}
                npy.write_array_header_1_0(member, header)
                for _, block in blocks_of(array):
                    member.write(np.ascontiguousarray(block).data)
