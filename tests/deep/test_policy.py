"""Trained policies act, from memory and from a run folder."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from instinct.data import Box, Dataset, Label, relabel
from instinct.deep import Run, TrainedPolicy, configure, load_policy, load_run, train
from instinct.deep.algorithms.dt import DT, returns_to_go
from instinct.deep.algorithms.iql import reward_scale
from instinct.deep.nn.transformer import Dropout
from instinct.deep.training.checkpoint import save_tree
from instinct.deep.training.policy import uniform_draws
from instinct.errors import BadInput
from instinct.util.jsonio import read_json, write_json
from tests.deep.problems import discrete_noise_dataset, noise_dataset

SMALL = {"layers": 1, "units": 8, "batch_size": 16, "steps": 2}
DT_SMALL = SMALL | {"context": 3, "horizon": 5, "return_scale": 10}


def stretched() -> Dataset:
    """The noise dataset with actions in [0, 4] × [−2, 0]."""
    dataset = noise_dataset()
    return Dataset(
        observations=dataset.observations,
        actions=dataset.actions * [2, 1] + [2, -1],
        rewards=dataset.rewards,
        next_observations=dataset.next_observations,
        terminals=dataset.terminals,
        timeouts=dataset.timeouts,
        action_space=Box((0, -2), (4, 0)),
    )


def test_actions_are_scaled_to_the_box(tmp_path: Path) -> None:
    algorithm = configure("BC", SMALL)
    data, plain = algorithm.prepare(stretched()), algorithm.prepare(noise_dataset())
    np.testing.assert_allclose(data.rows["actions"], plain.rows["actions"], atol=1e-6)
    run = Run(stretched(), algorithm, folder=tmp_path)
    outcome = train(run)
    for weights in (outcome.weights, load_run(tmp_path).outcome.weights):
        policy = TrainedPolicy(algorithm, weights, Box((0, -2), (4, 0)))
        s = noise_dataset().observations[:7]
        actions, _ = policy.act(policy.start(7), s, np.zeros(7))
        unit = np.clip(algorithm.mode(weights, jnp.asarray(s)), -1, 1)
        np.testing.assert_allclose(actions, unit * [2, 1] + [2, -1], atol=1e-5)


@pytest.mark.parametrize("name", ["original", "zero", "random", "negative"])
def test_conditioning(name: str, tmp_path: Path) -> None:
    """The return-to-go starts at the best of the data and decreases by the label's rewards."""
    dataset = relabel(noise_dataset(), name, seed=2)
    train(Run(dataset, configure("DT", DT_SMALL), label=name, folder=tmp_path))
    policy = load_policy(tmp_path)
    memory = policy.start(40, seed=1)
    random = np.random.default_rng(0)
    rewards, returns = random.normal(size=(4, 40)).astype(np.float32), []
    for step in range(4):
        actions, memory = policy.act(memory, random.normal(size=(40, 3)), rewards[step])
        returns.append(10 * np.asarray(memory.carry[0].returns[:, -1], float))
        np.testing.assert_allclose(memory.carry[0].actions[:, -1], actions, atol=1e-6)
    best = np.sort(dataset.returns)[-1:]
    assert dataset.episodes == 12
    np.testing.assert_allclose(returns[0], np.broadcast_to(best, 40), rtol=1e-5, atol=1e-5)
    read = [before - after for before, after in itertools.pairwise(returns)]
    if name == "random":
        assert min(map(np.min, read)) > -1e-4
        assert max(map(np.max, read)) < 1 + 1e-4
        assert len(np.unique(np.round(read, 4))) > 100
    else:
        sign = {"original": 1, "zero": 0, "negative": -1}[name]
        np.testing.assert_allclose(read, sign * rewards[1:], atol=1e-4)


def test_windows_and_returns_to_go() -> None:
    dataset = noise_dataset()
    expected = np.concatenate(
        [
            np.cumsum(dataset.rewards[start:stop][::-1].astype(float))[::-1]
            for start, stop in zip(dataset.starts, dataset.stops, strict=True)
        ]
    )
    np.testing.assert_allclose(returns_to_go(dataset), expected, atol=1e-6)


def test_dropout_drops_its_share() -> None:
    x = jnp.ones((200, 500))
    first, second = (np.asarray(Dropout(0.1, jax.random.key(0))(x, place)) for place in (0, 1))
    for dropped in (first, second):
        assert abs((dropped == 0).mean() - 0.1) < 0.005
        np.testing.assert_allclose(dropped[dropped > 0], 1 / 0.9, rtol=1e-5)
        rows = (dropped == 0).mean(axis=1)
        assert abs(rows.std() - np.sqrt(0.09 / 500)) < 0.002
    assert abs(((first == 0) & (second == 0)).mean() - 0.01) < 0.002


def test_reward_scale() -> None:
    """1000/(max − min return); 1 under zero rewards, where that is 0/0."""
    dataset = noise_dataset()
    spread = dataset.returns.max() - dataset.returns.min()
    np.testing.assert_allclose(reward_scale(dataset), 1000 / spread)
    zero = relabel(dataset, "zero")
    assert reward_scale(zero) == 1
    rewards = configure("IQL").prepare(zero).rewards["rewards"]
    assert (rewards == 0).all()
    outcome = train(Run(zero, configure("IQL", SMALL)))
    assert not outcome.failure
    scaled = configure("IQL").prepare(dataset).rewards["rewards"]
    np.testing.assert_allclose(scaled, dataset.rewards * 1000 / spread, rtol=1e-5)


