"""Tables as data: printed, put on the page, and written as CSV."""

import csv
from dataclasses import dataclass
from pathlib import Path

from instinct.atomic import replacing


@dataclass(frozen=True)
class Table:
    """Text cells under their headings; the first column names the row."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def write_csv(table: Table, path: Path) -> None:
    with replacing(path) as scratch, scratch.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.columns)
        writer.writerows(table.rows)
