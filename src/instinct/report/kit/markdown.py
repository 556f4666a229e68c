"""Write tables as Markdown."""

from instinct.report.kit.tables import Number, Table, TableCell, note_of


def markdown(table: Table, *, caption: bool = True) -> str:
    """Write a table as Markdown: its caption above if `caption`, its notes below."""
    notes = table.notes
    rule = ["--:" if numeric else "---" for numeric in table.numeric]
    lines = [
        *([table.caption, ""] if caption else []),
        row([escaped(column) for column in table.columns]),
        row(rule),
        *(row([cell_text(cell, notes) for cell in cells]) for cells in table.rows),
    ]
    if notes:
        lines += ["", *(f"({number}) {note}  " for note, number in notes.items())]
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
    return text.replace("|", "\\|")
