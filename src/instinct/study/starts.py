"""What is recorded whenever a study is started: versions, machine and settings."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from instinct.study.row_checks import column_names, has_table

Setting = str | int | float | bool | None


@dataclass(frozen=True)
class Start:
    """When, with which versions, where and how runs were started.

    `settings` change no number: the executor and its workers, the interval of checkpoints, whether
    failed runs are tried again. Starts of earlier versions have none.
    """

    started: str
    versions: Mapping[str, str]
    machine: str
    settings: Mapping[str, Setting] = field(default_factory=dict)

    def describe_settings(self) -> str:
        """Return the settings as one text.

        >>> Start("", {}, "", {"executor": "local", "workers": 2}).describe_settings()
        'executor local, workers 2'
        """
        return ", ".join(
            f"{name.replace('_', ' ')} {json.dumps(value) if value is True else value}"
            for name, value in self.settings.items()
            if value is not None and value is not False and value != ""
        )


def write_start(connection: sqlite3.Connection, start: Start) -> None:
    connection.execute(
        "INSERT INTO starts (started, versions, machine, settings) VALUES (?, ?, ?, ?)",
        (
            start.started,
            json.dumps(dict(start.versions)),
            start.machine,
            json.dumps(dict(start.settings)),
        ),
    )


def read_starts(connection: sqlite3.Connection) -> list[Start]:
    """Return all starts in their order; a store of an earlier version may have none."""
    if not has_table(connection, "starts"):
        return []
    query = "SELECT started, versions, machine, settings FROM starts ORDER BY number"
    if "settings" not in column_names(connection, "starts"):
        query = query.replace("settings", "'{}'")
    return [
        Start(started, json.loads(versions), machine, json.loads(settings))
        for started, versions, machine, settings in connection.execute(query)
    ]
