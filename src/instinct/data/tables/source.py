"""Open a table, a file or a data frame, and read it block by block."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from instinct.data.tables.roles import printable
from instinct.errors import BadInput, missing_extra

CSV_ENDINGS = (".csv", ".tsv")
PARQUET, ARROW = b"PAR1", b"ARROW1"
"""The first bytes of Parquet files, and of Arrow files, which Feather files are too."""

BLOCK_ROWS = 1 << 16
BLOCK_BYTES = 1 << 24
"""The size of a block: rows of a Parquet file, bytes of a CSV file."""

CONVERSION = re.compile(r"In CSV column #(\d+): CSV conversion error to (\w+)")


@dataclass(frozen=True)
class Source:
    """A table: its columns with their Arrow types, how many rows it has, and its blocks."""

    types: dict[str, Any]
    rows: int
    blocks: Callable[[Sequence[str]], Iterator[Any]]
    """Yield record batches with the named columns, in the order of the rows."""
    stored: int = sys.maxsize
    """How many bytes the file has."""

    @property
    def names(self) -> list[str]:
        return [*self.types]


def is_table(path: Path) -> bool:
    """Tell whether a file is a table: by its first bytes, or a text file by its ending."""
    if not path.is_file():
        return False
    with suppress(OSError), path.open("rb") as file:
        beginning = file.read(8)
        if beginning.startswith((PARQUET, ARROW)):
            return True
        text = len(beginning) > 0 and not any(byte < 9 or 13 < byte < 32 for byte in beginning)
        return text and path.suffix.lower() in CSV_ENDINGS
    return False


def require_arrow() -> Any:
    """Import pyarrow, or say how to install it."""
    try:
        import pyarrow as pa
    except ImportError:
        raise missing_extra("pyarrow, which reads tables,", "tables") from None
    return pa


def is_frame(value: object) -> bool:
    """Tell whether a value is a data frame of pandas or polars, or an Arrow table."""
    return hasattr(value, "__arrow_c_stream__")


def open_frame(frame: Any) -> Source:
    """Open a data frame of pandas or polars, or an Arrow table."""
    arrow = require_arrow()
    try:
        if hasattr(frame, "iloc"):
            table = arrow.Table.from_pandas(frame, preserve_index=False)
        else:
            table = arrow.table(frame)
    except (ValueError, TypeError, arrow.ArrowException) as error:
        raise BadInput(f"the data frame cannot be read ({first_line(error)})") from error
    check_names(table.column_names)

    def blocks(names: Sequence[str]) -> Iterator[Any]:
        yield from table.select([*names]).to_batches(max_chunksize=BLOCK_ROWS)

    return Source(types_of(table.schema), table.num_rows, blocks)


def open_file(path: Path) -> Source:
    """Open a CSV, Parquet, Arrow or Feather file."""
    arrow = require_arrow()
    with path.open("rb") as file:
        beginning = file.read(8)
    opener = open_csv
    if beginning.startswith(PARQUET):
        opener = open_parquet
    elif beginning.startswith(ARROW):
        opener = open_arrow
    try:
        return replace(opener(path), stored=path.stat().st_size)
    except arrow.ArrowException as error:
        raise BadInput(first_line(error)) from error


def open_parquet(path: Path) -> Source:
    require_arrow()
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
    check_names(schema.names)

    def blocks(names: Sequence[str]) -> Iterator[Any]:
        with parquet.ParquetFile(path) as file:
            yield from file.iter_batches(batch_size=BLOCK_ROWS, columns=[*names])

    return Source(types_of(schema), rows, blocks)


def open_arrow(path: Path) -> Source:
    arrow = require_arrow()
    with arrow.memory_map(str(path)) as file:
        reader = arrow.ipc.open_file(file)
        schema = reader.schema
        rows = sum(reader.get_batch(i).num_rows for i in range(reader.num_record_batches))
    check_names(schema.names)

    def blocks(names: Sequence[str]) -> Iterator[Any]:
        with arrow.memory_map(str(path)) as file:
            reader = arrow.ipc.open_file(file)
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number).select([*names])
                batch.validate(full=True)
                yield batch

    return Source(types_of(schema), rows, blocks)


def open_csv(path: Path) -> Source:
    """Open a text file whose fields are separated by commas, semicolons or tabs.

    Arrow infers the types from the first block. The whole file is parsed once to correct them and
    to count the rows.
    """
    arrow = require_arrow()
    from pyarrow import csv

    with path.open("rb") as file:
        header = file.readline(BLOCK_BYTES)
    parse = csv.ParseOptions(delimiter=max(",;\t", key=lambda each: header.count(each.encode())))
    read = csv.ReadOptions(block_size=BLOCK_BYTES)

    def batches(types: dict[str, Any], names: Sequence[str] | None = None) -> Any:
        convert = csv.ConvertOptions(
            column_types=types, include_columns=names, strings_can_be_null=True
        )
        return csv.open_csv(path, read_options=read, parse_options=parse, convert_options=convert)

    with batches({}) as reader:
        check_names(reader.schema.names)
        types = types_of(reader.schema)
    while True:
        try:
            with batches(types) as reader:
                rows = sum(batch.num_rows for batch in reader)
            break
        except arrow.ArrowInvalid as error:
            found = CONVERSION.match(str(error))
            if found is None:
                raise
            name = [*types][int(found[1])]
            types[name] = wider_type(types[name])

    def blocks(names: Sequence[str]) -> Iterator[Any]:
        with batches(types, [*names]) as reader:
            yield from reader

    return Source(types, rows, blocks)


def wider_type(narrow: Any) -> Any:
    """Return the type that holds more than one which Arrow inferred too early."""
    arrow = require_arrow()
    numeric = arrow.types.is_integer(narrow) or arrow.types.is_null(narrow)
    return arrow.float64() if numeric else arrow.string()


def types_of(schema: Any) -> dict[str, Any]:
    return dict(zip(schema.names, schema.types, strict=True))


def check_names(names: Sequence[str]) -> None:
    """Refuse tables in which a name is missing or used twice."""
    if not names:
        raise BadInput("has no columns")
    for number, name in enumerate(names):
        if not name:
            raise BadInput(f"column {number + 1} has no name")
        if name in names[:number]:
            raise BadInput(f"two columns are called {printable(name)!r}")


def first_line(error: Exception) -> str:
    text = str(error).strip()
    return printable(text.splitlines()[0]) if text else type(error).__name__
