"""The rows of a large dataset are in memory once, however many workers use them."""

from pathlib import Path

import numpy as np
import pytest

from instinct.data import cache, mapped, relabel
from instinct.data.arrays import is_mapped
from instinct.data.mapped import map_rows
from tests.deep.problems import noise_dataset


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSTINCT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "datasets"


def test_a_mapped_dataset_is_the_same(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped, "MIN_BYTES", 1)
    plain, found = noise_dataset(), map_rows(noise_dataset())
    assert len([*own_cache.glob("rows-*.npy")]) == 3
    assert found.hash == plain.hash
    for name, array in plain.fields():
        np.testing.assert_array_equal(getattr(found, name), array)
    assert all(is_mapped(getattr(found, name)) for name in mapped.FIELDS)
    assert not found.observations.flags.writeable
    labeled = relabel(found, "zero")
    assert is_mapped(labeled.observations)
    assert is_mapped(labeled.next_observations)


def test_a_damaged_map_is_written_again(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped, "MIN_BYTES", 1)
    map_rows(noise_dataset())
    (path,) = own_cache.glob("rows-*-observations.npy")
    content = path.read_bytes()
    for wrong in (b"", content[:-4] + b"\0\0\0\0", content[:100]):
        path.write_bytes(wrong)
        found = map_rows(noise_dataset())
        np.testing.assert_array_equal(found.observations, noise_dataset().observations)
        assert path.read_bytes() == content


def test_maps_are_part_of_the_cache(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped, "MIN_BYTES", 1)
    map_rows(noise_dataset())
    assert {path.suffix for path in cache.entries()} == {".npy"}
    cache.clear()
    assert cache.entries() == []


def test_a_small_dataset_stays_in_memory(own_cache: Path) -> None:
    assert not is_mapped(map_rows(noise_dataset()).observations)
    assert not own_cache.exists()
