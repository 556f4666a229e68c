"""The store of a study: one SQLite file with its plan and the measurement of every trial.

One process writes; others may read at any time. A row is written once, in one transaction, and
never changed. The file has only text and numbers. Rows have checksums (`row_checks.py`): a damaged
one is not read, and is made again when the study goes on.
"""

import json
import logging
import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput, Damaged, InstinctError
from instinct.study.estimates import DatasetEstimates, to_content
from instinct.study.estimates import from_content as estimates_from
from instinct.study.lock import lock_folder, now
from instinct.study.lock import lock_holder as lock_holder
from instinct.study.measurement import Measurement
from instinct.study.plan import Cell, Plan
from instinct.study.plan_files import from_content
from instinct.study.row_checks import add_tables, damaged_rows, has_table, is_signed, sign
from instinct.study.starts import Start, read_starts, write_start
from instinct.study.trials import Trial
from instinct.study.upgrade import FORMAT, format_of, raw_cost, upgrade_facts, upgrade_quantities
from instinct.util.atomic import refuse_link
from instinct.util.text import one_line
from instinct.util.validation import convert

log = logging.getLogger(__name__)

FILE = "study.sqlite"
TABLES = """
CREATE TABLE notes (name TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE datasets (name TEXT PRIMARY KEY, hash TEXT NOT NULL, facts TEXT NOT NULL);
CREATE TABLE ended (
  identity TEXT PRIMARY KEY, trial TEXT NOT NULL, measured TEXT NOT NULL,
  failure TEXT NOT NULL, seconds REAL NOT NULL, ended TEXT NOT NULL
);
CREATE TABLE deaths (
  number INTEGER PRIMARY KEY, identity TEXT NOT NULL, reason TEXT NOT NULL, died TEXT NOT NULL
);
"""
RECOVERABLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
"""Errors of the disk or the machine, not of the file's content."""


@dataclass(frozen=True)
class EndedTrial:
    """A trial and its measurement; that of a failed trial has the reason and no episodes."""

    trial: Trial
    measurement: Measurement