def test_a_label_without_rewards_for_acting(tmp_path: Path) -> None:
    """Only DT reads rewards while it acts, so only DT needs them."""
    mine = Label("mine", lambda dataset, _: 2 * dataset.rewards)
    for name, settings in (("BC", SMALL), ("DT", DT_SMALL)):
        run = Run(relabel(noise_dataset(), mine), configure(name, settings), label="mine")
        train(replace(run, folder=tmp_path / name))
    load_policy(tmp_path / "BC")
    load_policy(tmp_path / "BC", mine)
    for label in (None, mine):
        with pytest.raises(BadInput, match="'mine'") as fault:
            load_policy(tmp_path / "DT", label)
        assert (fault.value.field, fault.value.exit_code) == ("label", 2)
    double = Label.elementwise("mine", lambda r, _: 2 * r)
    policy = load_policy(tmp_path / "DT", double)
    returns, memory = [], policy.start(1)
    for _ in range(2):
        _, memory = policy.act(memory, np.zeros((1, 3)), np.full(1, 1.5))
        returns.append(10 * float(memory.carry[0].returns[0, -1]))
    assert returns[0] - returns[1] == pytest.approx(3, abs=1e-4)


def forget_checksums(folder: Path) -> None:
    """Make the folder like one of an earlier version, whose result names no files."""
    result = read_json(folder / "result.json")
    del result["files"]
    write_json(folder / "result.json", result)


def test_unfinished_and_broken_folders(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"config\.json"):
        load_policy(tmp_path)
    train(Run(noise_dataset(), configure("BC", SMALL), folder=tmp_path))
    load_policy(tmp_path)
    weights, config = tmp_path / "weights.safetensors", tmp_path / "config.json"
    arrays = load_file(weights)
    save_file({name: array[..., :1] for name, array in arrays.items()}, weights)
    with pytest.raises(BadInput, match="its checksum does not fit"):
        load_policy(tmp_path)
    forget_checksums(tmp_path)
    with pytest.raises(BadInput, match="do not fit"):
        load_policy(tmp_path)
    weights.write_bytes(b"\x80\x04pickle")
    with pytest.raises(BadInput, match="not a readable safetensors file"):
        load_policy(tmp_path)
    config.write_text(json.dumps({"algorithm": "BC"}))
    with pytest.raises(BadInput, match=r"config\.json: settings: is missing"):
        load_policy(tmp_path)
    config.write_text("[")
    with pytest.raises(BadInput, match="not a readable JSON file"):
        load_policy(tmp_path)
    (tmp_path / "result.json").unlink()


def test_steps_beyond_the_horizon() -> None:
    """Steps beyond the horizon have the embedding of the last step."""
    algorithm = configure("DT", DT_SMALL)
    assert isinstance(algorithm, DT)
    outcome = train(Run(noise_dataset(), algorithm))
    policy = TrainedPolicy(algorithm, outcome.weights, Box.of(2))
    memory = policy.start(1)
    for _ in range(8):
        actions, memory = policy.act(memory, np.zeros((1, 3)), np.zeros(1))
    assert np.isfinite(actions).all()
    assert memory.carry[0].steps.tolist() == [[5, 6, 7]]


def test_draws_while_acting() -> None:
    """The first draw is that of the key; later ones differ, and all depend only on the key."""
    key = jax.random.key(3)
    uniform = uniform_draws(key)
    first, second = uniform((50,)), uniform((50,))
    assert (first == np.asarray(jax.random.uniform(key, (50,)))).all()
    assert not np.isin(second, first).any()
    again = uniform_draws(key)
    assert (again((50,)) == first).all()
    assert (again((50,)) == second).all()


def test_a_policy_with_discrete_actions_is_loaded(tmp_path: Path) -> None:
    dataset = discrete_noise_dataset()
    algorithm = configure("BC", SMALL, dataset.action_space)
    outcome = train(Run(dataset, algorithm, folder=tmp_path))
    config = read_json(tmp_path / "config.json")
    assert config["discrete_actions"] == 3
    assert not {"action_low", "action_high"} & {*config}
    policy = load_policy(tmp_path)
    assert policy.action_space == dataset.action_space
    actions, _ = policy.act(policy.start(60), dataset.observations, np.zeros(60))
    x = dataset.observations
    for layer in outcome.weights["policy"][:-1]:
        x = np.maximum(x @ np.asarray(layer["weight"]) + np.asarray(layer["bias"]), 0)
    last = outcome.weights["policy"][-1]
    logits = x @ np.asarray(last["weight"]) + np.asarray(last["bias"])
    assert actions.tolist() == logits.argmax(axis=1).tolist()
    write_json(tmp_path / "config.json", config | {"discrete_actions": 0})
    with pytest.raises(BadInput, match="at least one action"):
        load_policy(tmp_path)


def test_an_action_that_the_space_does_not_have_is_refused(tmp_path: Path) -> None:
    dataset = discrete_noise_dataset()
    algorithm = configure("BC", SMALL, dataset.action_space)
    *hidden, last = train(Run(dataset, algorithm, folder=tmp_path)).weights["policy"]
    biases = np.array([0, 0, 0, 0, 0, 1e6], np.float32)
    sixth = {"weight": np.tile(last["weight"], 2), "bias": biases}
    save_tree(tmp_path / "weights.safetensors", {"policy": (*hidden, sixth)})
    forget_checksums(tmp_path)
    with pytest.raises(BadInput, match="do not fit the run's config"):
        load_policy(tmp_path)
