"""Datasets recorded from behaviors."""

import jax
import numpy as np
import pytest

from instinct.behaviors.behavior import Behavior
from instinct.behaviors.collection import Part, collect
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.data import Dataset
from instinct.deep.nn.networks import scaled_tanh_gaussian_init
from instinct.errors import BadInput
from instinct.tasks.environments import make
from instinct.tasks.evaluation import episode_seed
from instinct.tasks.simulation import Task, action_box

HOPPER = LocomotionTask("hopper")


def untrained(task: Task = HOPPER, seed: int = 0) -> Behavior:
    n, box = task.observation_size, action_box(task)
    network = scaled_tanh_gaussian_init(jax.random.key(seed), n, box.dimension, 1, 8)
    return Behavior(network, box)


def test_the_seed_determines_the_data() -> None:
    parts = [Part(untrained(), 700)]
    first = collect(HOPPER, parts, seed=1)
    assert len(first) == 700
    assert first.hash == collect(HOPPER, parts, seed=1).hash
    assert first.hash != collect(HOPPER, parts, seed=2).hash


def test_recorded_actions_give_the_same_episodes_in_gymnasium() -> None:
    dataset = collect(HOPPER, [Part(untrained(), 3000)])
    environment = make("Hopper-v4")
    assert dataset.episodes > 100
    for episode in range(100):
        rows = slice(dataset.starts[episode], dataset.stops[episode])
        seed = episode_seed(episode_seed(0, 0), episode)
        observation, _ = environment.reset(seed=seed)
        for row in range(rows.start, rows.stop):
            np.testing.assert_array_equal(dataset.observations[row], np.float32(observation))
            observation, reward, terminal, _, _ = environment.step(dataset.actions[row])
            assert dataset.rewards[row] == np.float32(reward)
            assert dataset.terminals[row] == terminal


def test_fewer_transitions_are_the_beginning_of_more() -> None:
    """The choice of episodes therefore cannot depend on their lengths."""
    whole = collect(HOPPER, [Part(untrained(), 9000)])
    part = collect(HOPPER, [Part(untrained(), 6543)])
    np.testing.assert_array_equal(whole.observations[:6543], part.observations)
    np.testing.assert_array_equal(whole.actions[:6543], part.actions)
    np.testing.assert_array_equal(whole.ends[:6542], part.ends[:-1])
    assert part.ends[-1]


def test_parts_are_recorded_in_order_with_progress() -> None:
    calls: list[tuple[int, int, str]] = []
    parts = [Part(untrained(seed=1), 300), Part(untrained(seed=2), 400)]
    dataset = collect(HOPPER, parts, on_progress=lambda *call: calls.append(call))
    assert calls[-1] == (700, 700, "transitions")
    assert calls == sorted(calls)
    alone = collect(HOPPER, parts[:1])
    first = Dataset(
        **{name: array[:300] for name, array in dataset.fields()},  # type: ignore[arg-type]
        action_space=dataset.action_space,
    )
    assert first.hash == alone.hash


def test_halfcheetah_episodes_end_by_timeout() -> None:
    task = LocomotionTask("halfcheetah")
    dataset = collect(task, [Part(untrained(task), 2500)])
    assert not dataset.terminals.any()
    assert (dataset.lengths[:-1] == 1000).all()
    assert dataset.lengths.sum() == 2500


def test_a_part_without_transitions_is_refused() -> None:
    with pytest.raises(BadInput, match="at least one transition"):
        collect(HOPPER, [Part(untrained(), 0)])
