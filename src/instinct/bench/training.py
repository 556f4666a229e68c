"""Measure the speed of training, as a fraction of the core's peak in matrix products."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from instinct.deep.algorithms.algorithm import Algorithm, Data, State
from instinct.deep.algorithms.model_based.dynamics import Dynamics
from instinct.deep.algorithms.registry import ALGORITHMS
from instinct.deep.algorithms.settings import configure
from instinct.deep.training.loop import advance
from instinct.deep.training.synthetic import hopper_like, untrained
from instinct.util.processes import on_one_core

SIZES: dict[str, dict[str, float]] = {"paper": {}, "small": {"layers": 3, "units": 64}}
REPEATS = 5
MEASURED = (*ALGORITHMS, Dynamics.NAME)
"""All algorithms, and the model that the model-based ones learn first."""


@dataclass(frozen=True)
class Speed:
    """Steps per second of one core, and the fraction of its peak.

    `gflop_per_step` counts the multiplications and additions of all matrix products of one update
    (2·m·n·k each) and nothing else. The peak is that of a 256 × 256 × 256 product in 32 bits. All
    times are processor times of one core.
    """

    algorithm: str
    size: str
    steps_per_second: float
    gflop_per_step: float
    fraction_of_gemm_peak: float
    peak_gflops: float
    compile_seconds: float


def measure(
    algorithms: Sequence[str] = MEASURED, sizes: Sequence[str] = tuple(SIZES)
) -> Iterator[dict[str, Any]]:
    """Yield one row for every algorithm and size, each measured in a process on one core."""
    for name in algorithms:
        for size in sizes:
            yield asdict(on_one_core(speed, name, size))


def speed(name: str, size: str, seconds: float = 1.0) -> Speed:
    """Measure one algorithm, or the model of the model-based ones, in processor time."""
    settings: Any = SIZES[size]
    chosen = Dynamics(**settings) if name == Dynamics.NAME else configure(name, settings)
    algorithm = jax.tree.map(jnp.asarray, chosen)
    data = jax.tree.map(jnp.asarray, algorithm.prepare(hopper_like()))
    key = jax.random.key(0)
    state = untrained(algorithm, key, data)
    flop = matrix_flop(algorithm, state, data)
    started = time.process_time()
    program = advance.lower(algorithm, state, data, key, 0, 1).compile()
    compiled = time.process_time() - started

    def steps(n: int) -> float:
        nonlocal state
        started = time.process_time()
        state, _, bad = program(algorithm, state, data, key, 0, n)
        bad.block_until_ready()
        return (time.process_time() - started) / n

    n = max(1, round(seconds / steps(2)))
    times, peaks = [], []
    for _ in range(REPEATS):
        times.append(steps(n))
        peaks.append(gemm_peak())
    rate, peak = 1 / min(times), max(peaks)
    return Speed(name, size, rate, flop / 1e9, rate * flop / peak, peak / 1e9, compiled)


def gemm_peak(products: int = 200) -> float:
    """Return the operations per second of 256³ products, one after the other."""
    a = jnp.eye(256)
    multiply(a, a, 1).block_until_ready()
    started = time.process_time()
    multiply(a, a, products).block_until_ready()
    return products * 2 * 256**3 / (time.process_time() - started)


@jax.jit
def multiply(a: jax.Array, b: jax.Array, n: int) -> jax.Array:
    product: jax.Array = jax.lax.fori_loop(0, n, lambda _, c: c @ b, a)
    return product


def matrix_flop(algorithm: Algorithm, state: State, data: Data) -> float:
    """Return the operations of the matrix products in one update."""
    return sum(product.flop * n for product, n in products(algorithm, state, data).items())


class Product(NamedTuple):
    """A matrix product: the shapes of its factors and the axes that it sums over."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    dimensions: Any

    @property
    def flop(self) -> float:
        (_, summed), (_, batch) = self.dimensions
        free = [n for i, n in enumerate(self.right) if i not in (*summed, *batch)]
        return 2.0 * math.prod(self.left) * math.prod(free)


Products = dict[Product, float]
"""How often an update computes every kind of product."""


def products(algorithm: Algorithm, state: State, data: Data) -> Products:
    """Return the matrix products of one update with their counts, from its equations."""

    def one(algorithm: Algorithm, state: State, data: Data, key: jax.Array) -> Any:
        return algorithm.update(state, algorithm.sample(state, data, key), key)

    return products_in(jax.make_jaxpr(one)(algorithm, state, data, jax.random.key(0)).jaxpr)


def products_in(jaxpr: Any) -> Products:
    """Return the products in equations; of several branches, as in a delayed update, the mean."""
    found: Products = {}

    def add(inner: Products, times: float) -> None:
        for product, n in inner.items():
            found[product] = found.get(product, 0) + times * n

    for equation in jaxpr.eqns:
        if equation.primitive.name == "dot_general":
            left, right = (factor.aval.shape for factor in equation.invars)
            add({Product(left, right, equation.params["dimension_numbers"]): 1}, 1)
        branches = equation.params.get("branches", ())
        times = equation.params["length"] if equation.primitive.name == "scan" else 1
        for parameter in (*equation.params.values(), *branches):
            inner = getattr(parameter, "jaxpr", parameter)
            if hasattr(inner, "eqns"):
                add(products_in(inner), times / len(branches) if branches else times)
    return found
