"""A training that is killed a hundred times ends with the same bits."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from instinct.deep import load_run
from tests.deep.test_resume import assert_equal

SEED = 20
SCRIPT = """
import sys
from pathlib import Path
from instinct.deep import Pace, Run, configure, cache_programs, train
from tests.deep.problems import noise_dataset
cache_programs(Path(sys.argv[1]).parent / "programs")
settings = {"layers": 1, "units": 8, "batch_size": 16, "steps": 40_000, "warm_start_steps": 10_000}
run = Run(noise_dataset(), configure("ATAC", settings), folder=Path(sys.argv[1]))
train(run, pace=Pace(report_steps=100, checkpoint_seconds=float(sys.argv[2])))
"""


def start(folder: Path, checkpoint_seconds: float) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", SCRIPT, folder, str(checkpoint_seconds)])


def checkpoints(folder: Path) -> set[tuple[str, int]]:
    files = folder.glob("*.safetensors")
    return {(file.name, file.stat().st_mtime_ns) for file in files}


def kill(folder: Path, random: np.random.Generator, checkpoint_seconds: float) -> bool:
    """Start the training and kill it; return whether that was after a new checkpoint.

    Every third time it is killed at any moment, also while it starts.
    """
    before, process = checkpoints(folder), start(folder, checkpoint_seconds)
    began = time.monotonic()
    early = random.random() < 1 / 3
    while process.poll() is None:
        if early and time.monotonic() - began > random.uniform(0, 4):
            break
        if not early and not checkpoints(folder) <= before:
            time.sleep(random.uniform(0, 0.3))
            break
        time.sleep(0.01)
    process.kill()
    process.wait()
    return not checkpoints(folder) <= before


def kill_often(folder: Path, kills: int, checkpoint_seconds: float = 0.05) -> None:
    assert start(folder / "whole", checkpoint_seconds).wait() == 0
    whole = load_run(folder / "whole").outcome
    random = np.random.default_rng(SEED)
    after_checkpoint = finished = 0
    for _ in range(kills):
        place = folder / f"killed-{finished}"
        after_checkpoint += kill(place, random, checkpoint_seconds)
        if (place / "result.json").exists():
            assert_equal(load_run(place).outcome, whole)
            finished += 1
    place = folder / f"killed-{finished}"
    assert start(place, checkpoint_seconds).wait() == 0
    assert_equal(load_run(place).outcome, whole)
    print(f"\n{kills} kills, {after_checkpoint} after a checkpoint, {finished + 1} runs")  # noqa: T201
    assert 2 * after_checkpoint >= kills


@pytest.mark.slow
def test_100_kills_change_no_bit(tmp_path: Path) -> None:
    kill_often(tmp_path, 100)
