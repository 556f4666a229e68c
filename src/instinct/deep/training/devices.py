"""Spread runs that are trained together over all devices, and know how many fit into memory."""

import functools
import os
from collections.abc import Sequence
from typing import Any, TypeVar

import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from instinct.deep.training.loop import stage_key
from instinct.deep.training.runs import Run
from instinct.deep.training.synthetic import untrained

T = TypeVar("T")
SHARE = 0.5
"""The part of the free memory that runs may fill."""
COPIES = 4
"""Copies of a run's state while it is trained: before, after, on the host, and its gradients."""


class Devices:
    """The devices of one program; a single device is left to JAX.

    Runs are independent of each other, so that every device trains its own without any
    communication. The last run is repeated until all devices have the same number.
    """

    def __init__(self, together: bool) -> None:
        found = jax.local_devices() if together else []
        self.mesh = Mesh(found, ("runs",)) if len(found) > 1 else None

    def fill(self, members: Sequence[T]) -> list[T]:
        """Return the members, the last of them repeated."""
        missing = 0 if self.mesh is None else -len(members) % self.mesh.size
        return [*members, *[members[-1]] * missing]

    def spread(self, tree: T) -> T:
        """Put equal parts of stacked trees on the devices."""
        return self.put(tree, PartitionSpec("runs"))  # type: ignore[no-untyped-call]

    def copy(self, tree: T) -> T:
        """Put the same arrays on every device."""
        return self.put(tree, PartitionSpec())  # type: ignore[no-untyped-call]

    def put(self, tree: T, spec: PartitionSpec) -> T:
        if self.mesh is None:
            return tree
        moved: T = jax.device_put(tree, NamedSharding(self.mesh, spec))
        return moved


def runs_at_once(run: Run, free_bytes: int | None = None) -> int:
    """Return how many runs like this one fit into the memory of the devices together."""
    state = jax.eval_shape(
        functools.partial(untrained, run.algorithm), stage_key(run.algorithm, run.seed), run.data
    )
    each = COPIES * size_of(state) + size_of(run.data.rewards)
    free = free_memory() if free_bytes is None else free_bytes
    room = SHARE * free - size_of(run.data.rows)
    devices = jax.local_devices()
    separate = 1 if devices[0].platform == "cpu" else len(devices)
    return max(1, separate * int(room / each))


def size_of(tree: Any) -> int:
    """Return the bytes of all arrays."""
    return sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(tree))


def free_memory() -> int:
    """Return the free bytes of one accelerator, or of this machine."""
    stats = jax.local_devices()[0].memory_stats()
    if stats and "bytes_limit" in stats:
        return int(stats["bytes_limit"]) - int(stats.get("bytes_in_use", 0))
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
