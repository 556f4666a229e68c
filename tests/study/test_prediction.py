"""What a plan will take, beside what its parts take when they are timed another way."""

import time

import jax
import jax.numpy as jnp

from instinct.deep.bench import hopper_like, untrained
from instinct.deep.loop import advance
from instinct.study.plan import Plan
from instinct.study.prediction import predict, stages_of


def plan() -> Plan:
    small = {"units": 8, "batch_size": 16, "warm_start_steps": 10, "steps": 1000}
    return Plan(
        name="tiny",
        datasets=("hopper-medium",),
        algorithms=("PSPI",),
        labels=("zero", "random"),
        settings={"PSPI": small},
        seeds=2,
        episodes=1,
        task="",
    )


def test_warm_starts_that_are_shared_are_counted_once() -> None:
    kinds = [type(stage).__name__ for stage in stages_of(plan().final({})).values()]
    assert (kinds.count("PSPI"), kinds.count("Evaluation"), kinds.count("Cloning")) == (4, 4, 2)


def test_compiling_is_no_part_of_the_prediction() -> None:
    """A step of so small a network takes far less than the seconds that compiling takes."""
    told: list[tuple[int, int, str]] = []
    found = predict(plan(), workers=2, report=lambda *at: told.append(at))
    algorithm = jax.tree.map(jnp.asarray, plan().final({})[0].configured())
    data = jax.tree.map(jnp.asarray, algorithm.prepare(hopper_like()))
    key = jax.random.key(0)
    state = untrained(algorithm, key, data)
    state, _, bad = advance(algorithm, state, data, key, 0, 1)
    bad.block_until_ready()
    started = time.process_time()
    advance(algorithm, state, data, key, 0, 500)[2].block_until_ready()
    per_second = 500 / (time.process_time() - started)
    assert per_second / 20 < found.steps_per_second["PSPI"] < 20 * per_second
    assert found.core_hours * 3600 > 4 * 1000 / found.steps_per_second["PSPI"] * 0.99
    assert found.hours(machines=5) == found.core_hours / 10
    assert [what for _, _, what in told] == ["Cloning", "Evaluation", "PSPI"]
