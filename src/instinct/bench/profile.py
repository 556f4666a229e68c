"""Profile an update: time each of its matrix products alone."""

import math
import time
from dataclasses import dataclass

import jax
import jax.numpy as jnp

from instinct.bench.training import (
    SIZES,
    Product,
    gemm_peak,
    products,
    speed,
)
from instinct.deep.algorithms.settings import configure
from instinct.deep.training.synthetic import hopper_like, untrained
from instinct.util.processes import on_one_core

LEAST_SHARE = 0.01
"""Products with a smaller share of the operations are put together."""


@dataclass(frozen=True)
class Share:
    """One kind of product: its count in an update, its shares, and its speed alone."""

    product: str
    times: float
    share_of_operations: float
    share_of_step: float
    fraction_of_gemm_peak: float


def profile(name: str, size: str = "paper") -> list[Share]:
    """Return the products of one update, each timed alone on one core, and the rest of the step."""
    return on_one_core(shares, name, size)


def shares(name: str, size: str) -> list[Share]:
    """Measure in this process."""
    algorithm = jax.tree.map(jnp.asarray, configure(name, SIZES[size]))
    data = jax.tree.map(jnp.asarray, algorithm.prepare(hopper_like()))
    state = untrained(algorithm, jax.random.key(0), data)
    counts = products(algorithm, state, data)
    step = 1 / speed(name, size).steps_per_second
    peak = max(gemm_peak() for _ in range(5))
    operations = sum(product.flop * n for product, n in counts.items())
    rows = []
    for product, n in counts.items():
        if product.flop * n < LEAST_SHARE * operations:
            continue
        alone = seconds(product)
        rows.append(
            Share(
                f"{list(product.left)} · {list(product.right)}",
                n,
                product.flop * n / operations,
                alone * n / step,
                product.flop / alone / peak,
            )
        )
    rows.sort(key=lambda row: -row.share_of_step)
    known = sum(row.share_of_operations for row in rows), sum(row.share_of_step for row in rows)
    rest = Share("all else", 0, 1 - known[0], 1 - known[1], 0.0)
    return [*rows, rest]


def seconds(product: Product, repeats: int = 5) -> float:
    """Return the shortest processor time of one product."""
    left, right = jnp.ones(product.left), jnp.ones(product.right)
    multiply = jax.jit(lambda a, b: jax.lax.dot_general(a, b, product.dimensions))
    multiply(left, right).block_until_ready()
    n = max(1, math.ceil(2e8 / product.flop))
    times = []
    for _ in range(repeats):
        started = time.process_time()
        for _ in range(n):
            multiply(left, right).block_until_ready()
        times.append((time.process_time() - started) / n)
    return min(times)
