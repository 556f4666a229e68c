"""Tables as data: numbers keep their full precision, and are rounded in the text."""

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from instinct.util.atomic import replacing

Mark = Literal["best", "gray"]
"""Bold for the best number; gray for a number that does not count, such as an unsafe policy."""


@dataclass(frozen=True)
class Number:
    """A number with its error or interval; `form` is the format in which they are written.

    Example::

        >>> str(Number(0.512, ".2f", interval=(0.41, 0.62)))
        '0.51 [0.41, 0.62]'
    """

    value: float
    form: str = ".4g"
    error: float | None = None
    """One standard error, written after ±."""
    interval: tuple[float, float] | None = None
    mark: Mark | None = None
    note: str = ""
    """A footnote below the table."""

    def __post_init__(self) -> None:
        if any(math.isnan(value) for value in (self.value, self.error or 0, *self.bounds)):
            raise ValueError("a number cannot be NaN; use Missing with a reason")

    @property
    def bounds(self) -> tuple[float, ...]:
        return self.interval or ()

    def __str__(self) -> str:
        text = rounded(self.value, self.form)
        if self.error is not None:
            text += f" ± {rounded(self.error, self.form)}"
        if self.interval is not None:
            low, high = (rounded(bound, self.form) for bound in self.interval)
            text += f" [{low}, {high}]"
        return text


@dataclass(frozen=True)
class Missing:
    """A number that is not there: a dash in the table, with the reason below it.

    Example::

        >>> str(Missing("not run"))
        '–'
    """

    note: str

    def __str__(self) -> str:
        return "–"


TableCell = str | Number | Missing


def rounded(value: float, form: str) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return format(value, form)


@dataclass(frozen=True, repr=False)
class Table:
    """Rows of cells under their column names; `name` is the name of its files.

    The first column names the row. A cell is a text, a `Number` or `Missing`.

    Example::

        >>> table = Table(
        ...     "returns",
        ...     "Mean return.",
        ...     ("algorithm", "return"),
        ...     (("BC", Number(-0.98, ".2f", error=0.01)), ("PEVI", Missing("not run"))),
        ... )
        >>> table
        Table('returns', 2 rows)
        >>> table.texts
        (('BC', '-0.98 ± 0.01'), ('PEVI', '–'))
    """

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]

    def __post_init__(self) -> None:
        if wrong := [row for row in self.rows if len(row) != len(self.columns)]:
            raise ValueError(f"table {self.name}: {wrong[0]} does not fit {self.columns}")

    def __repr__(self) -> str:
        return f"Table({self.name!r}, {len(self.rows)} rows)"

    @property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The rows as formatted text."""
        return tuple(tuple(map(str, row)) for row in self.rows)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold only numbers, and are right-aligned."""
        texts = zip(*self.texts, strict=True) if self.rows else [("",)] * len(self.columns)
        return tuple(
            any(column) and all(text[:1] in "0123456789-∞–" for text in column) for column in texts
        )

    @property
    def notes(self) -> dict[str, int]:
        """The notes of all cells without duplicates, with their numbers from 1."""
        found = (note_of(cell) for row in self.rows for cell in row)
        return {note: number for number, note in enumerate(dict.fromkeys(filter(None, found)), 1)}


def note_of(cell: TableCell) -> str:
    return "" if isinstance(cell, str) else cell.note


RawCell = str | float | None


def raw(table: Table) -> tuple[list[str], list[list[RawCell]]]:
    """Return headings and rows in full precision, with columns for errors and bounds."""
    columns = [[*column(table, number)] for number in range(len(table.columns))]
    headings = [heading for parts in columns for heading, _ in parts]
    cells = [values for parts in columns for _, values in parts]
    return headings, [list(row) for row in zip(*cells, strict=True)]


def column(table: Table, number: int) -> Iterator[tuple[str, list[RawCell]]]:
    """Split one column into value, standard error, and bounds."""
    name, cells = table.columns[number], [row[number] for row in table.rows]
    yield name, [value_of(cell) for cell in cells]
    numbers = [cell if isinstance(cell, Number) else None for cell in cells]
    if any(one and one.error is not None for one in numbers):
        yield f"{name} stderr", [one.error if one else None for one in numbers]
    if any(one and one.interval for one in numbers):
        intervals = [one.interval if one else None for one in numbers]
        yield f"{name} low", [interval[0] if interval else None for interval in intervals]
        yield f"{name} high", [interval[1] if interval else None for interval in intervals]


def value_of(cell: TableCell) -> RawCell:
    if isinstance(cell, Number):
        return cell.value
    return cell if isinstance(cell, str) else None


def write_csv(table: Table, path: Path) -> None:
    """Write a CSV file in full precision: infinity is `inf`, a missing number is empty."""
    headings, rows = raw(table)
    with replacing(path) as scratch, scratch.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(headings)
        writer.writerows(rows)
