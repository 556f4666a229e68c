"""Pools of worker processes, each on a core of its own."""

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from instinct.errors import InstinctError
from instinct.util.cores import cores, stay_on_core

P = ParamSpec("P")
T = TypeVar("T")


@contextmanager
def process_pool(
    workers: int | None = None,
    *,
    begin: Callable[..., None] | None = None,
    arguments: tuple[Any, ...] = (),
    work: str = "work",
) -> Iterator[ProcessPoolExecutor]:
    """Open a pool of single-threaded processes, by default one per core.

    Every process first calls `begin(*arguments)`. If a process is killed, the error says during
    which `work`. Jobs that have not started when the block ends are canceled.
    """
    context = multiprocessing.get_context("spawn")
    workers = workers or len(cores())
    free_cores = context.SimpleQueue()
    for worker in range(workers):
        free_cores.put(cores()[worker % len(cores())])
    pool = ProcessPoolExecutor(workers, context, _start_worker, (free_cores, begin, arguments))
    try:
        yield pool
    except BrokenProcessPool:
        raise InstinctError(
            f"a process was killed during {work}, perhaps because memory ran out"
        ) from None
    except BaseException as error:
        if not isinstance(error, Exception):
            for process in [*(pool._processes or {}).values()]:
                process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _start_worker(
    free_cores: Any, begin: Callable[..., None] | None, arguments: tuple[Any, ...]
) -> None:
    stay_on_core(free_cores.get())
    if begin is not None:
        begin(*arguments)


def on_one_core(function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """Call the function in a process of its own, with one thread on one core."""
    with process_pool(1) as pool:
        return pool.submit(function, *arguments, **options).result()
