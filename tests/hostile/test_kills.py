"""Studies that are killed a hundred times, scheduler and workers, end with the same bits."""

import json
import multiprocessing
import os
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import numpy as np
import pytest

from instinct.cli import main
from instinct.util.cores import cores
from tests.study.problems import rows, table, write_dataset

SEED = 20
PLAN = """
name = "killed"
datasets = [{dataset}]
algorithms = ["ATAC", "BC"]
labels = ["original", "zero"]
seeds = 1
episodes = 2

[settings]
BC = {{layers = 1, units = 8, batch_size = 16, steps = 30_000}}
ATAC = {{layers = 1, units = 8, batch_size = 16, steps = 20_000, warm_start_steps = 10_000}}
"""
AFTER, ELSEWHERE, NONE = "in a training after a checkpoint", "at another moment", "none"


IMPORTED = multiprocessing.get_context("forkserver")
IMPORTED.set_forkserver_preload(["instinct.cli.study_actions", "tests.hostile.test_kills"])
"""Starts processes that need not import the package again, which takes longer than all else."""


def command(core: int, log: str, arguments: list[str]) -> None:
    """Run the command on one core, in a group of processes of its own."""
    os.setsid()
    os.sched_setaffinity(0, {core})
    with open(log, "ab") as file:  # noqa: PTH123 - its number is needed
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.argv = ["instinct", *arguments]
    main()


class Studies:
    """Studies of one plan on one core, each killed again and again until it has ended."""

    def __init__(self, folder: Path, number: int, checkpoint_seconds: float) -> None:
        self.folder, self.core = folder, cores()[number]
        self.name, self.checkpoint_seconds = f"killed-{number}", checkpoint_seconds
        self.random = np.random.default_rng([SEED, number])
        self.ended: list[Path] = []

    @property
    def place(self) -> Path:
        return self.folder / f"{self.name}-{len(self.ended)}"

    def start(self) -> ForkServerProcess:
        """Start the command in a group of processes of its own."""
        arguments = ["study", "run", self.folder / "plan.toml", "--out", self.place]
        options = ["--workers", 1, "--checkpoint-seconds", self.checkpoint_seconds]
        log = str(self.folder / f"{self.name}.log")
        process = IMPORTED.Process(
            target=command, args=(self.core, log, [*map(str, (*arguments, *options))])
        )
        process.start()
        return process

    def finish(self, process: ForkServerProcess | None = None) -> None:
        process = process or self.start()
        process.join()
        assert process.exitcode == 0, (self.folder / f"{self.name}.log").read_text()
        self.ended.append(self.place)

    def kill(self) -> str:
        """Start the study and kill it with its workers; return when that was.

        Every fourth time it is killed at any moment, also while it starts, else soon after a new
        checkpoint of a training.
        """
        before, process = self.checkpoints(), self.start()
        limit = self.random.uniform(0, 10) if self.random.random() < 1 / 4 else np.inf
        began = time.monotonic()
        while process.is_alive() and time.monotonic() - began < limit:
            if limit == np.inf and self.checkpoints() - before:
                time.sleep(self.random.uniform(0, 0.2))
                break
            time.sleep(0.01)
        if not process.is_alive():
            self.finish(process)
            return NONE
        os.killpg(process.pid or 0, signal.SIGKILL)
        process.join()
        return AFTER if self.checkpoints() - before else ELSEWHERE

    def checkpoints(self) -> set[tuple[str, int]]:
        """Return the checkpoints of trainings that have not ended, and when they were written."""
        found = set()
        for path in self.place.glob("runs/*/checkpoint.safetensors"):
            try:
                written = path.stat().st_mtime_ns
            except FileNotFoundError:
                continue
            if not (path.parent / "result.json").exists():
                found.add((str(path), written))
        return found


def kill_often(folder: Path, kills: int, checkpoint_seconds: float) -> None:
    dataset = json.dumps(write_dataset(folder / "data.npz"))
    (folder / "plan.toml").write_text(PLAN.format(dataset=dataset))
    whole = Studies(folder, 0, 60.0)
    whole.finish()
    chains = [Studies(folder, number, checkpoint_seconds) for number in range(len(cores()))]
    for number, chain in enumerate(chains):
        chain.name = f"killed-{number + 1}"
    counts, began = Counter[str](), time.monotonic()

    def kill_chain(number: int) -> None:
        share = kills // len(chains) + (number < kills % len(chains))
        while share:
            when = chains[number].kill()
            counts[when] += 1
            share -= when != NONE
        chains[number].finish()

    with ThreadPoolExecutor(len(chains)) as threads:
        [*threads.map(kill_chain, range(len(chains)))]
    ended = [place for chain in chains for place in chain.ended]
    seconds = time.monotonic() - began
    print(f"\n{kills} kills of {len(ended)} studies in {seconds:.0f} s:", dict(counts))  # noqa: T201
    for place in ended:
        assert rows(place) == rows(whole.ended[0])
        assert table(place) == table(whole.ended[0])
        assert tables(place) == tables(whole.ended[0])
    assert counts[AFTER] + counts[ELSEWHERE] == kills
    assert 2 * counts[AFTER] >= kills


def tables(place: Path) -> dict[str, bytes]:
    """Return the tables that the command has written."""
    found = {
        path.name: path.read_bytes() for path in place.rglob("*.csv") if "runs" not in path.parts
    }
    assert found
    return found


@pytest.mark.slow
def test_100_kills_change_no_bit(tmp_path: Path) -> None:
    kill_often(tmp_path, 100, checkpoint_seconds=0.05)
