"""Measure the start of training: compilation, opening the data, the first step, memory."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from instinct.bench.memory import peak_mib
from instinct.data import read, write
from instinct.deep.algorithms.registry import ALGORITHMS
from instinct.deep.algorithms.settings import configure
from instinct.deep.training.compilation_cache import cache_programs
from instinct.deep.training.loop import advance, begin, stage_key
from instinct.deep.training.run_training import stages, train
from instinct.deep.training.runs import Run
from instinct.deep.training.synthetic import hopper_like
from instinct.util.processes import on_one_core

TRANSITIONS = 1_000_000


@dataclass(frozen=True)
class Start:
    """Processor seconds of one core in fresh processes, and their peak memory.

    `trace_seconds`: tracing the updates of all stages. `compile_seconds`: compiling them.
    `cached_seconds`: loading the compiled programs of an earlier process instead.
    `import_seconds`: starting Python and importing. `first_step_seconds`: from then to the end of
    the first step of every stage, with opening and preparing the dataset, tracing and loading.
    `peak_mib` is the memory of that process, `compile_peak_mib` that of the one that compiles.
    """

    algorithm: str
    trace_seconds: float
    compile_seconds: float
    cached_seconds: float
    import_seconds: float
    first_step_seconds: float
    peak_mib: float
    compile_peak_mib: float


class Compilation(NamedTuple):
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
    """Yield one row for every algorithm, on random data in the shape of hopper."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        on_one_core(make_dataset, folder, transitions)
        for name in algorithms:
            yield asdict(measure_one(name, folder))


def measure_one(name: str, folder: Path) -> Start:
    """Measure one algorithm in three processes; only the first finds an empty program cache."""
    cold = on_one_core(compile_programs, name, folder)
    cached = on_one_core(compile_programs, name, folder)
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
    """Write the dataset and open it once, so that it is in the dataset cache."""
    set_cache_folder(folder)
    write(hopper_like(transitions), dataset_path(folder))
    read(dataset_path(folder))


def compile_programs(name: str, folder: Path) -> Compilation:
    """Trace and compile all programs of the algorithm, without running them."""
    set_cache_folder(folder)
    cache_programs(folder / name)
    algorithm = configure(name)
    data = algorithm.prepare(read(dataset_path(folder)))
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
    return Compilation(trace_seconds, compile_seconds, peak_mib())


def first_step(name: str, folder: Path) -> FirstStep:
    """Train every stage for one step."""
    imported = time.process_time()
    set_cache_folder(folder)
    cache_programs(folder / name)
    algorithm = configure(name)
    counts = [count for count in ("steps", "warm_start_steps") if hasattr(algorithm, count)]
    algorithm = configure(name, dict.fromkeys(counts, 1))
    train(Run(read(dataset_path(folder)), algorithm, folder=folder / f"{name}-run"))
    return FirstStep(imported, time.process_time() - imported, peak_mib())


def set_cache_folder(folder: Path) -> None:
    os.environ["INSTINCT_CACHE"] = str(folder / "cache")


def dataset_path(folder: Path) -> Path:
    return folder / "hopper-like.hdf5"
