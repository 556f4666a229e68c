"""The store keeps what was written and reports every fault in one sentence."""

import json
import math
import os
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instinct.data import KAPPA
from instinct.engine.inline_executor import InlineExecutor
from instinct.engine.run_plan import run_plan
from instinct.errors import BadInput, Damaged, InstinctError
from instinct.study.lock import lock_holder
from instinct.study.measurement import Measurement
from instinct.study.plan import Plan
from instinct.study.store import FILE, Store, create_tables, open_store, read_store
from instinct.study.trials import Trial
from tests.study.problems import grid_plan, ignore_progress, rows

PLAN = grid_plan()
TRIAL = PLAN.final({})[0]
VERSIONS = {"instinct": "0"}
FOUND = Measurement(
    {"return": (1.0, 2.0)}, {"step": (1.0,), "loss": (0.5,)}, actions=((0.5, -0.5),), seconds=4.0
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study with one trial that has ended."""
    with open_store(tmp_path / "study", PLAN, VERSIONS) as store:
        store.add(TRIAL, FOUND)
    return tmp_path / "study"


def other(seed: int) -> Trial:
    return replace(TRIAL, seed=seed)


def test_what_is_written_is_read(folder: Path) -> None:
    failed = Measurement({}, {"step": (1.0,), "loss": (math.inf,)}, failure="diverged", seconds=1.5)
    with open_store(folder, PLAN, VERSIONS) as store:
        store.add(other(8), failed)
        store.add_death(other(9), "killed")
        store.add_death(other(9), "killed again")
        store.add_dataset("gridworld", {"hash": "1", "points": [[1.0, 2.0]]})
    with read_store(folder) as store:
        first, second = store.ended().values()
        assert store.plan == PLAN
        assert (first.trial, first.measurement) == (TRIAL, FOUND)
        assert second.measurement == failed
        assert store.succeeded() == {TRIAL.identity: True, other(8).identity: False}
        assert store.deaths() == {other(9).identity: ["killed", "killed again"]}
        assert store.datasets() == {"gridworld": {"hash": "1", "points": [[1.0, 2.0]]}}
        assert store.seconds() == 5.5
        assert store.note("versions") == VERSIONS


@given(st.lists(st.floats(), max_size=4).map(tuple))
def test_every_number_comes_back(values: tuple[float, ...]) -> None:
    connection = sqlite3.connect(":memory:")
    create_tables(connection, {})
    store = Store(Path("memory"), connection)
    store.add(TRIAL, Measurement({"return": values}))
    (again,) = store.ended().values()
    np.testing.assert_array_equal(again.measurement.episodes["return"], values)
    assert store.succeeded() == {TRIAL.identity: True}
    connection.close()


def test_a_row_is_written_once(folder: Path) -> None:
    with open_store(folder, PLAN, VERSIONS) as store:
        with pytest.raises(InstinctError, match="UNIQUE"):
            store.add(TRIAL, replace(FOUND, seconds=0))
        assert store.ended()[TRIAL.identity].measurement == FOUND


def test_another_plan_is_refused(folder: Path) -> None:
    with pytest.raises(BadInput, match="another plan"), open_store(folder, grid_plan(seeds=4), {}):
        pass
    with read_store(folder) as store:
        assert store.plan == PLAN


def test_a_plan_from_before_an_entry_was_added_is_the_same(folder: Path) -> None:
    content = {name: value for name, value in PLAN.content.items() if name != "scaled"}
    change(folder, "UPDATE notes SET content = ? WHERE name = 'plan'", json.dumps(content))
    with open_store(folder, PLAN, VERSIONS) as store:
        assert [*store.succeeded()] == [TRIAL.identity]


def test_a_dataset_that_changed_is_refused(folder: Path) -> None:
    with open_store(folder, PLAN, VERSIONS) as store:
        store.add_dataset("d", {"hash": "1"})
        store.add_dataset("d", {"hash": "1"})
        with pytest.raises(InstinctError, match="d has changed since the study began"):
            store.add_dataset("d", {"hash": "2"})
        assert store.datasets() == {"d": {"hash": "1"}}


def test_the_second_writer_is_told_of_the_first(folder: Path) -> None:
    with (
        open_store(folder, PLAN, VERSIONS) as store,
        pytest.raises(InstinctError, match=f"process {os.getpid()} on .*, since 20") as caught,
        open_store(folder, PLAN, VERSIONS),
    ):
        pass
    assert caught.value.exit_code == 1
    assert lock_holder(folder) == ""
    with open_store(folder, PLAN, VERSIONS) as store:
        assert lock_holder(folder).startswith(f"process {os.getpid()} on")
        store.add(other(8), FOUND)


def test_reading_while_another_writes(folder: Path) -> None:
    with open_store(folder, PLAN, VERSIONS) as store, read_store(folder) as reader:
        assert len(reader.ended()) == 1
        store.connection.execute("BEGIN IMMEDIATE")
        assert len(reader.ended()) == 1
        store.connection.rollback()
        store.add(other(8), FOUND)
        assert len(reader.ended()) == 2


def test_a_study_that_was_killed_before_its_first_row(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    with pytest.raises(BadInput, match="no such table"), read_store(tmp_path) as store:
        store.plan  # noqa: B018
    with open_store(tmp_path, PLAN, VERSIONS) as store:
        assert store.plan == PLAN


def test_the_store_begins_whole_or_not_at_all(tmp_path: Path) -> None:
    """If the notes cannot be written, no table is created."""
    with pytest.raises(BadInput), open_store(tmp_path, PLAN, {"instinct": object()}):  # type: ignore[dict-item]
        pass
    connection = sqlite3.connect(tmp_path / FILE)
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []
    connection.close()
    with open_store(tmp_path, PLAN, VERSIONS) as store:
        assert store.note("versions") == VERSIONS


def test_no_study(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="run the study first"), read_store(tmp_path):
        pass
    (tmp_path / "file").touch()
    with (
        pytest.raises(InstinctError, match=r"file: cannot be written"),
        open_store(tmp_path / "file", PLAN, VERSIONS),
    ):
        pass


def change(folder: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(folder / FILE)
    with connection:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'checksums'").fetchone():
            connection.execute("DELETE FROM checksums")
        connection.execute(statement, values)
    connection.close()


def read_all(store: Store) -> tuple[object, ...]:
    return store.succeeded(), store.ended(), store.plan


def damaged(folder: Path) -> None:
    """Readers and writers refuse the store in one sentence and leave the file as it is."""
    before = (folder / FILE).read_bytes()
    for opened in (read_store(folder), open_store(folder, PLAN, VERSIONS)):
        with pytest.raises(BadInput) as caught, opened as store:
            read_all(store)
        assert FILE in str(caught.value)
        assert "\n" not in str(caught.value)
        assert "Traceback" not in str(caught.value)
    assert (folder / FILE).read_bytes() == before


@pytest.mark.parametrize("keep", [100, 5000, 9000])
def test_a_truncated_store(folder: Path, keep: int) -> None:
    (folder / FILE).write_bytes((folder / FILE).read_bytes()[:keep])
    damaged(folder)


def test_random_bytes(folder: Path) -> None:
    (folder / FILE).write_bytes(np.random.default_rng(0).bytes(10_000))
    damaged(folder)


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("content")
    with open_store(folder, PLAN, VERSIONS) as store:
        for seed in range(5, 25):
            store.add(other(seed), FOUND)
    return (folder / FILE).read_bytes()


@given(st.integers(100, 20_000), st.binary(min_size=64, max_size=256))
def test_bytes_that_fell_over(tmp_path: Path, content: bytes, at: int, junk: bytes) -> None:
    """Either the store can still be read, or it is reported as damaged."""
    (tmp_path / FILE).write_bytes(content[:at] + junk + content[at + len(junk) :])
    try:
        with read_store(tmp_path) as store:
            read_all(store)
    except InstinctError as error:
        message = str(error)
    else:
        message = FILE
    assert FILE in message


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE ended",
        "DROP TABLE notes",
        "DELETE FROM notes",
        "UPDATE notes SET content = '{'",
        "UPDATE notes SET content = '[]'",
        "UPDATE ended SET measured = '{'",
        "UPDATE ended SET measured = '[]'",
        "UPDATE ended SET trial = '{}'",
        """UPDATE ended SET measured = '{"episodes": 1, "curves": 2}'""",
        """UPDATE ended SET measured = json_set(measured, '$.format', 99)""",
        """UPDATE ended SET measured = '{"episodes": {}, "curves": {}, "nonsense": 1}'""",
    ],
)
def test_wrong_contents(folder: Path, statement: str) -> None:
    change(folder, statement)
    damaged(folder)


def test_measurements_with_the_keys_of_before(folder: Path) -> None:
    """Costs were divided by κ, and the normalized return beside them was called reward."""
    old = {**asdict(FOUND), "episodes": {"reward": [0.5], "return": [9.0], "cost": [2.0]}}
    change(folder, "UPDATE ended SET measured = ?", json.dumps(old))
    with read_store(folder) as store:
        (found,) = store.ended().values()
    assert found.measurement.episodes == {
        "score": (0.5,),
        "return": (9.0,),
        "cost": pytest.approx((2 * KAPPA,)),
    }
    assert found.measurement.actions == FOUND.actions


def test_a_database_of_something_else(tmp_path: Path) -> None:
    change(tmp_path, "CREATE TABLE songs (title TEXT)")
    damaged(tmp_path)


def nothing_lost(folder: Path) -> None:
    """Earlier rows are there, and the study goes on."""
    with open_store(folder, PLAN, VERSIONS) as store:
        assert store.ended()[TRIAL.identity].measurement == FOUND
        store.add(other(100), FOUND)
        assert other(100).identity in store.succeeded()


def fill(store: Store) -> None:
    for seed in range(8, 60):
        store.add(other(seed), replace(FOUND, curves={"step": (1.0,) * 500}))


def test_a_full_disk(folder: Path) -> None:
    with open_store(folder, PLAN, VERSIONS) as store:
        (pages,) = store.connection.execute("PRAGMA page_count").fetchone()
        store.connection.execute(f"PRAGMA max_page_count = {pages + 4}")
        with pytest.raises(InstinctError, match=r"is full.*what was written before is safe"):
            fill(store)
        assert 0 < len(store.succeeded()) < 52
    nothing_lost(folder)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_file_system_that_takes_no_more(folder: Path) -> None:
    with open_store(folder, PLAN, VERSIONS) as store, largest_file(50_000):
        with pytest.raises(InstinctError, match=r"disk|I/O") as caught:
            fill(store)
        assert not isinstance(caught.value, BadInput)
    nothing_lost(folder)


def test_not_even_the_lock_can_be_written(tmp_path: Path) -> None:
    with (
        largest_file(0),
        pytest.raises(InstinctError, match="cannot be written"),
        open_store(tmp_path, PLAN, VERSIONS),
    ):
        pass
    with open_store(tmp_path, PLAN, VERSIONS):
        pass


@contextmanager
def reading_only(folder: Path) -> Iterator[None]:
    """Act as a user who may read the folder and not change it."""
    saved = os.getresuid()
    folder.chmod(0o555)
    try:
        if os.geteuid() == 0:
            for parent in folder.parents[:4]:
                parent.chmod(0o755)
            os.setresuid(65534, 65534, 0)
        yield
    finally:
        os.setresuid(*saved)
        folder.chmod(0o755)


@pytest.mark.parametrize("read_before", [False, True])
def test_a_folder_that_may_only_be_read(folder: Path, read_before: bool) -> None:
    if read_before:
        with read_store(folder) as store:
            store.ended()
    with reading_only(folder):
        with read_store(folder) as store:
            assert len(store.ended()) == 1
        with (
            pytest.raises(InstinctError, match="cannot be written"),
            open_store(folder, PLAN, VERSIONS),
        ):
            pass
    nothing_lost(folder)


def test_plan_of_a_store_names_the_store(folder: Path) -> None:
    content = Plan.content.func(PLAN) | {"seeds": 0}  # type: ignore[attr-defined]
    change(folder, "UPDATE notes SET content = ? WHERE name = 'plan'", json.dumps(content))
    with pytest.raises(BadInput, match=rf"{FILE}: seeds"), read_store(folder) as store:
        store.plan  # noqa: B018


DAMAGE = {
    "a number": "UPDATE ended SET measured = replace(measured, '0', '1') WHERE rowid = 1",
    "a setting": "UPDATE ended SET trial = replace(trial, 'BC', 'bC') WHERE rowid = 1",
    "a failure": "UPDATE ended SET failure = 'no' WHERE rowid = 1",
    "the facts": "UPDATE datasets SET facts = replace(facts, '1', '2')",
    "the plan": "UPDATE notes SET content = replace(content, '2', '3') WHERE name = 'plan'",
    "the versions": "UPDATE notes SET content = '{\"jax\": \"9\"}' WHERE name = 'versions'",
}


def inline(folder: Path, extensions: object) -> InlineExecutor:
    """Run trials in this process."""
    return InlineExecutor(folder)


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_row_is_never_read(tmp_path: Path, damage: str) -> None:
    """The study goes on from what is sound, and ends with the same rows."""
    plan = grid_plan(seeds=1)
    run_plan(plan, tmp_path, ignore_progress, inline)
    before = rows(tmp_path)
    with closing(sqlite3.connect(tmp_path / "study.sqlite")) as connection, connection:
        assert connection.execute(DAMAGE[damage]).rowcount == 1
    with pytest.raises(Damaged, match="damaged in the row"), read_store(tmp_path):
        pass
    run_plan(plan, tmp_path, ignore_progress, inline)
    assert rows(tmp_path) == before
    with read_store(tmp_path) as store:
        (warning,) = store.warnings()
    assert "damaged in the store" in warning or "in the store were damaged" in warning


def test_settings_that_are_lost_are_not_guessed(tmp_path: Path) -> None:
    """The settings of today are written again only if they are those of the beginning."""
    plan = grid_plan(seeds=1)
    with open_store(tmp_path, plan, {}):
        pass
    damage = "UPDATE notes SET content = '[]' WHERE name = 'settings'"
    other = "UPDATE checksums SET sha256 = '' WHERE key = 'settings'"
    for statements, sound in ([damage], True), ([damage, other], False):
        with closing(sqlite3.connect(tmp_path / "study.sqlite")) as connection, connection:
            for statement in statements:
                connection.execute(statement)
        if sound:
            with open_store(tmp_path, plan, {}) as store:
                assert store.plan.frozen
        else:
            with (
                pytest.raises(Damaged, match="cannot be made again"),
                open_store(tmp_path, plan, {}),
            ):
                pass


def test_rows_without_checksums_are_read(tmp_path: Path) -> None:
    """Earlier versions wrote none; a study of theirs goes on, with checksums for new rows."""
    plan = grid_plan(seeds=1)
    run_plan(plan, tmp_path, ignore_progress, inline)
    before = rows(tmp_path)
    with closing(sqlite3.connect(tmp_path / "study.sqlite")) as connection, connection:
        connection.execute("DROP TABLE checksums")
        connection.execute("DROP TABLE warnings")
        connection.execute("DELETE FROM ended WHERE rowid = 1")
    run_plan(plan, tmp_path, ignore_progress, inline)
    assert rows(tmp_path) == before
    with read_store(tmp_path) as store:
        signed = store.connection.execute("SELECT kind FROM checksums").fetchall()
        assert (signed, store.warnings()) == ([("ended",)], [])
