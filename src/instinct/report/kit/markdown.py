"""Tables as Markdown, for pages in a repository."""

from instinct.report.kit.tables import Cell, Number, Table, note_of


def markdown(table: Table) -> str:
    """The table with its caption above it and its notes below."""
    notes = table.notes
    rule = ["--:" if numeric else "---" for numeric in table.numeric]
    lines = [
        table.caption,
        "",
        row([escaped(column) for column in table.columns]),
        row(rule),
        *(row([shown(cell, notes) for cell in cells]) for cells in table.rows),
    ]
    if notes:
        lines += ["", *(f"({number}) {note}  " for note, number in notes.items())]
    return "\n".join(lines)


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def shown(cell: Cell, notes: dict[str, int]) -> str:
    text = escaped(str(cell))
    if isinstance(cell, Number) and cell.mark == "best":
        text = f"**{text}**"
    if isinstance(cell, Number) and cell.mark == "grey":
        text = f"*{text}*"
    note = note_of(cell)
    return f"{text} ({notes[note]})" if note else text


def escaped(text: str) -> str:
    return text.replace("|", "\\|")
