"""`instinct describe`: show the columns of a table and propose their roles."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from instinct.cli.output import Json, out, print_json, show_table
from instinct.errors import BadInput
from instinct.report.kit.tables import Table
from instinct.util.atomic import write_atomically
from instinct.util.paths import check_exists

if TYPE_CHECKING:
    from instinct.data.tables.describe import ColumnFacts, Description


def describe(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A CSV, Parquet, Arrow or Feather file.")
    ],
    target: Annotated[
        Path | None,
        typer.Option("--out", metavar="TOML", help="Write the proposed roles into this new file."),
    ] = None,
    json: Json = False,
) -> None:
    """Show types, ranges and missing values of a table, and propose roles.

    The roles are guessed by the names of the columns. Write them beside the
    table, as icu.toml beside icu.csv, and correct them: every command that
    opens icu.csv then uses them.

    Example: instinct describe icu.csv --out icu.toml
    """
    if target is not None and target.exists():
        raise BadInput("exists already; choose another name", file=target)
    check_exists(str(file))
    from instinct.data import describe as describe_table

    found = describe_table(file)
    if json:
        columns = [asdict(column) for column in found.columns]
        print_json({"file": str(file), "rows": found.rows, "columns": columns, "toml": found.toml})
    else:
        show_table(facts_table(str(file), found))
        out.print(found.toml, markup=False, end="", soft_wrap=True)
    if target is not None:
        write_atomically(target, found.toml.encode())
        if not json:
            out.print(f"Roles: {target}", markup=False, soft_wrap=True)


def facts_table(name: str, found: "Description") -> Table:
    """Tabulate the facts of all columns."""
    from instinct.data.tables.roles import printable

    columns = ("column", "type", "range", "missing", "role")
    rows = tuple(
        (
            printable(each.name),
            each.kind,
            printable(describe_range(each)),
            f"{each.missing:,}",
            each.role or "none",
        )
        for each in found.columns
    )
    return Table("describe", f"{name}: {found.rows:,} rows.", columns, rows)


def describe_range(facts: "ColumnFacts") -> str:
    """Say what is between the lowest and the highest value of a column."""
    if facts.constant:
        return f"always {facts.low}"
    if facts.values is not None:
        return f"{facts.values} texts, {facts.low} to {facts.high}"
    return f"{facts.low} to {facts.high}" if facts.low else ""
