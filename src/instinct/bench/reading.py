"""Measure how fast a large table is described, and with how much memory."""

import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from instinct.bench.memory import peak_mib
from instinct.data import describe
from instinct.data.tables.source import require_arrow
from instinct.util.processes import on_one_core

ROWS, COLUMNS = 10_000_000, 20
ROW_GROUP = 1_000_000
STAY = 100
"""Rows of one episode."""


@dataclass(frozen=True)
class Reading:
    """The description of a file in a process of its own, on one core.

    `megabytes` is the size of the columns as 32-bit floats, `file_megabytes` that of the file.
    """

    rows: int
    columns: int
    megabytes: float
    file_megabytes: float
    seconds: float
    megabytes_per_second: float
    peak_mib: float


def measure(file: Path | None = None, rows: int = ROWS, columns: int = COLUMNS) -> Reading:
    """Describe a file; without one, make a Parquet file of random numbers and delete it again."""
    if file is not None:
        return on_one_core(time_describe, file)
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
    """Describe the file in this process."""
    begun = time.perf_counter()
    found = describe(path)
    seconds = time.perf_counter() - begun
    megabytes = 4 * found.rows * len(found.columns) / 1e6
    return Reading(
        found.rows,
        len(found.columns),
        megabytes,
        path.stat().st_size / 1e6,
        seconds,
        megabytes / seconds,
        peak_mib(),
    )
