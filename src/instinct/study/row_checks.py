"""Checksums of the rows of a store, in a table of their own.

Rows that earlier versions wrote have none and are taken as they are.
"""

import sqlite3
from typing import Any

from instinct.util.hashing import hash_json

TABLES = """
CREATE TABLE IF NOT EXISTS checksums (
  kind TEXT NOT NULL, key TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (kind, key)
);
CREATE TABLE IF NOT EXISTS starts (
  number INTEGER PRIMARY KEY, started TEXT NOT NULL, versions TEXT NOT NULL,
  machine TEXT NOT NULL, settings TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE IF NOT EXISTS warnings (
  number INTEGER PRIMARY KEY, warning TEXT NOT NULL, warned TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS estimates (dataset TEXT PRIMARY KEY, content TEXT NOT NULL);
"""
"""Tables that stores of earlier versions do not have; they are added when a study goes on."""
SELECT = {
    "notes": "SELECT name, content FROM notes",
    "datasets": "SELECT name, hash, facts FROM datasets",
    "ended": "SELECT identity, trial, measured, failure, seconds, ended FROM ended",
    "estimates": "SELECT dataset, content FROM estimates",
}
"""The rows that have a checksum, by table; the first column is the key."""
SELECT_ROW = {
    "notes": f"{SELECT['notes']} WHERE name = ?",
    "datasets": f"{SELECT['datasets']} WHERE name = ?",
    "ended": f"{SELECT['ended']} WHERE identity = ?",
    "estimates": f"{SELECT['estimates']} WHERE dataset = ?",
}


def add_tables(connection: sqlite3.Connection) -> None:
    for statement in TABLES.split(";"):
        connection.execute(statement)
    if "settings" not in column_names(connection, "starts"):
        connection.execute("ALTER TABLE starts ADD COLUMN settings TEXT NOT NULL DEFAULT '{}'")


def column_names(connection: sqlite3.Connection, table: str) -> set[str]:
    rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return {name for (name,) in rows}


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,))
    return found.fetchone() is not None


def sign(connection: sqlite3.Connection, table: str, key: str) -> None:
    """Write the checksum of a row, in the transaction that writes the row."""
    row = connection.execute(SELECT_ROW[table], (key,)).fetchone()
    connection.execute(
        "INSERT OR REPLACE INTO checksums VALUES (?, ?, ?)", (table, key, hash_row(row))
    )


def is_signed(connection: sqlite3.Connection, table: str, row: tuple[Any, ...]) -> bool:
    """Tell whether a row is the one whose checksum was written."""
    found = connection.execute(
        "SELECT sha256 FROM checksums WHERE kind = ? AND key = ?", (table, row[0])
    ).fetchone()
    return bool(found == (hash_row(row),))


def damaged_rows(connection: sqlite3.Connection, *tables: str) -> list[tuple[str, str]]:
    """Return table and key of every row that is not as it was written."""
    if not has_table(connection, "checksums"):
        return []
    found = connection.execute("SELECT kind, key, sha256 FROM checksums")
    known = {(table, key): sha256 for table, key, sha256 in found}
    return [
        (table, row[0])
        for table in tables or SELECT
        if has_table(connection, table)
        for row in connection.execute(SELECT[table])
        if (table, row[0]) in known and known[table, row[0]] != hash_row(row)
    ]


def hash_row(row: tuple[Any, ...]) -> str:
    return hash_json([each if isinstance(each, float) else str(each) for each in row])
