"""Workers that train on one large dataset hold its rows once."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from instinct.bench.sharing import measure, memory_of
from tests.cli.conftest import Run
from tests.cli.conftest import run as run  # the fixture


@pytest.mark.slow
def test_two_workers_hold_the_rows_once() -> None:
    """3 million × 20: each worker has for itself little more than with hardly any rows."""
    few, _ = measure(30_000)
    first, second = measure(3_000_000)
    assert first.rows_mb > 480
    for found in (first, second):
        assert found.own_mb - few.own_mb < 0.25 * found.rows_mb
        assert found.resident_mb == pytest.approx(found.own_mb + found.mapped_rows_mb, rel=0.3)
    together = first.rows_share_mb + second.rows_share_mb
    assert 0.5 * first.rows_mb < together < 1.2 * first.rows_mb, "the pages that both share"


@pytest.mark.slow
def test_the_command(run: Run) -> None:
    options = ("--rows", 400_000, "--workers", 1, "--json")
    (row,) = run("bench", "memory", *options).json["results"]
    assert row["rows_mb"] == pytest.approx(400_000 * (2 * 20 + 2) * 4 / 1e6, rel=0.001)
    assert row["rows_share_mb"] == row["mapped_rows_mb"], "nobody to share with"
    assert row["peak_mb"] >= row["resident_mb"] > row["own_mb"]


READER = """
import sys
import numpy as np

print("started", flush=True)
sys.stdin.readline()
rows = np.load(sys.argv[1], mmap_mode="r")
print(int(rows.sum()), flush=True)
sys.stdin.readline()
"""


def test_pages_of_mapped_rows_are_counted_apart(tmp_path: Path) -> None:
    """A process maps 8 MB and reads them; they are rows, and all of them are its own.

    It does nothing else meanwhile, unlike the process of the tests.
    """
    np.save(tmp_path / "rows.npy", np.ones(1_000_000))
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(tmp_path / "rows.npy")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        assert reader.stdout.readline() == "started\n"
        before = memory_of(reader.pid, 0, 1, 8.0, tmp_path)
        print(file=reader.stdin, flush=True)
        assert reader.stdout.readline() == "1000000\n"
        after = memory_of(reader.pid, 0, 1, 8.0, tmp_path)
        print(file=reader.stdin, flush=True)
    assert before.mapped_rows_mb == 0
    assert after.mapped_rows_mb == pytest.approx(8, rel=0.01)
    assert after.rows_share_mb == pytest.approx(8, rel=0.01)
    assert after.own_mb - before.own_mb < 4
