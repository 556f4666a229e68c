"""The store of a study: one SQLite file that holds its plan and what every trial measured.

One process writes; others may read at any time. A row is written once, in one transaction, and
never changed. The file holds text and numbers only.
"""

import fcntl
import json
import os
import platform
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from instinct.errors import BadInput, InstinctError
from instinct.study.measured import Measured
from instinct.study.plan import Plan
from instinct.study.plan_files import from_content
from instinct.study.trials import Trial

FILE, LOCK = "study.sqlite", "study.lock"
TABLES = """
CREATE TABLE notes (name TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE datasets (name TEXT PRIMARY KEY, facts TEXT NOT NULL);
CREATE TABLE ended (
  identity TEXT PRIMARY KEY, trial TEXT NOT NULL, measured TEXT NOT NULL, ended TEXT NOT NULL
);
CREATE TABLE deaths (
  number INTEGER PRIMARY KEY, identity TEXT NOT NULL, reason TEXT NOT NULL, died TEXT NOT NULL
);
"""


@dataclass(frozen=True)
class Ended:
    """A trial with what it measured; one that failed has measured nothing and says why."""

    trial: Trial
    measured: Measured


class Store:
    """Use `open_store` to write and `read_store` to read."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self.connection = path, connection

    @property
    def plan(self) -> Plan:
        return from_content(self.note("plan"))

    def note(self, name: str) -> Any:
        with said(self.path):
            row = self.connection.execute(
                "SELECT content FROM notes WHERE name = ?", (name,)
            ).fetchone()
            if row is None:
                raise sqlite3.DatabaseError(f"it has no {name}")
            return json.loads(row[0])

    def ended(self, identities: Sequence[str] | None = None) -> dict[str, Ended]:
        """The trials that have ended, by identity: those named, or all in the order they ended."""
        with said(self.path):
            rows = self.connection.execute(
                "SELECT identity, trial, measured FROM ended ORDER BY rowid"
            ).fetchall()
            wanted = None if identities is None else {*identities}
            return {
                identity: Ended(trial_of(json.loads(trial)), measured_of(json.loads(measured)))
                for identity, trial, measured in rows
                if wanted is None or identity in wanted
            }

    def known(self) -> dict[str, bool]:
        """The identities of the trials that have ended, and whether each has succeeded."""
        with said(self.path):
            rows = self.connection.execute(
                "SELECT identity, json_extract(measured, '$.failure') FROM ended"
            ).fetchall()
        return {identity: not failure for identity, failure in rows}

    def datasets(self) -> dict[str, dict[str, Any]]:
        """What is known of every dataset that has been opened."""
        with said(self.path):
            rows = self.connection.execute("SELECT name, facts FROM datasets").fetchall()
            return {name: json.loads(facts) for name, facts in rows}

    def deaths(self) -> dict[str, list[str]]:
        """Why workers died, by the identity of the trial that they were at."""
        found: dict[str, list[str]] = {}
        with said(self.path):
            for identity, reason in self.connection.execute(
                "SELECT identity, reason FROM deaths ORDER BY number"
            ):
                found.setdefault(identity, []).append(reason)
        return found

    def seconds(self) -> float:
        """How long the trials that have ended took, all together."""
        with said(self.path):
            (total,) = self.connection.execute(
                "SELECT COALESCE(SUM(json_extract(measured, '$.seconds')), 0) FROM ended"
            ).fetchone()
        return float(total)

    def add(self, trial: Trial, measured: Measured) -> None:
        """Write down how a trial ended."""
        with said(self.path), self.connection:
            if measured.data:
                self.note_dataset(trial.dataset, measured.data)
            self.connection.execute(
                "INSERT INTO ended VALUES (?, ?, ?, ?)",
                (trial.identity, to_json(trial), to_json(replace(measured, data={})), now()),
            )

    def note_dataset(self, name: str, facts: Mapping[str, Any]) -> None:
        """Keep what is known of a dataset, which must not change while the study lasts."""
        row = self.connection.execute(
            "SELECT json_extract(facts, '$.hash') FROM datasets WHERE name = ?", (name,)
        ).fetchone()
        if row is None:
            self.connection.execute("INSERT INTO datasets VALUES (?, ?)", (name, json.dumps(facts)))
        elif row[0] != facts["hash"]:
            raise InstinctError(
                f"{name} has changed since the study began; begin another in another folder"
            )

    def add_death(self, trial: Trial, reason: str) -> None:
        """Write down that a worker died at a trial."""
        with said(self.path), self.connection:
            self.connection.execute(
                "INSERT INTO deaths (identity, reason, died) VALUES (?, ?, ?)",
                (trial.identity, reason, now()),
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()


@contextmanager
def open_store(folder: Path, plan: Plan, versions: Mapping[str, str]) -> Iterator[Store]:
    """The study in the folder, begun now or before; no other process may write meanwhile."""
    path = folder / FILE
    with alone(folder), connected(path, write=True) as connection:
        with said(path), connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            check(connection)
            if not connection.execute("SELECT name FROM sqlite_master").fetchone():
                for statement in TABLES.split(";"):
                    connection.execute(statement)
                for name, content in (("plan", plan.content), ("versions", dict(versions))):
                    connection.execute(
                        "INSERT INTO notes VALUES (?, ?)", (name, json.dumps(content))
                    )
        store = Store(path, connection)
        if store.note("plan") != plan.content:
            raise BadInput(
                "holds a study with another plan; choose another folder with --out", file=folder
            )
        yield store


@contextmanager
def read_store(folder: Path) -> Iterator[Store]:
    """The study in the folder, to read, also while it runs."""
    path = folder / FILE
    if not path.exists():
        raise BadInput("does not exist; run the study first", file=path)
    with connected(path, write=False) as connection:
        with said(path):
            check(connection)
        yield Store(path, connection)


@contextmanager
def connected(path: Path, *, write: bool) -> Iterator[sqlite3.Connection]:
    with said(path):
        mode = "rwc" if write else "ro"
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True)
    try:
        yield connection
    finally:
        connection.close()


def check(connection: sqlite3.Connection) -> None:
    (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if state != "ok":
        raise sqlite3.DatabaseError(state)


@contextmanager
def said(path: Path) -> Iterator[None]:
    """What SQLite or the disk refuses, in one sentence."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise InstinctError(
            f"{path}: cannot be read or written ({error}); what had been written is safe, and the "
            "same command goes on when this is mended"
        ) from error
    except (sqlite3.DatabaseError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"is damaged or not a study's store ({error}); move it away to begin anew", file=path
        ) from error


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """The only process that writes; the lock goes with the process, however it ends."""
    path = folder / LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("a+")
    except OSError as error:
        raise InstinctError(f"{folder}: cannot be written: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InstinctError(
                f"{folder}: the study is being run by {read_holder(path)}"
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()} on {platform.node()}, since {now()}")
        file.flush()
        yield
        file.truncate(0)


def holder(folder: Path) -> str:
    """Who runs the study at the moment; nobody if empty."""
    path = folder / LOCK
    if not path.exists():
        return ""
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return read_holder(path)
    return ""


def read_holder(path: Path) -> str:
    return path.read_text("utf-8", errors="replace").strip() or "another process"


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def to_json(content: Trial | Measured) -> str:
    return json.dumps(asdict(content), sort_keys=True)


def trial_of(content: Mapping[str, Any]) -> Trial:
    between = content["action_range"]
    lists = {
        "filters": tuple(content["filters"]),
        "action_range": None if between is None else tuple(between),
    }
    return Trial(**{**content, **lists})


def measured_of(content: Mapping[str, Any]) -> Measured:
    lists = {
        group: {name: tuple(values) for name, values in content[group].items()}
        for group in ("episodes", "curves")
    }
    return Measured(**{**content, **lists})
