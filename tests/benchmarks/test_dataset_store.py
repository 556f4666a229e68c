"""The store of datasets made here: complete or absent, and made once."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from instinct.benchmarks.dataset_store import get, get_or_make, note_of, path_of
from instinct.benchmarks.gridworld.world import GridWorld
from instinct.data import Dataset
from instinct.errors import InstinctError
from instinct.util.folders import data_folder

pytestmark = pytest.mark.usefixtures("own_data")


class Maker:
    """Makes a small dataset, and counts how often."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self) -> Dataset:
        self.made += 1
        return GridWorld().dataset()


def test_made_once_and_noted_with_its_provenance() -> None:
    make = Maker()
    first = get_or_make("a", make, {"seed": 3})
    again = get_or_make("a", make, {"seed": 3})
    assert make.made == 1
    assert first.hash == again.hash
    assert note_of("a") == {"hash": first.hash, "seed": 3}


def test_a_dataset_without_a_note_does_not_exist() -> None:
    make = Maker()
    get_or_make("a", make, {})
    path_of("a").with_suffix(".json").unlink()
    assert get("a") is None
    get_or_make("a", make, {})
    assert make.made == 2


@pytest.mark.parametrize("damage", ["cut", "other data", "note"])
def test_a_damaged_dataset_is_made_again(damage: str, caplog: pytest.LogCaptureFixture) -> None:
    make = Maker()
    whole = get_or_make("a", make, {})
    path = path_of("a")
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-2000])
    elif damage == "other data":
        get_or_make("b", lambda: whole.change(rewards=whole.rewards + 1), {})
        path.write_bytes(path_of("b").read_bytes())
    else:
        path.with_suffix(".json").write_text("{")
    assert get_or_make("a", make, {}).hash == whole.hash
    assert make.made == 2
    assert damage == "note" or "made again" in caplog.text
    assert get("a") is not None


def test_an_interruption_leaves_nothing(own_data: Path) -> None:
    def interrupted() -> Dataset:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get_or_make("a", interrupted, {})
    assert get("a") is None
    assert {path.suffix for path in own_data.rglob("*") if path.is_file()} <= {".lock"}


def test_one_process_makes_the_dataset_while_the_other_waits() -> None:
    both = threading.Barrier(2)
    make = Maker()

    def slow() -> Dataset:
        threading.Event().wait(0.3)
        return make()

    def ask(_: int) -> str:
        both.wait()
        return get_or_make("a", slow, {}).hash

    with ThreadPoolExecutor(2) as pool:
        hashes = list(pool.map(ask, range(2)))
    assert hashes[0] == hashes[1]
    assert make.made == 1


def test_an_unwritable_folder_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("INSTINCT_DATA", str(tmp_path / "file"))
    with pytest.raises(InstinctError, match="cannot be written"):
        get_or_make("a", Maker(), {})


def test_the_folder_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INSTINCT_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "instinct"


def test_notes_are_plain_json() -> None:
    get_or_make("a", Maker(), {"name": "grid"})
    assert json.loads(path_of("a").with_suffix(".json").read_text())["name"] == "grid"
