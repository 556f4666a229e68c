"""Predictions of time agree with timing the parts in another way."""

import time
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.data import Array, Box
from instinct.deep.training.loop import advance
from instinct.deep.training.synthetic import hopper_like, untrained
from instinct.engine.prediction import (
    all_trials,
    horizon_of,
    predict,
    seconds_per_test_step,
    stages_of,
)
from instinct.study.plan import Plan
from instinct.tasks.simulation import Step


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
    kinds = [stage.NAME for stage in stages_of(plan().final({})).values()]
    assert (kinds.count("PSPI"), kinds.count("Evaluation"), kinds.count("Cloning")) == (4, 4, 2)


@pytest.mark.parametrize(
    ("task", "steps"),
    [
        ("hopper", 1000),
        ("metaworld:push", 500),
        ("safety:PointGoal1", 1000),
        ("safety:CarCircle2", 500),
    ],
)
def test_how_long_an_episode_can_be(task: str, steps: int) -> None:
    assert horizon_of(task) == steps


def test_a_trial_that_is_tuning_and_result_is_counted_once() -> None:
    """Three values of β with two seeds, two of which give the results, and BC with two seeds."""
    tuned = replace(
        plan(),
        algorithms=("BC", "PSPI"),
        labels=("original",),
        grid={"PSPI": {"beta": (1.0, 2.0, 3.0)}},
        tuning_seeds=2,
        new_seeds=False,
        task="hopper",
    )
    assert len(all_trials(tuned)) == 3 * 2 + 2
    assert len(all_trials(replace(tuned, new_seeds=True))) == 3 * 2 + 2 + 2


def test_compiling_is_no_part_of_the_prediction() -> None:
    """A step of such a small network takes far less time than its compilation."""
    calls: list[tuple[int, int, str]] = []
    found = predict(plan(), workers=2, on_progress=lambda *at: calls.append(at))
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
    assert [what for _, _, what in calls] == ["Cloning", "Evaluation", "PSPI"]


def test_fitting_returns_can_be_timed() -> None:
    fitted = {**plan().settings["PSPI"], "fit_returns": True}
    found = predict(replace(plan(), settings={"PSPI": fitted}), workers=1)
    assert found.steps_per_second["PSPI"] > 0


def test_episodes_that_end_while_they_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment must not be stepped after its end."""

    class Short:
        action_space = Box.of(1)

        def simulation(self, places: int) -> Any:
            return ShortEpisodes(places)

    class ShortEpisodes:
        def __init__(self, places: int) -> None:
            self.left = np.zeros(places, int)

        def reset(self, place: int, seed: int) -> None:
            self.left[place] = 3 + place % 2

        def step(self, places: Array, actions: Array) -> Step:
            assert (self.left[places] > 0).all(), "an ended episode was stepped"
            self.left[places] -= 1
            over, odd = self.left[places] == 0, places % 2 == 1
            return Step(actions, np.zeros(len(places)), over & odd, over & ~odd)

    monkeypatch.setattr("instinct.engine.prediction.find_task", lambda name: Short())
    assert 0 < seconds_per_test_step("short") < 0.1
