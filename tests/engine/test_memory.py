"""The rows of a large dataset are in memory once, however many workers use them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from instinct.data import Box, Dataset, cache, mapped, relabel, write
from instinct.data.arrays import is_mapped
from instinct.data.mapped import map_rows
from instinct.engine.local_executor import LocalExecutor
from instinct.engine.scheduler import StudyProgress, execute
from instinct.study.store import open_store
from tests.deep.problems import noise_dataset
from tests.study.problems import deep_plan


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


def memory_of(pid: int, kind: str) -> float:
    """Return a kind of memory of a process in MB; Pss divides pages by the processes using them."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    (found,) = (line.split()[1] for line in lines if line.startswith(f"{kind}:"))
    return int(found) / 1024


def mapped_memory(pid: int, folder: Path) -> float:
    """Return the memory of a process that maps files of a folder, in MB, its share of each page."""
    total, inside = 0, False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if "-" in line.split(" ")[0]:
            inside = str(folder) in line
        elif inside and line.startswith("Pss:"):
            total += int(line.split()[1])
    return total / 1024


def large_dataset(path: Path, rows: int, dimension: int) -> Iterator[float]:
    """Write noise, and yield the megabytes of observations and next observations."""
    random = np.random.default_rng(0)
    observations = random.random((rows + 1, dimension), np.float32)
    write(
        Dataset(
            observations=observations[:-1],
            actions=random.random((rows, 2), np.float32),
            rewards=random.random(rows, np.float32),
            next_observations=observations[1:],
            terminals=np.zeros(rows, bool),
            timeouts=np.arange(rows) % 1000 == 999,
            action_space=Box.of(2),
        ),
        path,
    )
    yield 2 * observations.nbytes / 2**20


class Enough(Exception):
    """Both workers have trained for a while."""


@pytest.mark.slow
def test_two_workers_hold_the_rows_once(own_cache: Path, tmp_path: Path) -> None:
    """3 million × 20: what each worker has for itself is far less than the rows."""
    (rows,) = large_dataset(tmp_path / "data.npz", 3_000_000, 20)
    assert rows > 450
    plan = deep_plan(str(tmp_path / "data.npz"), "BC", seeds=2, settings={"BC": {"steps": 400_000}})
    private: dict[int, float] = {}
    both: list[float] = []

    with LocalExecutor(tmp_path / "study", 2) as executor:

        def watch(state: StudyProgress) -> None:
            training = [stage for _, stage in state.running.values() if stage is not None]
            if len(training) == 2:
                pids = [worker.process.pid for worker in executor.alive.values()]
                both.append(sum(mapped_memory(pid, own_cache) for pid in pids))
                private.update({pid: memory_of(pid, "Private_Dirty") for pid in pids})
                if len(both) > 20:
                    raise Enough

        with open_store(tmp_path / "study", plan, {}) as store, pytest.raises(Enough):
            execute(plan.final({}), store, executor, watch)
    assert len(private) == 2
    assert max(private.values()) < 0.75 * rows
    assert 0.5 * rows < both[-1] < 1.2 * rows, "the pages of the rows, which both share"
