"""Nothing outside the named file is read, nothing blocks, and memory is bounded before reading."""

import os
import time
import tracemalloc
from pathlib import Path

import h5py
import numpy as np
import pytest

from instinct.data import Dataset, cache, read, write
from instinct.data.formats import files
from instinct.errors import BadInput
from tests.data.datasets import small


def refused(path: Path, match: str) -> None:
    """The refusal is one sentence, within a second."""
    started = time.monotonic()
    with pytest.raises(BadInput, match=match) as caught:
        read(path)
    assert time.monotonic() - started < 1
    assert "\n" not in str(caught.value)


@pytest.fixture
def minari(tmp_path: Path) -> Path:
    write(small(), tmp_path / "minari")
    return tmp_path / "minari"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A file of the same layout that must never be opened."""
    write(small(), tmp_path / "other")
    return tmp_path / "other" / "data" / "main_data.hdf5"


PLACES = ["episode_0", "episode_0/observations", "episode_0/actions", "episode_0/infos"]


@pytest.mark.parametrize("kind", ["external", "soft", "pipe"])
@pytest.mark.parametrize("place", PLACES)
def test_links_in_minari_files_are_not_followed(
    tmp_path: Path, minari: Path, other: Path, place: str, kind: str
) -> None:
    with h5py.File(other, "a") as file:
        file["episode_0/infos/cost"] = np.ones(3)
    os.mkfifo(tmp_path / "pipe")
    with h5py.File(minari / "data" / "main_data.hdf5", "a") as file:
        if place in file:
            file.move(place, "elsewhere")
        link = {
            "external": h5py.ExternalLink(str(other), place),
            "pipe": h5py.ExternalLink(str(tmp_path / "pipe"), place),
            "soft": h5py.SoftLink("/elsewhere"),
        }
        file[place] = link[kind]
    refused(minari, "is a link out of the file: not followed")


@pytest.mark.parametrize("kind", ["external", "soft", "pipe"])
@pytest.mark.parametrize("place", ["metadata", "metadata/action_low", "episode_0", "rewards"])
def test_links_in_d4rl_files_are_not_followed(tmp_path: Path, place: str, kind: str) -> None:
    for name in ("data.hdf5", "other.hdf5"):
        write(small(), tmp_path / name)
    os.mkfifo(tmp_path / "pipe")
    with h5py.File(tmp_path / "data.hdf5", "a") as file:
        if place in file:
            file.move(place, "elsewhere")
        link = {
            "external": h5py.ExternalLink("other.hdf5", place),
            "pipe": h5py.ExternalLink("pipe", place),
            "soft": h5py.SoftLink("/elsewhere"),
        }
        file[place] = link[kind]
    refused(tmp_path / "data.hdf5", "is a link out of the file: not followed")


@pytest.mark.parametrize("name", ["main_data.hdf5", "metadata.json"])
def test_links_out_of_a_minari_folder_are_not_followed(
    minari: Path, other: Path, name: str
) -> None:
    (minari / "data" / name).unlink()
    (minari / "data" / name).symlink_to(other.with_name(name))
    refused(minari, f"{name}: is a link out of the folder")


def test_pipes_devices_and_sockets_are_not_opened(tmp_path: Path, minari: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npz")
    (tmp_path / "link.csv").symlink_to(tmp_path / "pipe.npz")
    for path in (tmp_path / "pipe.npz", tmp_path / "link.csv", Path("/dev/zero"), Path("/dev/tty")):
        refused(path, "pipe, a device or a socket|does not exist")
    (minari / "data" / "metadata.json").unlink()
    os.mkfifo(minari / "data" / "metadata.json")
    refused(minari, r"metadata.json: is a pipe")


def test_a_large_foreign_folder_is_refused_at_once() -> None:
    refused(Path("/"), "is a folder without Minari")


def claim(path: Path, rows: int, names: tuple[str, ...]) -> Path:
    """A small file whose arrays claim many rows and hold none."""
    with h5py.File(path, "w") as file:
        for name in names:
            shape = (rows, 17) if "observations" in name else (rows,)
            file.create_dataset(name, shape, "f4", chunks=True, compression="gzip")
    return path


FIELDS = ("observations", "actions", "rewards", "next_observations", "terminals", "timeouts")


def test_a_small_file_cannot_claim_much_memory(tmp_path: Path) -> None:
    path = claim(tmp_path / "data.hdf5", 10_000_000, FIELDS)
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    refused(path, r"claims 0.63 GiB, of which the file holds 0 kB|GiB of memory")
    assert tracemalloc.get_traced_memory()[1] < 2**26
    tracemalloc.stop()


@pytest.mark.parametrize("layout", ["d4rl", "minari", "npz"])
def test_the_sum_of_all_arrays_and_their_copies_is_bounded(
    tmp_path: Path, minari: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    """Every array fits on its own; all of them with their copies do not."""
    path = minari
    if layout != "minari":
        path = tmp_path / ("data.npz" if layout == "npz" else "data.hdf5")
        write(small(), path)
    dataset = read(path)
    arrays = [array.nbytes for _, array in dataset.fields()]
    monkeypatch.setattr(files, "free_memory", lambda: files.COPIES * sum(arrays) // 2)
    assert max(arrays) * files.COPIES < files.COPIES * sum(arrays) // 2
    refused(path, "GiB of memory")


def test_scalar_costs_are_refused(minari: Path) -> None:
    with h5py.File(minari / "data" / "main_data.hdf5", "a") as file:
        file["episode_0/infos/cost"] = 1.0
    refused(minari, "episode_0/costs: does not have")


def other_rewards(seed: int) -> Dataset:
    random = np.random.default_rng(seed)
    return small(rewards=random.normal(size=len(small())).astype(np.float32))


def test_the_cache_keeps_what_was_used_last(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MIN_TRANSITIONS", 1)
    paths = [tmp_path / f"{number}.npz" for number in range(4)]
    for number, path in enumerate(paths):
        write(other_rewards(number), path)
    kept: dict[int, Path] = {}
    for number in range(3):
        before = {*cache.entries()}
        read(paths[number])
        (kept[number],) = {*cache.entries()} - before
        time.sleep(0.01)
    read(paths[0])
    size = kept[0].stat().st_size
    monkeypatch.setenv("INSTINCT_CACHE_GB", str(3.5 * size / 1e9))
    read(paths[3])
    there = {*cache.entries()}
    assert len(there) == 3
    assert kept[0] in there, "it was used again"
    assert kept[1] not in there, "it was used least recently"
    monkeypatch.setenv("INSTINCT_CACHE_GB", "0")
    read(paths[1])
    assert cache.entries() == []
    monkeypatch.setenv("INSTINCT_CACHE_GB", "much")
    with pytest.raises(BadInput, match="INSTINCT_CACHE_GB: must be a number of gigabytes"):
        cache.limit()


def test_a_flipped_bit_in_the_cache_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cache, "MIN_TRANSITIONS", 1)
    write(small(), tmp_path / "data.npz")
    read(tmp_path / "data.npz")
    (entry,) = cache.entries()
    content = bytearray(entry.read_bytes())
    place = content.index(small().rewards.tobytes())
    content[place + 2] ^= 1
    entry.write_bytes(content)
    assert read(tmp_path / "data.npz").hash == small().hash
    assert "ignored a cache entry" in caplog.text
