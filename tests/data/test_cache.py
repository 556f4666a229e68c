from pathlib import Path

import h5py
import pytest

from instinct.data import cache, read, write
from tests.data.datasets import small


@pytest.fixture(autouse=True)
def cache_all_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MIN_TRANSITIONS", 1)


def entries(folder: Path) -> list[Path]:
    return list(folder.rglob("*.npz"))


@pytest.mark.parametrize("name", ["data.hdf5", "folder"])
def test_the_second_read_uses_the_cache(
    name: str, tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    write(small(), path)
    first = read(path)
    assert len(entries(own_cache)) == 1

    def closed(*_: object, **__: object) -> None:
        raise AssertionError("the source was opened")

    monkeypatch.setattr(h5py, "File", closed)
    assert read(path).hash == first.hash


def test_a_changed_source_replaces_its_cache_entry(tmp_path: Path, own_cache: Path) -> None:
    path = tmp_path / "data.hdf5"
    write(small(), path)
    read(path)
    other = small(rewards=small().rewards + 1)
    write(other, path)
    assert read(path).hash == other.hash
    assert len(entries(own_cache)) == 1


def test_options_are_part_of_the_entry(tmp_path: Path) -> None:
    path = tmp_path / "data.hdf5"
    write(small(), path)
    assert read(path).hash != read(path, action_range=(-2, 2)).hash


def test_repairs_are_cached(tmp_path: Path) -> None:
    path = tmp_path / "data.hdf5"
    write(small(), path)
    with h5py.File(path, "a") as file:
        del file["timeouts"]
    assert read(path).repairs == read(path).repairs != ()


def test_a_damaged_or_read_only_cache_is_ignored(
    tmp_path: Path,
    own_cache: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "data.hdf5"
    write(small(), path)
    read(path)
    entries(own_cache)[0].write_bytes(b"PK\x03\x04 nonsense")
    assert read(path).hash == small().hash
    assert "ignored a cache entry" in caplog.text
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("INSTINCT_CACHE", str(tmp_path / "file"))
    assert read(path).hash == small().hash
    assert "not cached" in caplog.text


def test_small_datasets_are_not_cached(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MIN_TRANSITIONS", 50_000)
    write(small(), tmp_path / "data.hdf5")
    read(tmp_path / "data.hdf5")
    assert entries(own_cache) == []