class Store:
    """The store of a study; use `open_store` to write and `read_store` to read."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self.connection = path, connection

    @property
    def plan(self) -> Plan:
        """The plan, with the settings that presets had when the study began."""
        try:
            plan = from_content(self.note("plan"))
            return replace(plan, frozen=self.frozen_settings(plan))
        except BadInput as fault:
            raise fault.in_file(self.path) from None

    def frozen_settings(self, plan: Plan) -> dict[Cell, dict[str, Setting]]:
        """Return the settings of all cells as they were when the study began.

        A store of an earlier version has them in its ended trials only.
        """
        if self.has_note("settings"):
            with translate_sqlite_errors(self.path):
                return {Cell(*cell): dict(settings) for cell, settings in self.note("settings")}
        ended = {
            (trial.dataset, trial.algorithm, trial.label, trial.filters): dict(trial.settings)
            for trial in (each.trial for each in self.ended().values())
        }
        return {
            cell: ended[key]
            for cell in plan.cells()
            for key in [(*cell[:3], plan.filters_of_cell(cell))]
            if key in ended
        }

    def has_note(self, name: str) -> bool:
        with translate_sqlite_errors(self.path):
            rows = self.connection.execute("SELECT 1 FROM notes WHERE name = ?", (name,))
            return rows.fetchone() is not None

    def damaged(self, *tables: str) -> list[tuple[str, str]]:
        """Return table and key of every row that is not as it was written."""
        with translate_sqlite_errors(self.path):
            return damaged_rows(self.connection, *tables)

    def warnings(self) -> list[str]:
        """Return what was made again, and other warnings."""
        with translate_sqlite_errors(self.path):
            if not has_table(self.connection, "warnings"):
                return []
            rows = self.connection.execute("SELECT warning FROM warnings ORDER BY number")
            return [warning for (warning,) in rows]

    def note(self, name: str) -> Any:
        with translate_sqlite_errors(self.path):
            row = self.connection.execute(
                "SELECT content FROM notes WHERE name = ?", (name,)
            ).fetchone()
            if row is None:
                raise ValueError(f"there is no {name}")
            return json.loads(row[0])

    def ended(self) -> dict[str, EndedTrial]:
        """Return the trials that have ended, by identity, in the order in which they ended."""
        with translate_sqlite_errors(self.path):
            rows = self.connection.execute(
                "SELECT identity, trial, measured FROM ended ORDER BY rowid"
            )
            return {
                identity: EndedTrial(trial_from_json(trial), measurement_from_json(measured))
                for identity, trial, measured in rows
            }

    def succeeded(self) -> dict[str, bool]:
        """Return for every ended trial, by identity, whether it succeeded."""
        with translate_sqlite_errors(self.path):
            rows = self.connection.execute("SELECT identity, failure FROM ended").fetchall()
        return {identity: not failure for identity, failure in rows}

    def datasets(self) -> dict[str, dict[str, Any]]:
        """Return the facts about every dataset that has been opened."""
        with translate_sqlite_errors(self.path):
            rows = self.connection.execute("SELECT name, facts FROM datasets").fetchall()
            return {name: facts_from_json(facts) for name, facts in rows}

    def estimates(self) -> dict[str, DatasetEstimates]:
        """Return the estimates of policies without a simulator, by dataset."""
        with translate_sqlite_errors(self.path):
            if not has_table(self.connection, "estimates"):
                return {}
            rows = self.connection.execute("SELECT dataset, content FROM estimates").fetchall()
            return {name: estimates_from(json.loads(content)) for name, content in rows}

    def deaths(self) -> dict[str, list[str]]:
        """Return why workers died, by the identity of the trial that they ran."""
        found: dict[str, list[str]] = {}
        with translate_sqlite_errors(self.path):
            for identity, reason in self.connection.execute(
                "SELECT identity, reason FROM deaths ORDER BY number"
            ):
                found.setdefault(identity, []).append(reason)
        return found

    def seconds(self) -> float:
        """Return the total time of all ended trials."""
        with translate_sqlite_errors(self.path):
            (total,) = self.connection.execute("SELECT TOTAL(seconds) FROM ended").fetchone()
        return float(total)

    def add(self, trial: Trial, measurement: Measurement) -> None:
        """Store the measurement of a trial."""
        with translate_sqlite_errors(self.path), self.connection:
            self.connection.execute(
                "INSERT INTO ended VALUES (?, ?, ?, ?, ?, ?)",
                (
                    trial.identity,
                    json.dumps(asdict(trial), sort_keys=True),
                    json.dumps({**asdict(measurement), "format": FORMAT}, sort_keys=True),
                    measurement.failure,
                    measurement.seconds,
                    now(),
                ),
            )
            sign(self.connection, "ended", trial.identity)

    def add_dataset(self, name: str, facts: Mapping[str, Any]) -> None:
        """Store the facts about a dataset; raise if the data have changed since."""
        with translate_sqlite_errors(self.path), self.connection:
            row = self.connection.execute(
                "SELECT hash FROM datasets WHERE name = ?", (name,)
            ).fetchone()
            if row is None:
                self.connection.execute(
                    "INSERT INTO datasets VALUES (?, ?, ?)",
                    (name, facts["hash"], json.dumps({**facts, "format": FORMAT})),
                )
                sign(self.connection, "datasets", name)
        if row is not None and row[0] != facts["hash"]:
            raise InstinctError(
                f"{name} has changed since the study began (SHA-256 {row[0][:12]}… then, "
                f"{facts['hash'][:12]}… now); start a new study in another folder"
            )

    def write_estimates(self, name: str, estimates: DatasetEstimates) -> None:
        """Store the estimates of the policies on a dataset, in place of earlier ones."""
        with translate_sqlite_errors(self.path), self.connection:
            self.connection.execute(
                "INSERT OR REPLACE INTO estimates VALUES (?, ?)",
                (name, json.dumps(to_content(estimates))),
            )
            sign(self.connection, "estimates", name)

    def forget_estimates(self, name: str) -> None:
        """Remove the estimates of a dataset, so that they are made again."""
        with translate_sqlite_errors(self.path), self.connection:
            self.connection.execute("DELETE FROM estimates WHERE dataset = ?", (name,))
            self.connection.execute(
                "DELETE FROM checksums WHERE kind = 'estimates' AND key = ?", (name,)
            )

    def add_death(self, trial: Trial, reason: str) -> None:
        """Store that a worker died while it ran a trial."""
        with translate_sqlite_errors(self.path), self.connection:
            self.connection.execute(
                "INSERT INTO deaths (identity, reason, died) VALUES (?, ?, ?)",
                (trial.identity, reason, now()),
            )

    def add_start(
        self, versions: Mapping[str, str], machine: str, settings: Mapping[str, Any]
    ) -> None:
        """Store with which versions, where and how the study goes on; warn of other versions."""
        starts = self.starts()
        before = starts[-1].versions if starts else self.note("versions")
        with translate_sqlite_errors(self.path), self.connection:
            write_start(self.connection, Start(now(), versions, machine, settings))
        others = [
            f"{name} {version} instead of {before[name]}"
            for name, version in versions.items()
            if before.get(name, version) != version
        ]
        if others:
            warn(self, f"the study went on at {now()} with {', '.join(others)}")

    def starts(self) -> list[Start]:
        """Return when, with which versions, where and how runs were started."""
        with translate_sqlite_errors(self.path):
            return read_starts(self.connection)

    def add_warning(self, warning: str) -> None:
        """Store that something was made again, or another warning."""
        with translate_sqlite_errors(self.path), self.connection:
            self.connection.execute(
                "INSERT INTO warnings (warning, warned) VALUES (?, ?)", (warning, now())
            )

    def forget(self, identities: Collection[str], why: str) -> None:
        """Remove ended trials, so that they run again, and store why."""
        self.add_warning(why)
        with translate_sqlite_errors(self.path), self.connection:
            for statement in (
                "DELETE FROM ended WHERE identity = ?",
                "DELETE FROM deaths WHERE identity = ?",
                "DELETE FROM checksums WHERE kind = 'ended' AND key = ?",
            ):
                self.connection.executemany(statement, [(each,) for each in identities])

    def write_facts_again(self, name: str, facts: Mapping[str, Any]) -> None:
        """Replace damaged facts about a dataset; raise if the data have changed."""
        self.add_dataset(name, facts)
        with translate_sqlite_errors(self.path), self.connection:
            text = json.dumps({**facts, "format": FORMAT})
            self.connection.execute("UPDATE datasets SET facts = ? WHERE name = ?", (text, name))
            sign(self.connection, "datasets", name)

    def write_note_again(self, name: str, content: Any) -> None:
        """Replace a damaged note if `content` is what was written first; forget versions."""
        text = json.dumps({} if name == "versions" else content)
        with translate_sqlite_errors(self.path), self.connection:
            if name != "versions" and not is_signed(self.connection, "notes", (name, text)):
                raise Damaged(
                    "is damaged and cannot be made again; move the store away to start again",
                    file=self.path,
                    field=name,
                )
            self.connection.execute("UPDATE notes SET content = ? WHERE name = ?", (text, name))
            sign(self.connection, "notes", name)


@contextmanager
def open_store(folder: Path, plan: Plan, versions: Mapping[str, str]) -> Iterator[Store]:
    """Open the study in the folder to write, or create it; lock the folder meanwhile."""
    path = folder / FILE
    for name in (FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal"):
        refuse_link(folder / name)
    with lock_folder(folder), connect(path, write=True) as connection:
        with translate_sqlite_errors(path):
            check_integrity(connection)
            connection.execute("PRAGMA synchronous = FULL")
            if not connection.execute("SELECT name FROM sqlite_master").fetchone():
                create_tables(connection, notes_of(plan) | {"versions": dict(versions)})
            elif has_table(connection, "ended"):
                add_tables(connection)
        store = Store(path, connection)
        repair_rows(store, plan)
        if store.plan.content != plan.content:
            raise BadInput(
                "holds a study with another plan; choose another folder with `folder=`",
                file=folder,
                option="folder",
            )
        yield store


def notes_of(plan: Plan) -> dict[str, Any]:
    """Return what a store notes about a plan: the plan, and what its settings mean today."""
    settings = [[list(cell), values] for cell, values in plan.freeze().items()]
    return {"plan": plan.content, "settings": settings}


def create_tables(connection: sqlite3.Connection, notes: Mapping[str, Any]) -> None:
    """Create the tables and the notes in one transaction."""
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement in TABLES.split(";"):
            connection.execute(statement)
        add_tables(connection)
        for name, content in notes.items():
            connection.execute("INSERT INTO notes VALUES (?, ?)", (name, json.dumps(content)))
            sign(connection, "notes", name)


def repair_rows(store: Store, plan: Plan) -> None:
    """Write damaged notes again, and remove damaged trials and estimates: they are made again."""
    for _, name in store.damaged("notes"):
        store.write_note_again(name, notes_of(plan).get(name))
        warn(store, f"the {name} of the study were damaged in the store and written again")
    rows = [identity for _, identity in store.damaged("ended")]
    if rows:
        why = f"{len(rows)} of the results in the store were damaged; their trials run again"
        log.warning("%s: %s", store.path, why)
        store.forget(rows, why)
    for _, name in store.damaged("estimates"):
        store.forget_estimates(name)
        warn(store, f"{name}: its estimates were damaged in the store; they are made again")


def warn(store: Store, warning: str) -> None:
    """Print a warning and store it."""
    log.warning("%s", warning)
    store.add_warning(warning)


@contextmanager
def read_store(folder: Path) -> Iterator[Store]:
    """Open the study in the folder to read, also while it runs."""
    path = folder / FILE
    if not path.exists():
        raise BadInput("does not exist; run the study first", file=path)
    with connect(path, write=False) as connection:
        with translate_sqlite_errors(path):
            check_integrity(connection)
        store = Store(path, connection)
        for table, key in store.damaged():
            problem = f"is damaged in the row {key!r}; run the study again to repair it"
            raise Damaged(problem, file=path, field=table)
        yield store


@contextmanager
def connect(path: Path, *, write: bool) -> Iterator[sqlite3.Connection]:
    how = "mode=rwc" if write else "mode=ro" if may_change(path) else "mode=ro&immutable=1"
    with translate_sqlite_errors(path):
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True)
    try:
        yield connection
    finally:
        connection.close()


def may_change(path: Path) -> bool:
    """Tell whether the store may change while it is read."""
    return os.access(path.parent, os.W_OK) or path.with_name(f"{path.name}-wal").exists()


def check_integrity(connection: sqlite3.Connection) -> None:
    (state,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if state != "ok":
        raise ValueError(state)


@contextmanager
def translate_sqlite_errors(path: Path) -> Iterator[None]:
    """Translate SQLite errors into `InstinctError`, damaged content into `BadInput`."""
    try:
        yield
    except BadInput as fault:
        raise (fault if fault.file else fault.in_file(path)) from None
    except (sqlite3.Error, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = one_line(str(error))
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in RECOVERABLE:
            raise InstinctError(
                f"{path}: cannot be read or written ({reason}); what was written before is safe, "
                "and the same command resumes the study once this is repaired"
            ) from error
        raise BadInput(
            f"is damaged or not the store of a study ({reason}); move it away to start again",
            file=path,
        ) from error


def trial_from_json(text: str) -> Trial:
    content = json.loads(text)
    trial = convert(content, Trial)
    if trial.action_range is None:
        return trial
    return replace(trial, action_range=tuple(content["action_range"]))


def measurement_from_json(text: str) -> Measurement:
    content = json.loads(text)
    number = format_of(content)
    found = convert(
        {name: value for name, value in content.items() if name != "format"}, Measurement
    )
    if number == 1:
        episodes = upgrade_quantities(
            dict(found.episodes), lambda costs: tuple(map(raw_cost, costs))
        )
        return replace(found, episodes=episodes)
    return found


def facts_from_json(text: str) -> dict[str, Any]:
    content = json.loads(text)
    if format_of(content) == 1:
        return upgrade_facts(content)
    return {name: value for name, value in content.items() if name != "format"}
