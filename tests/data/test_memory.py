"""Large files are read in blocks: a dataset opens with less than twice the memory of its file."""

import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from instinct.data import Dataset, Roles, read, write
from instinct.data.following import Following
from instinct.data.formats import files
from instinct.errors import BadInput

DIMENSION = 17
SCRIPT = """
import sys
from instinct.bench.memory import peak_mib
from instinct.data import read

before = peak_mib()
dataset = read(sys.argv[1])
print(dataset.hash, len(dataset), peak_mib() - before)
"""


def record(path: Path, rows: int, *, next_observations: bool) -> None:
    """Write an uncompressed file of D4RL's layout."""
    random = np.random.default_rng(0)
    ends = np.arange(rows) % 1000 == 999
    fields = {
        "actions": random.uniform(-1, 1, (rows, 6)).astype(np.float32),
        "rewards": random.standard_normal(rows, np.float32),
        "terminals": ends & (np.arange(rows) % 2000 == 1999),
        "timeouts": ends & (np.arange(rows) % 2000 != 1999),
    }
    with h5py.File(path, "w") as file:
        for name, array in fields.items():
            file[name] = array
        observations = random.standard_normal((rows + 1, DIMENSION), np.float32)
        file["observations"] = observations[:-1]
        if next_observations:
            file["next_observations"] = observations[1:]


def open_elsewhere(path: Path, folder: Path) -> tuple[str, int, float]:
    """Open a file in a process of its own; return hash, rows and how many MiB it took."""
    environment = {**os.environ, "INSTINCT_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, path],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found, rows, grown = done.stdout.split()
    return found, int(rows), float(grown)


def memory_ratios(folder: Path, rows: int, *, next_observations: bool) -> tuple[float, float]:
    """Open a file, then its cached copy; return the memory as a multiple of the observations."""
    record(folder / "data.hdf5", rows, next_observations=next_observations)
    need = 4 * rows * DIMENSION / 2**20
    first = open_elsewhere(folder / "data.hdf5", folder)
    assert [*(folder / "cache").rglob("*.npz")]
    again = open_elsewhere(folder / "data.hdf5", folder)
    assert first[:2] == again[:2]
    print(f"\n{rows} rows: {first[2] / need:.2f}, from the cache {again[2] / need:.2f}")  # noqa: T201
    return first[2] / need, again[2] / need


@pytest.mark.parametrize("next_observations", [False, True])
def test_a_million_rows_open_with_less_than_twice_their_size(
    tmp_path: Path, next_observations: bool
) -> None:
    assert max(memory_ratios(tmp_path, 1_000_000, next_observations=next_observations)) < 2


@pytest.mark.slow
def test_ten_million_rows_open_with_less_than_twice_their_size(tmp_path: Path) -> None:
    assert max(memory_ratios(tmp_path, 10_000_000, next_observations=False)) < 2


def test_a_minari_folder_opens_with_less_than_twice_its_size(tmp_path: Path) -> None:
    record(tmp_path / "data.hdf5", 1_000_000, next_observations=True)
    write(read(tmp_path / "data.hdf5"), tmp_path / "minari")
    found, _, grown = open_elsewhere(tmp_path / "minari", tmp_path)
    assert found == read(tmp_path / "data.hdf5").hash
    assert grown < 2 * (tmp_path / "minari" / "data" / "main_data.hdf5").stat().st_size / 2**20


def test_a_dataset_keeps_only_the_next_observations_at_ends(tmp_path: Path) -> None:
    """What is derived is what the file has, to the bit, across blocks."""
    rows = 100_000
    record(tmp_path / "data.hdf5", rows, next_observations=True)
    dataset = read(tmp_path / "data.hdf5")
    kept = dataset.stored_next
    assert isinstance(kept, Following)
    assert len(kept.last) == dataset.episodes == 100
    with h5py.File(tmp_path / "data.hdf5") as file:
        fields = {name: file[name][()] for name in file}
        whole = Dataset(**fields, action_space=dataset.action_space)
    assert dataset.hash == whole.hash
    assert dataset.next_observations.tobytes() == fields["next_observations"].tobytes()
    assert dataset.change(rewards=dataset.rewards + 1).observations is dataset.observations


def table(path: Path, **columns: object) -> Path:
    arrow = pytest.importorskip("pyarrow", reason="the extra tables is not installed")
    from pyarrow import parquet

    parquet.write_table(arrow.table(columns), path)
    return path


ROLES = Roles(episode="episode", observation=("s",), action=("a",))


def test_a_table_cannot_claim_far_more_than_its_file_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zeros = np.zeros(1_000_000, np.int8)
    path = table(tmp_path / "table.parquet", episode=zeros, s=zeros, a=zeros)
    assert path.stat().st_size < 50_000
    monkeypatch.setattr(files, "MOST_EXPANSION", 100)
    monkeypatch.setattr(files, "ALLOWANCE", 1 << 20)
    with pytest.raises(BadInput, match=r"rows: claims 0.01 GiB, of which the file holds \d+ kB"):
        read(path, roles=ROLES)


def test_the_columns_that_texts_become_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column of sixty texts becomes sixty columns of numbers."""
    places = np.arange(6000)
    path = table(
        tmp_path / "table.parquet", episode=places // 10, s=[f"{i % 60}" for i in places], a=places
    )
    monkeypatch.setattr(files, "free_memory", lambda: files.COPIES * 4 * 6000 * 20)
    with pytest.raises(BadInput, match="GiB of memory"):
        read(path, roles=ROLES)
    monkeypatch.setattr(files, "free_memory", lambda: files.COPIES * 4 * 6000 * 63)
    assert read(path, roles=ROLES).observations.shape == (5400, 60)
