"""Tables as data: printed, put on the page, and written as CSV."""

import csv
from dataclasses import dataclass
from pathlib import Path

from instinct.atomic import replacing


@dataclass(frozen=True)
class Table:
    """Text cells under their headings; the first column names the row, `name` the file."""

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers alone, and so are set flush right."""
        return tuple(
            all(cell[:1] in "0123456789-∞" for cell in column)
            for column in zip(*self.rows, strict=True)
        )


def write_csv(table: Table, path: Path) -> None:
    with replacing(path) as scratch, scratch.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.columns)
        writer.writerows(table.rows)
