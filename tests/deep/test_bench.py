"""The counted operations equal a count by hand."""

from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from instinct.bench.start import compile_programs, first_step, make_dataset
from instinct.bench.training import matrix_flop
from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.algorithms.model_based.dynamics import Dynamics
from instinct.deep.algorithms.settings import configure
from instinct.deep.training.runs import load_run
from instinct.deep.training.synthetic import hopper_like, untrained
from instinct.util.processes import on_one_core


def shapes(layers: int, units: int, inputs: int, outputs: int) -> tuple[int, int]:
    """Return the number of weights of a network, and of its first layer."""
    return inputs * units + (layers - 1) * units**2 + units * outputs, inputs * units


def operations(algorithm: Algorithm) -> float:
    data = jax.tree.map(jnp.asarray, algorithm.prepare(hopper_like(100, 10)))
    return matrix_flop(algorithm, untrained(algorithm, jax.random.key(0), data), data)


@pytest.mark.parametrize("name", ["ATAC", "IQL", "BC"])
def test_operations(name: str) -> None:
    """Forward once, backward once for weights and once for inputs except at the first layer.

    The gradient of the last weights of BC's and IQL's policies is not a product.
    """
    algorithm = configure(name, {"units": 16, "batch_size": 32})
    q, q_first = shapes(3, 16, 14, 1)
    v, v_first = shapes(3, 16, 11, 1)
    pi, pi_first = shapes(3, 16, 11, 3)
    wide, wide_first = shapes(3, 16, 11, 6)
    learned_q = 3 * q - q_first
    learned_pi = 3 * pi - pi_first - 16 * 3
    expected = {
        "BC": learned_pi,
        "IQL": 2 * q + (3 * v - v_first) + v + 2 * learned_q + learned_pi,
        "ATAC": (3 * wide - wide_first) + wide + 2 * q + 6 * learned_q + 2 * q,
    }
    assert operations(algorithm) == 2 * 32 * expected[name]


def test_operations_of_delayed_updates() -> None:
    """The policy of TD3+BC learns in every third step, through the first critic."""
    algorithm = configure("TD3+BC", {"units": 16, "batch_size": 32, "policy_delay": 3})
    q, q_first = shapes(2, 16, 14, 1)
    pi, pi_first = shapes(2, 16, 11, 3)
    critics = pi + 2 * q + 2 * (3 * q - q_first)
    expected = critics + ((3 * pi - pi_first) + 2 * q) / 3
    assert operations(algorithm) == pytest.approx(2 * 32 * expected)


def test_operations_of_cql() -> None:
    """The critics learn from the data's action and 3 × 4 others in every state."""
    algorithm = configure("CQL", {"units": 16, "batch_size": 32, "actions": 4})
    q, q_first = shapes(2, 16, 14, 1)
    pi, pi_first = shapes(2, 16, 11, 6)
    learned_q, learned_pi = 3 * q - q_first, 3 * pi - pi_first
    expected = learned_pi + pi + 2 * q + 13 * 2 * learned_q + 2 * 2 * q
    assert operations(algorithm) == 2 * 32 * expected


def test_operations_of_a_model_based_agent() -> None:
    """Eight rollouts ask the policy, four members and the rewards; then the actor-critic learns."""
    settings = {"units": 16, "batch_size": 32, "rollouts": 8, "model_units": 6, "model_layers": 2}
    algorithm = configure("MOPO", settings | {"members": 5, "elites": 4})
    q, q_first = shapes(2, 16, 14, 1)
    pi, pi_first = shapes(2, 16, 11, 6)
    member, _ = shapes(2, 6, 14, 23)
    learned = (3 * pi - pi_first) + pi + 2 * q + 2 * (3 * q - q_first) + 2 * 2 * q
    assert operations(algorithm) == 2 * (8 * (pi + 4 * member + q) + 32 * learned)


def test_operations_of_the_dynamics() -> None:
    member, first = shapes(2, 6, 14, 23)
    algorithm = Dynamics(layers=2, units=6, members=5, batch_size=32)
    assert operations(algorithm) == 2 * 5 * 32 * (3 * member - first)


def test_operations_of_the_decision_transformer() -> None:
    """The last block computes one of three tokens per step; embeddings have no input gradient."""
    settings = {"layers": 2, "units": 8, "batch_size": 32, "context": 4}
    embeddings = 4 * (1 + 11 + 3) * 8
    block = 12 * 12 * 8**2 + 2 * 12 * 12 * 8
    last_block = 12 * 2 * 8**2 + 4 * 10 * 8**2 + 2 * 4 * 12 * 8
    answer = 4 * 8 * 3
    expected = 2 * embeddings + 3 * (block + last_block + answer)
    assert operations(configure("DT", settings)) == 2 * 32 * expected


def test_the_programs_compiled_are_those_that_train(tmp_path: Path) -> None:
    """Training adds no program to the cache."""
    on_one_core(make_dataset, tmp_path, 1000)
    on_one_core(compile_programs, "BC", tmp_path)
    cached = [*(tmp_path / "BC").glob("*steps_between*-cache")]
    assert len(cached) == 1
    on_one_core(first_step, "BC", tmp_path)
    assert [*(tmp_path / "BC").glob("*steps_between*-cache")] == cached
    assert load_run(tmp_path / "BC-run").outcome.metrics["step"].tolist() == [1]
