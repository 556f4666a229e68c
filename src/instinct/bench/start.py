"""What it takes to start training: compiling, opening the data, the first step, memory."""

import os
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from instinct.data import read, write
from instinct.deep.algorithms.registry import ALGORITHMS
from instinct.deep.algorithms.settings import configure
from instinct.deep.training.compilation_cache import keep_programs
from instinct.deep.training.loop import advance, begin, stage_key
from instinct.deep.training.run_training import stages, train
from instinct.deep.training.runs import Run
from instinct.deep.training.synthetic import hopper_like
from instinct.util.processes import on_one_core

TRANSITIONS = 1_000_000


@dataclass(frozen=True)
class Start:
    """Seconds of one core's time in fresh processes, and the most memory that they hold.

    `trace_seconds` is for turning the update of every stage into equations, `compile_seconds` for
    compiling these, `cached_seconds` for loading the programs kept by an earlier process instead.
    `import_seconds` is for starting Python and importing; `first_step_seconds` goes from then to
    the end of the first step, of every stage where there is a warm start: opening and preparing
    the dataset, tracing, loading the programs, the step. `peak_mib` is the memory of that process,
    `compile_peak_mib` of the one that compiles.
    """

    algorithm: str
    trace_seconds: float
    compile_seconds: float
    cached_seconds: float
    import_seconds: float
    first_step_seconds: float
    peak_mib: float
    compile_peak_mib: float


class Compiling(NamedTuple):
    trace_seconds: float
    compile_seconds: float
    peak_mib: float


class FirstStep(NamedTuple):
    import_seconds: float
    seconds: float
    peak_mib: float


def measure_start(
    algorithms: Sequence[str] = tuple(ALGORITHMS), transitions: int = TRANSITIONS
) -> Iterator[dict[str, Any]]:
    """One row for every algorithm, on random data in the shape of hopper."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        on_one_core(make_dataset, folder, transitions)
        for name in algorithms:
            yield asdict(start(name, folder))


def start(name: str, folder: Path) -> Start:
    """Measured in three processes, one after the other: only the first finds no programs kept."""
    cold = on_one_core(compiling, name, folder)
    cached = on_one_core(compiling, name, folder)
    first = on_one_core(first_step, name, folder)
    return Start(
        name,
        cold.trace_seconds,
        cold.compile_seconds,
        cached.compile_seconds,
        first.import_seconds,
        first.seconds,
        first.peak_mib,
        cold.peak_mib,
    )


def make_dataset(folder: Path, transitions: int) -> None:
    """Write it, and open it once, so that it lies in the cache as well."""
    keep_all_in(folder)
    write(hopper_like(transitions), dataset_in(folder))
    read(dataset_in(folder))


def compiling(name: str, folder: Path) -> Compiling:
    """Trace and compile all programs of the algorithm, without running them."""
    keep_all_in(folder)
    keep_programs(folder / name)
    algorithm = configure(name)
    data = algorithm.prepare(read(dataset_in(folder)))
    trace_seconds, compile_seconds, state = 0.0, 0.0, None
    for stage in stages(algorithm):
        key, traced = stage_key(stage, 0), jax.tree.map(jnp.asarray, stage)
        begun = time.process_time()
        first = begin.trace(traced, key, data, state)
        state = first.out_info
        lowered = first.lower(), advance.lower(traced, state, data, key, 0, 1)
        trace_seconds += time.process_time() - begun
        begun = time.process_time()
        for program in lowered:
            program.compile()
        compile_seconds += time.process_time() - begun
    return Compiling(trace_seconds, compile_seconds, peak_mib())


def first_step(name: str, folder: Path) -> FirstStep:
    """Train for one step, and one of every stage before."""
    imported = time.process_time()
    keep_all_in(folder)
    keep_programs(folder / name)
    algorithm = configure(name)
    counts = [count for count in ("steps", "warm_start_steps") if hasattr(algorithm, count)]
    algorithm = configure(name, dict.fromkeys(counts, 1))
    train(Run(read(dataset_in(folder)), algorithm, folder=folder / f"{name}-run"))
    return FirstStep(imported, time.process_time() - imported, peak_mib())


def keep_all_in(folder: Path) -> None:
    os.environ["INSTINCT_CACHE"] = str(folder / "cache")


def dataset_in(folder: Path) -> Path:
    return folder / "hopper-like.hdf5"


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
