"""Mutated files, plans, stores and run folders: a sentence, or the same numbers.

The seed is fixed. A case is one mutation of one file. Formats of others have no checksums, so a
mutated dataset may open if it is a valid dataset; what was written here must never differ silently.
"""

import resource
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from instinct.data import Dataset, read, write
from instinct.deep import Run, configure, load_run, train
from instinct.errors import InstinctError
from instinct.study.plan_files import read_plan
from tests.data.datasets import small
from tests.deep.problems import noise_dataset
from tests.study.problems import grid_plan, table
from tests.study.stores import scores, store_with

SEED = 20
SECONDS = 10
"""No case may take longer."""
MOST_MIB = 512
"""Peak memory may grow by so much."""

Check = Callable[[Path], bool]
"""Read what a mutation left; tell whether the numbers are the same."""


def mutate(content: bytes, random: np.random.Generator) -> bytes:
    """Flip a bit, overwrite, cut, remove, repeat or insert bytes."""
    at, length = int(random.integers(len(content))), int(random.integers(1, 64))
    changed = bytearray(content)
    match int(random.integers(7)):
        case 0:
            changed[at] ^= 1 << int(random.integers(8))
        case 1:
            changed[at] = int(random.integers(256))
        case 2:
            changed[at : at + length] = random.bytes(len(changed[at : at + length]))
        case 3:
            changed[at : at + length] = bytes(len(changed[at : at + length]))
        case 4:
            del changed[at:]
        case 5:
            del changed[at : at + length]
        case 6:
            changed[at:at] = random.bytes(length)
    return bytes(changed)


@contextmanager
def limited_time() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError("a case hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def valid_dataset(path: Path) -> bool:
    """Formats of others have no checksums: what opens must be a valid dataset."""
    return isinstance(read(path), Dataset)


def valid_plan(path: Path) -> bool:
    return len(read_plan(path).name) > 0


class Subjects:
    """What is mutated: files in a folder, which of them, and how the folder is read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("data.npz", "data.hdf5", "minari"):
            (folder / name).mkdir()
            write(small(), folder / name / name)
        (folder / "plan").mkdir()
        plan = Path(__file__).parents[2] / "src" / "instinct" / "study" / "plans"
        shutil.copy(min(plan.glob("*.toml")), folder / "plan" / "plan.toml")
        store_with(folder / "store", grid_plan(seeds=2), lambda trial: scores(trial, trial.seed))
        self.table = table(folder / "store")
        settings = {"layers": 1, "units": 4, "batch_size": 8, "steps": 2}
        train(Run(noise_dataset(20), configure("BC", settings), folder=folder / "run"))
        self.run = load_run(folder / "run")
        self.checks: dict[str, Check] = {
            "data.npz": lambda path: valid_dataset(path / "data.npz"),
            "data.hdf5": lambda path: valid_dataset(path / "data.hdf5"),
            "minari": lambda path: valid_dataset(path / "minari"),
            "plan": lambda path: valid_plan(path / "plan.toml"),
            "store": lambda path: table(path) == self.table,
            "run": self.same_run,
        }

    def same_run(self, folder: Path) -> bool:
        found, expected = load_run(folder), self.run
        same = jax.tree.map(np.array_equal, found.outcome.weights, expected.outcome.weights)
        return (
            all(jax.tree.leaves(same))
            and found.outcome.metrics.keys() == expected.outcome.metrics.keys()
            and (found.seed, found.label, found.action_space)
            == (expected.seed, expected.label, expected.action_space)
            and found.algorithm == expected.algorithm
        )

    def case(self, kind: str, random: np.random.Generator, place: Path) -> Any:
        """Mutate one file of a subject and read it; return what happened."""
        shutil.copytree(self.folder / kind, place)
        files = sorted(
            path for path in place.rglob("*") if path.is_file() and "study.lock" not in path.name
        )
        files = [path for path in files if path.stat().st_size]
        chosen = files[int(random.integers(len(files)))]
        content = chosen.read_bytes()
        chosen.write_bytes(mutate(content, random))
        if chosen.read_bytes() == content:
            return "unchanged"
        try:
            with limited_time():
                return "same" if self.checks[kind](place) else "different numbers"
        except InstinctError as error:
            return "refused" if "\n" not in str(error) else f"several lines: {error}"
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not reach the user
            return f"{type(error).__name__}: {error}"


def fuzz(folder: Path, cases: int) -> None:
    (folder / "subjects").mkdir()
    subjects = Subjects(folder / "subjects")
    random, counts = np.random.default_rng(SEED), Counter[tuple[str, str]]()
    wrong: list[str] = []
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.monotonic()
    for number in range(cases):
        kind = [*subjects.checks][number % len(subjects.checks)]
        outcome = subjects.case(kind, random, folder / "case")
        shutil.rmtree(folder / "case")
        counts[kind, outcome if outcome in ("same", "refused", "unchanged") else "wrong"] += 1
        if outcome not in ("same", "refused", "unchanged"):
            wrong.append(f"case {number}, {kind}: {outcome}")
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    seconds = time.monotonic() - started
    print(f"\n{cases} cases in {seconds:.0f} s, {grown:.0f} MiB more:", dict(counts))  # noqa: T201
    assert not wrong, "\n".join(wrong[:20])
    assert grown < MOST_MIB
    assert all(counts[kind, "refused"] for kind in subjects.checks)


def test_2000_mutations(tmp_path: Path) -> None:
    fuzz(tmp_path, 2_000)


@pytest.mark.slow
def test_20000_mutations(tmp_path: Path) -> None:
    fuzz(tmp_path, 20_000)
