"""What commands print: tables and JSON on stdout, progress on stderr."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table as RichTable
from rich.text import Text

from instinct.cli.options import RUNNING
from instinct.report.kit.tables import Number, Table, TableCell, note_of
from instinct.util.bars import PlainConsole, terminal_bars
from instinct.util.progress import Progress
from instinct.util.text import plain

if TYPE_CHECKING:
    from instinct.report.kit.page import Page

Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print one JSON document and nothing else.", rich_help_panel=RUNNING
    ),
]

MAX_WIDTH, MAX_TEXT_WIDTH = 1000, 60
"""The largest width of a table outside a terminal, and of a column of text."""
FEW_COLUMNS, MAX_NAME_WIDTH = 4, 32
"""Tables with so few columns and so short names in the first one do not break the names."""
STYLES = {"best": "bold", "gray": "dim", None: ""}

out = PlainConsole()
err = PlainConsole(stderr=True)


def print_json(document: Any) -> None:
    """Print one document on stdout; infinities must be texts already."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8"))


@contextmanager
def show_progress(description: str) -> Iterator[Progress]:
    """Show a progress bar on stderr; without a terminal, show nothing."""
    with terminal_bars(err) as bars:
        bar = bars.add_task(description, total=None)

        def update(done: int, total: int, what: str) -> None:
            bars.update(bar, completed=done, total=total, description=f"{description}: {what}")

        yield update


def show_table(table: Table) -> None:
    """Print a table with its caption above and its notes below.

    A terminal wraps what is too wide for it; elsewhere a table has its full width.
    """
    notes = table.notes
    grid = RichTable(title=Text(plain(table.caption)), title_justify="left", title_style="")
    longest = max((len(row[0]) for row in table.texts), default=0)
    whole = len(table.columns) <= FEW_COLUMNS and longest <= MAX_NAME_WIDTH
    for number, (column, numeric) in enumerate(zip(table.columns, table.numeric, strict=True)):
        if numeric:
            grid.add_column(Text(plain(column)), justify="right")
        else:
            name = whole and number == 0
            heading = Text(plain(column))
            grid.add_column(heading, overflow="fold", max_width=MAX_TEXT_WIDTH, no_wrap=name)
    for row in table.rows:
        grid.add_row(*(cell_text(cell, notes) for cell in row))
    wide = out if out.is_terminal else PlainConsole(file=out.file, width=MAX_WIDTH)
    wide.print(grid)
    for note, number in notes.items():
        out.print(f"({number}) {note}", markup=False)


def cell_text(cell: TableCell, notes: Mapping[str, int]) -> Text:
    """Format a cell: its mark as a style, its note as a number in parentheses."""
    note, mark = note_of(cell), cell.mark if isinstance(cell, Number) else None
    text = f"{cell} ({notes[note]})" if note else str(cell)
    return Text(plain(text), style=STYLES[mark])


def show_rows(name: str, caption: str, rows: list[dict[str, Any]], as_json: bool) -> None:
    """Print rows of the same names as a table, or as one JSON document."""
    if as_json:
        print_json({"results": rows})
        return
    cells = tuple(tuple(value_text(value) for value in row.values()) for row in rows)
    show_table(Table(name, caption, tuple(rows[0]), cells))


def value_text(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def show_page(page: "Page", path: Path) -> None:
    """Print what a page assumes, its main tables, its answer and verdicts, and what is missing."""
    for premise in page.premises:
        out.print(premise, markup=False)
    for section in page.sections:
        if not section.detail:
            for table in section.tables:
                show_table(table)
    out.print(page.summary, markup=False)
    if page.answer is not None:
        out.print(Text(plain(page.answer.line), style="bold"))
    for verdict in (*page.found, *page.cautions):
        out.print(f"{verdict.mark} {verdict.text}", markup=False)
    for reason in page.missing:
        out.print(f"Missing: {reason}", markup=False)
    out.print(f"Page: {path}", soft_wrap=True, markup=False)
