"""Measure how fast a large table is described or a dataset opened, and with how much memory."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from instinct.bench.memory import peak_mib
from instinct.data import describe
from instinct.data.assemble import HORIZON
from instinct.data.files import choose_reader
from instinct.data.tables.source import is_table, require_arrow
from instinct.util.processes import on_one_core

ROWS, COLUMNS = 10_000_000, 20
ROW_GROUP = 1_000_000
STAY = 100
"""Rows of one episode."""


@dataclass(frozen=True)
class Reading:
    """Time and memory of describing a table, or opening a dataset, in a process of its own.

    `megabytes` is the size of the columns as 32-bit floats, `file_megabytes` that of the file.
    `grown_mib` is how much of the peak was not there before.
    """

    rows: int
    columns: int
    megabytes: float
    file_megabytes: float
    seconds: float
    megabytes_per_second: float
    peak_mib: float
    grown_mib: float


def measure(file: Path | None = None, rows: int = ROWS, columns: int = COLUMNS) -> Reading:
    """Describe a table; without one, make a Parquet file of random numbers and delete it again.

    A file of another format is opened as a dataset and hashed, past the cache.
    """
    if file is not None:
        return on_one_core(time_describe if is_table(file) else time_open, file)
    with TemporaryDirectory() as temporary:
        path = Path(temporary) / "random.parquet"
        on_one_core(make_table, path, rows, columns)
        return on_one_core(time_describe, path)


def make_table(path: Path, rows: int, columns: int) -> None:
    """Write episodes of random numbers, one group of rows after the other."""
    arrow = require_arrow()
    from pyarrow import parquet

    random = np.random.default_rng(0)
    names = [f"number_{each}" for each in range(columns - 2)]
    kinds = [arrow.int64(), arrow.int64(), *[arrow.float32()] * len(names)]
    schema = arrow.schema([*zip(["episode", "time", *names], kinds, strict=True)])
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, ROW_GROUP):
            places = np.arange(start, min(start + ROW_GROUP, rows))
            numbers = [random.standard_normal(len(places), np.float32) for _ in names]
            arrays = [places // STAY, places % STAY, *numbers]
            writer.write_table(arrow.table(arrays, schema=schema))


def time_describe(path: Path) -> Reading:
    """Describe the table in this process."""

    def size() -> tuple[int, int]:
        found = describe(path)
        return found.rows, len(found.columns)

    return timed(path, size)


def time_open(path: Path) -> Reading:
    """Open and hash the dataset in this process."""

    def size() -> tuple[int, int]:
        reader = choose_reader(path)
        dataset = reader(path, action_range=None, task_space=None, horizon=HORIZON)
        assert dataset.hash
        fields = [array.shape[1:] for _, array in dataset.stored_fields()]
        return len(dataset), sum(shape[0] if shape else 1 for shape in fields)

    return timed(path, size)


def timed(path: Path, read: Callable[[], tuple[int, int]]) -> Reading:
    """Measure a function that reads the file and returns how many rows and columns it has."""
    before, begun = peak_mib(), time.perf_counter()
    rows, columns = read()
    seconds = time.perf_counter() - begun
    files = [each for each in path.rglob("*") if each.is_file()] or [path]
    megabytes = 4 * rows * columns / 1e6
    return Reading(
        rows,
        columns,
        megabytes,
        sum(each.stat().st_size for each in files) / 1e6,
        seconds,
        megabytes / seconds,
        peak_mib(),
        peak_mib() - before,
    )
