"""How commands speak: tables and JSON on stdout, progress on stderr."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table as Grid
from rich.text import Text

from instinct.report.kit.tables import Number, Table, TableCell, note_of
from instinct.util.progress import Progress

if TYPE_CHECKING:
    from instinct.report.kit.page import Page

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]

WIDEST, WIDEST_TEXT = 1000, 60
"""Characters of a table that is not for a terminal, and of a column of text."""

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def print_json(document: Any) -> None:
    """Exactly one document on stdout; infinities have been turned into text before."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def bars() -> Bar:
    """Bars with the time left, which go when they are done."""
    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


@contextmanager
def progress(description: str) -> Iterator[Progress]:
    """A bar on stderr with the time left; where stderr is no terminal, nothing."""
    with bars() as bar:
        task = bar.add_task(description, total=None)

        def step(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{description}: {what}")

        yield step


def show_table(table: Table) -> None:
    """Print a report's table, its best numbers bold, and its notes below.

    A terminal folds what is too wide for it; elsewhere the table is as wide as it needs to be.
    """
    notes = table.notes
    grid = Grid(title=Text(table.caption), title_justify="left", title_style="")
    for column, numeric in zip(table.columns, table.numeric, strict=True):
        if numeric:
            grid.add_column(Text(column), justify="right")
        else:
            grid.add_column(Text(column), overflow="fold", max_width=WIDEST_TEXT)
    for row in table.rows:
        grid.add_row(*(printed(cell, notes) for cell in row))
    wide = out if out.is_terminal else Console(file=out.file, highlight=False, width=WIDEST)
    wide.print(grid)
    for note, number in notes.items():
        out.print(f"({number}) {note}", markup=False)


def printed(cell: TableCell, notes: Mapping[str, int]) -> Text:
    note, mark = note_of(cell), cell.mark if isinstance(cell, Number) else None
    text = f"{cell} ({notes[note]})" if note else str(cell)
    return Text(text, style={"best": "bold", "grey": "dim", None: ""}[mark])


def show_page(page: "Page", path: Path) -> None:
    """Print what a page says: its tables, its summary, what is missing, and where it is."""
    for section in page.sections:
        if not section.detail:
            for table in section.tables:
                show_table(table)
    out.print(page.summary, markup=False)
    for verdict in page.verdicts:
        out.print(f"{verdict.sign} {verdict.text}", markup=False)
    for reason in page.missing:
        out.print(f"Missing: {reason}", markup=False)
    out.print(f"Page: {path}", soft_wrap=True, markup=False)
