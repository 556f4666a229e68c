"""Read columns of Arrow and Parquet files as arrays: numbers, lists of numbers, and structs."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from instinct.data.arrays import Array
from instinct.data.formats.files import check_memory
from instinct.data.formats.flatten import Tree
from instinct.data.tables.columns import kind_of
from instinct.data.tables.source import Source, first_line, is_table, open_file, require_arrow
from instinct.errors import BadInput


def open_columns(path: Path) -> Source:
    """Open an Arrow or Parquet file."""
    require_arrow()
    if not is_table(path):
        raise BadInput("is not an Arrow or Parquet file")
    return open_file(path)


def read_columns(source: Source, names: Collection[str]) -> dict[str, Tree]:
    """Read columns block by block; `infos/cost` is a part of a struct. Missing ones are not."""
    arrow = require_arrow()
    types = {name: type_of(source, name) for name in names}
    known = [name for name, each in types.items() if each is not None]
    if source.rows == 0:
        raise BadInput("holds no rows")
    check_memory(source.rows * sum(least_bytes(types[name]) for name in known))
    blocks: list[dict[str, Tree]] = []
    size = 0
    try:
        for block in source.blocks([*dict.fromkeys(name.split("/")[0] for name in known)]):
            size += block.nbytes
            check_memory(size)
            blocks.append({name: as_tree(name, column_of(block, name)) for name in known})
    except arrow.ArrowException as error:
        raise BadInput(first_line(error)) from error
    return {name: join(name, [block[name] for block in blocks]) for name in known}


def type_of(source: Source, name: str) -> Any:
    """Return the type of a column or of a part of a struct, or None if there is none."""
    column, _, part = name.partition("/")
    found = source.types.get(column)
    if not part or found is None:
        return found
    is_struct = require_arrow().types.is_struct(found)
    return found.field(part).type if is_struct and found.get_field_index(part) >= 0 else None


def column_of(block: Any, name: str) -> Any:
    column, _, part = name.partition("/")
    found = block.column(column)
    return found.flatten()[found.type.get_field_index(part)] if part else found


def least_bytes(arrow_type: Any) -> int:
    """Return the bytes that a row of a column has at least, as its type says."""
    arrow = require_arrow()
    if arrow.types.is_fixed_size_list(arrow_type):
        return int(arrow_type.list_size) * least_bytes(arrow_type.value_type)
    if arrow.types.is_struct(arrow_type):
        return sum(least_bytes(field.type) for field in arrow_type)
    return 1


def as_tree(name: str, column: Any) -> Tree:
    """Return a column as an array with one row for each of its own, or a struct as its parts.

    Missing numbers become NaN; missing lists and structs are refused.
    """
    arrow = require_arrow()
    is_type = arrow.types
    if isinstance(column, arrow.ExtensionArray):
        column = column.storage
    lists = is_type.is_list, is_type.is_large_list, is_type.is_fixed_size_list
    is_list = any(is_one(column.type) for is_one in lists)
    if (is_list or is_type.is_struct(column.type)) and column.null_count:
        row = np.asarray(column.is_null()).argmax()
        raise BadInput("is missing", field=name, row=int(row))
    if is_type.is_struct(column.type):
        parts = zip(column.type, column.flatten(), strict=True)
        return {field.name: as_tree(f"{name}/{field.name}", part) for field, part in parts}
    if is_list:
        return as_rows(name, column)
    if kind_of(column.type) in ("number", "flag"):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    raise BadInput(f"holds {column.type} values where numbers are needed", field=name)


def as_rows(name: str, column: Any) -> Array:
    """Return a column of lists of equal length as one array."""
    from pyarrow import compute

    lengths = np.unique(np.asarray(compute.list_value_length(column)))
    values = as_tree(name, column.flatten())
    if isinstance(values, dict) or len(lengths) > 1:
        raise BadInput("is not a list of equally many numbers in every row", field=name)
    return values.reshape(len(column), *lengths[:1], *values.shape[1:])


def join(name: str, blocks: Sequence[Tree]) -> Tree:
    """Join what was read from several blocks or files."""
    first = blocks[0]
    if isinstance(first, dict):
        parts = [block if isinstance(block, dict) else {} for block in blocks]
        return {
            key: join(f"{name}/{key}", [part[key] for part in parts if key in part])
            for key in first
        }
    arrays = [block for block in blocks if not isinstance(block, dict)]
    if len({array.shape[1:] for array in arrays}) > 1 or len(arrays) < len(blocks):
        raise BadInput("does not have the same shape in all rows", field=name)
    return np.concatenate(arrays)
