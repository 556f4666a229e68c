"""Write tables as Markdown."""

import re

from instinct.report.kit.tables import Number, Table, TableCell, note_of
from instinct.util.text import one_line


def markdown(table: Table, *, caption: bool = True) -> str:
    """Write a table as Markdown: its caption above if `caption`, its notes below."""
    notes = table.notes
    rule = ["--:" if numeric else "---" for numeric in table.numeric]
    lines = [
        *([harmless(table.caption), ""] if caption else []),
        row([escaped(column) for column in table.columns]),
        row(rule),
        *(row([cell_text(cell, notes) for cell in cells]) for cells in table.rows),
    ]
    if notes:
        lines += ["", *(f"({number}) {harmless(note)}  " for note, number in notes.items())]
    return "\n".join(lines)


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def cell_text(cell: TableCell, notes: dict[str, int]) -> str:
    text = escaped(str(cell))
    if isinstance(cell, Number) and cell.mark == "best":
        text = f"**{text}**"
    if isinstance(cell, Number) and cell.mark == "gray":
        text = f"*{text}*"
    note = note_of(cell)
    return f"{text} ({notes[note]})" if note else text


def escaped(text: str) -> str:
    """Return a text for a cell: harmless, and without an end of the cell."""
    return harmless(text).replace("|", "\\|")


def harmless(text: str) -> str:
    """Return a text as one line that holds no HTML and no link.

    >>> harmless("<b>5 < 6</b> [here](javascript:x)")
    '&lt;b>5 < 6&lt;/b> [here\\\\](javascript:x)'
    """
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", one_line(text)).replace("](", "\\](")
