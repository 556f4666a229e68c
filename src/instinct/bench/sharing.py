"""Measure what workers that train on one large dataset hold for themselves, and what they share."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from instinct.bench.empty_cache import empty_cache
from instinct.data import Box, Dataset, write
from instinct.engine.local_executor import LocalExecutor
from instinct.engine.scheduler import StudyProgress, execute
from instinct.errors import InstinctError
from instinct.study.plan import Plan
from instinct.study.store import open_store
from instinct.util.progress import Progress, no_progress

STEPS = 10_000_000
"""More than a worker trains while it is watched."""
REPORTS = 20
"""How many reports of the workers are waited for before their memory is measured."""


@dataclass(frozen=True)
class WorkerMemory:
    """The memory of a worker in MB, while it trains, and its `peak_mb` since it began.

    `rows_mb` is the size of the rows of the data: observations, next observations and actions.
    `resident_mb` counts all pages of the worker. Of these, `mapped_rows_mb` are rows in files that
    others map too, and `own_mb` are pages that no other process has. `rows_share_mb` divides every
    page of the rows by the processes that have it: its sum over the workers is the memory of the
    machine that the rows take.
    """

    worker: int
    rows: int
    rows_mb: float
    resident_mb: float
    mapped_rows_mb: float
    rows_share_mb: float
    own_mb: float
    peak_mb: float


class EnoughReports(Exception):
    """All workers have trained for a while."""


def measure(
    rows: int = 3_000_000,
    dimension: int = 20,
    workers: int = 2,
    on_progress: Progress = no_progress,
) -> list[WorkerMemory]:
    """Train BC in several workers on random rows, and read their memory from the system."""
    if not Path("/proc/self/smaps").exists():
        raise InstinctError("this system does not tell the memory of a process page by page")
    found: list[WorkerMemory] = []
    reports = 0
    with TemporaryDirectory() as name, empty_cache(Path(name) / "cache"):
        scratch = Path(name)
        size = write_rows(scratch / "data.npz", rows, dimension)
        plan = training_plan(scratch / "data.npz", workers)
        with (
            LocalExecutor(scratch / "study", workers) as executor,
            open_store(scratch / "study", plan, {}) as store,
        ):

            def watch(state: StudyProgress) -> None:
                nonlocal reports
                stages = [stage for _, stage in state.running.values() if stage is not None]
                reports += len(stages) == workers
                on_progress(reports, REPORTS, "training")
                if reports >= REPORTS:
                    for number, worker in sorted(executor.alive.items()):
                        pid = worker.process.pid
                        found.append(memory_of(pid, number, rows, size, scratch / "cache"))
                    raise EnoughReports

            try:
                execute(plan.final({}), store, executor, watch)
                raise InstinctError("the workers ended before their memory was measured")
            except EnoughReports:
                return found


def write_rows(path: Path, rows: int, dimension: int) -> float:
    """Write random numbers, and return the size of their rows in MB."""
    random = np.random.default_rng(0)
    observations = random.random((rows + 1, dimension), np.float32)
    actions = random.random((rows, 2), np.float32)
    write(
        Dataset(
            observations=observations[:-1],
            actions=actions,
            rewards=random.random(rows, np.float32),
            next_observations=observations[1:],
            terminals=np.zeros(rows, bool),
            timeouts=np.arange(rows) % 1000 == 999,
            action_space=Box.of(2),
        ),
        path,
    )
    return (2 * observations.nbytes + actions.nbytes) / 1e6


def training_plan(path: Path, runs: int) -> Plan:
    """Make a plan of long runs of BC with small networks, which are not evaluated."""
    return Plan(
        name="memory",
        datasets=(str(path),),
        algorithms=("BC",),
        labels=("original",),
        seeds=runs,
        remove_terminals=False,
        settings={"BC": {"layers": 2, "units": 32, "batch_size": 64, "steps": STEPS}},
    )


def memory_of(pid: int, worker: int, rows: int, rows_mb: float, folder: Path) -> WorkerMemory:
    """Read the memory of a process; rows are what it maps from files in the folder."""
    total: dict[str, int] = {}
    of_rows: dict[str, int] = {}
    inside = False
    for line in Path(f"/proc/{pid}/smaps").read_text(encoding="utf-8").splitlines():
        name, _, rest = line.partition(":")
        if "-" in line.split(" ")[0]:
            inside = str(folder) in line
        elif rest.endswith(" kB"):
            pages = int(rest.split()[0])
            total[name] = total.get(name, 0) + pages
            if inside:
                of_rows[name] = of_rows.get(name, 0) + pages
    own = total["Private_Dirty"] + total["Private_Clean"]
    own -= of_rows.get("Private_Dirty", 0) + of_rows.get("Private_Clean", 0)
    kilobytes = (total["Rss"], of_rows.get("Rss", 0), of_rows.get("Pss", 0), own, peak_of(pid))
    return WorkerMemory(worker, rows, rows_mb, *(each * 1024 / 1e6 for each in kilobytes))


def peak_of(pid: int) -> int:
    """Return the largest resident memory of a process so far, in kB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    (found,) = (line.split()[1] for line in lines if line.startswith("VmHWM:"))
    return int(found)
