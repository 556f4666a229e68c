"""AWR, TD3+BC, ReBRAC and EDAC: losses, gradients and targets against numpy in double precision."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.data import Array
from instinct.deep import configure
from instinct.deep.algorithms.warm_start import Cloning
from instinct.deep.training.loop import first_state
from instinct.errors import BadInput
from tests.deep import reference as ref
from tests.deep.problems import cliff, discrete_noise_dataset, noise_dataset
from tests.deep.test_losses import (
    KEY,
    SMALL,
    TREE,
    assert_close,
    gaussian_loss,
    gradient,
    prepared,
    start,
)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def deterministic(policy: TREE, s: Array) -> Array:
    return np.tanh(ref.mlp(policy, s))


def noisy_target_actions(state: Any, s_next: Array, shape: tuple[int, ...]) -> Array:
    noise = np.clip(0.2 * np.asarray(jax.random.normal(KEY, shape), float), -0.3, 0.3)
    return np.clip(deterministic(ref.double(state.target_policy), s_next) + noise, -1, 1)


@pytest.mark.parametrize("name", ["TD3+BC", "ReBRAC"])
def test_twin_delayed(name: str) -> None:
    """With a delay of one step the policy learns at once, from the critics after their step."""
    settings = {"policy_delay": 1, "noise_limit": 0.3}
    settings |= {"policy_weight": 0.3, "critic_weight": 0.7} if name == "ReBRAC" else {"alpha": 1.5}
    algorithm, state, batch, _ = prepared(name, settings)
    after, metrics = algorithm.update(state, batch, KEY)
    b = ref.double(batch)
    s, a, s_next = b.observations, b.actions, b.next_observations
    assert 0 < b.goes_on.mean() < 1
    rebrac = name == "ReBRAC"

    def f(head: TREE, s: Array, a: Array) -> Array:
        x = np.concatenate([s, a], axis=-1)
        return (ref.normalized_mlp if rebrac else ref.mlp)(head, x)[:, 0]

    a_next = noisy_target_actions(state, s_next, a.shape)
    v_next = np.minimum(*(f(t, s_next, a_next) for t in ref.double(state.targets)))
    if rebrac:
        v_next = v_next - 0.7 * ((a_next - b.next_actions) ** 2).sum(axis=1)
    y = b.rewards + 0.99 * b.goes_on * v_next

    def critic_loss(critics: TREE) -> float:
        return sum(float(((f(head, s, a) - y) ** 2).mean()) for head in critics)

    close(metrics["critic_loss"], critic_loss(ref.double(state.critics.params)))
    assert_close(
        gradient(after.critics), ref.central_differences(critic_loss, state.critics.params)
    )
    new = ref.double(after.critics.params)

    def values(policy: TREE) -> tuple[Array, Array]:
        pi = deterministic(policy, s)
        first, second = (f(head, s, pi) for head in new)
        return pi, np.minimum(first, second) if rebrac else first

    size = np.abs(values(ref.double(state.policy.params))[1]).mean()

    def policy_loss(policy: TREE) -> float:
        pi, q = values(policy)
        if rebrac:
            return float((0.3 * ((pi - a) ** 2).sum(axis=1) - q / size).mean())
        return float(((pi - a) ** 2).mean() - 1.5 * q.mean() / size)

    close(metrics["policy_loss"], policy_loss(ref.double(state.policy.params)))
    assert_close(gradient(after.policy), ref.central_differences(policy_loss, state.policy.params))
    for target, old, online in (
        (after.targets, state.targets, after.critics.params),
        (after.target_policy, state.target_policy, after.policy.params),
    ):
        mean = jax.tree.map(lambda o, n: 0.995 * np.array(o) + 0.005 * np.array(n), old, online)
        jax.tree.map(close, target, mean)


def test_policy_and_targets_wait_for_the_delay() -> None:
    algorithm, state, batch, _ = prepared("TD3+BC", {"policy_delay": 2})
    first, waited = algorithm.update(state, batch, KEY)
    second, improved = algorithm.update(first, batch, KEY)
    for part in ("policy", "target_policy", "targets"):
        one, two, three = (jax.tree.leaves(getattr(each, part)) for each in (state, first, second))
        assert all(map(np.array_equal, one, two))
        assert not all(map(np.array_equal, two, three))
    assert int(first.critics.optimizer.count) == 1
    assert float(waited["policy_loss"]) == 0
    alone, _ = algorithm.policy_loss(
        second.critics.params,
        batch,
        jnp.tanh(algorithm_output(first.policy.params, batch.observations)),
    )
    close(improved["policy_loss"], 2 * alone)


def algorithm_output(policy: TREE, s: jax.Array) -> Array:
    return ref.mlp(ref.double(policy), np.asarray(s, float))


def test_standardized_observations_of_td3bc() -> None:
    """The policy takes observations as the task gives them."""
    algorithm, state, _, data = prepared("TD3+BC")
    original = noise_dataset().observations
    scaled = (original - original.mean(axis=0)) / original.std(axis=0)
    close(data.rows["observations"], scaled)
    actions = algorithm.mode(algorithm.weights(state), jnp.asarray(original))
    close(actions, deterministic(ref.double(state.policy.params), scaled))
    heads = ref.double(state.critics.params)
    found = algorithm.critics_of(state).values(original, noise_dataset().actions)
    close(found, [ref.f(head, scaled, noise_dataset().actions) for head in heads])


def test_rebrac_knows_the_next_action_or_leaves_the_transition_out() -> None:
    """Every other episode of five steps ends by a timeout; after terminals it does not matter."""
    dataset = noise_dataset()
    rows = configure("ReBRAC", SMALL).prepare(dataset).rows
    assert len(rows["actions"]) == 60 - 6
    within = rows["goes_on"] == 1
    following = np.flatnonzero(~dataset.timeouts & ~dataset.terminals) + 1
    np.testing.assert_array_equal(rows["next_actions"][within], dataset.actions[following])
    with pytest.raises(BadInput, match="needs the action after a transition"):
        configure("ReBRAC").prepare(cliff(np.random.default_rng(0), 1))


def test_rebrac_starts_with_small_outputs() -> None:
    algorithm = configure("ReBRAC", SMALL | {"units": 100})
    data = algorithm.prepare(noise_dataset())
    state = first_state(algorithm, jax.random.key(0), data, None)
    for network, bound in ((state.policy.params, 1e-3), (state.critics.params[0], 3e-3)):
        *hidden, last = network
        assert 0.9 * bound < np.abs(last["weight"]).max() <= bound
        assert {float(value) for layer in hidden for value in layer["bias"]} == {np.float32(0.1)}


@pytest.mark.parametrize("eta", [0.0, 2.0])
def test_edac(eta: float) -> None:
    algorithm, state, batch, _ = prepared("EDAC", {"critics": 4, "eta": eta})
    after, metrics = algorithm.update(state, batch, KEY)
    b = ref.double(batch)
    s, a, s_next = b.observations, b.actions, b.next_observations
    noise, next_noise = np.asarray(jax.random.normal(KEY, (2, *a.shape)), float)

    def member(ensemble: TREE, i: int) -> TREE:
        return jax.tree.map(lambda array: array[i], ensemble)

    def sampled(policy: TREE, at: Array, draws: Array) -> tuple[Array, Array]:
        mean, log_std = np.split(ref.mlp(policy, at), 2, axis=-1)
        std = np.exp(np.clip(log_std, -5, 2))
        actions = np.tanh(mean + std * draws)
        return actions, ref.squashed_log_density(actions, mean, std, 1.0).sum(axis=-1)

    def smallest(ensemble: TREE, s: Array, a: Array) -> Array:
        return np.asarray(np.min([ref.f(member(ensemble, i), s, a) for i in range(4)], axis=0))

    policy, targets = ref.double(state.policy.params), ref.double(state.targets)
    a_next, log_next = sampled(policy, s_next, next_noise)
    y = b.rewards + 0.99 * b.goes_on * (smallest(targets, s_next, a_next) - log_next)

    def critic_loss(critics: TREE) -> float:
        members = [member(critics, i) for i in range(4)]
        bellman = sum(float(((ref.f(each, s, a) - y) ** 2).mean()) for each in members)
        directions = []
        for each in members:
            g = ref.action_gradient(each, s, a)
            directions.append(g / (np.linalg.norm(g, axis=1, keepdims=True) + 1e-10))
        pairs = [
            float((directions[i] * directions[j]).sum(axis=1).mean())
            for i in range(4)
            for j in range(4)
            if i != j
        ]
        return bellman + eta * sum(pairs) / 3

    critics = ref.double(state.critics.params)
    close(metrics["critic_loss"], critic_loss(critics))
    assert_close(
        gradient(after.critics), ref.central_differences(critic_loss, state.critics.params)
    )

    def policy_loss(policy: TREE) -> float:
        actions, log_pi = sampled(policy, s, noise)
        return float((log_pi - smallest(critics, s, actions)).mean())

    np.testing.assert_allclose(metrics["policy_loss"], policy_loss(policy), rtol=1e-3)
    assert_close(gradient(after.policy), ref.central_differences(policy_loss, state.policy.params))
    entropy = -sampled(policy, s, noise)[1].mean()
    np.testing.assert_allclose(gradient(after.temperature), entropy + 2, rtol=1e-4)


def test_edac_from_a_clone() -> None:
    """It starts at the clone; the policy's own rate rises, and the final policy is an average."""
    assert configure("EDAC").warm_start() is None
    settings = SMALL | {"critics": 3, "cloning_steps": 7, "steps": 1000}
    algorithm: Any = configure("EDAC", settings | {"policy_rate": 1e-2, "rise": 0.5})
    clone = algorithm.warm_start()
    assert isinstance(clone, Cloning)
    assert (clone.steps, clone.decay) == (7, True)
    data = jax.tree.map(jnp.asarray, algorithm.prepare(noise_dataset()))
    warm = first_state(clone, KEY, data, None)
    state = first_state(algorithm, KEY, data, warm)
    after, _ = algorithm.update(state, algorithm.sample(state, data, KEY), KEY)
    jax.tree.map(np.testing.assert_array_equal, state.policy.params, warm.policy.params)
    first = jax.tree.leaves(warm.policy.params)
    for old, new in zip(first, jax.tree.leaves(after.policy.params), strict=True):
        assert float(jnp.abs(new - old).max()) < 1.1 * 1e-2 / 500
    averaged = replace(algorithm, policy_average=0.25)
    after, _ = averaged.update(state, averaged.sample(state, data, KEY), KEY)
    acting = jax.tree.leaves(averaged.weights(after)["policy"])
    for old, new, found in zip(first, jax.tree.leaves(after.policy.params), acting, strict=True):
        np.testing.assert_allclose(found, 0.75 * old + 0.25 * new, rtol=1e-6, atol=1e-7)


def test_edac_where_no_unit_is_active() -> None:
    """Such a critic has no gradient by the action, and learns on."""
    algorithm, state, batch, _ = prepared("EDAC", {"critics": 4})
    first, *rest = state.critics.params
    dead = (first | {"bias": first["bias"].at[0].set(-100.0)}, *rest)
    after, metrics = algorithm.update(
        state._replace(critics=state.critics._replace(params=dead)), batch, KEY
    )
    assert np.isfinite(metrics["critic_loss"])
    for leaf in jax.tree.leaves(after.critics):
        assert np.isfinite(leaf).all()


def test_edac_makes_gradients_diverse() -> None:
    """With a large η the critics' gradients by the action come to disagree."""
    similarity = []
    for eta in (0.0, 100.0):
        algorithm, state, batch, _ = prepared("EDAC", {"critics": 4, "eta": eta, "rate": 1e-2})
        step = jax.jit(algorithm.update)
        for _ in range(100):
            state, metrics = step(state, batch, KEY)
        similarity.append(float(metrics["similarity"]))
    assert similarity[1] < -0.5 < similarity[0]


def test_td_lambda_returns_and_weights() -> None:
    """By the recursion within every episode, backwards."""
    algorithm = configure("AWR", SMALL | {"beta": 0.5, "td_lambda": 0.8, "weight_limit": 5.0})
    dataset = noise_dataset()
    data = jax.tree.map(jnp.asarray, algorithm.prepare(dataset))
    state = start(algorithm, data)
    valuation = algorithm.warm_start()
    assert valuation is not None
    network = start(valuation, data).params
    v, v_next = (
        100 * ref.f(ref.double(network), np.asarray(rows, float))
        for rows in (dataset.observations, dataset.next_observations)
    )
    returns = np.zeros(60)
    for t in reversed(range(60)):
        if dataset.terminals[t]:
            following = 0.0
        elif dataset.timeouts[t]:
            following = v_next[t]
        else:
            following = 0.2 * v_next[t] + 0.8 * returns[t + 1]
        returns[t] = dataset.rewards[t] + 0.99 * following
    advantage = returns - v
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-5)
    expected = np.minimum(np.exp(advantage / 0.5), 5.0)
    assert 0 < (expected == 5).mean() < 1
    np.testing.assert_allclose(state.action_weights, expected, rtol=1e-3)


def test_awr_fits_values_to_returns() -> None:
    algorithm = configure("AWR", SMALL).warm_start()
    assert algorithm is not None
    dataset = noise_dataset()
    data = jax.tree.map(jnp.asarray, configure("AWR", SMALL).prepare(dataset))
    state = start(algorithm, data)
    batch = algorithm.sample(state, data, KEY)
    after, metrics = algorithm.update(state, batch, KEY)
    s, returns = ref.double(batch.observations), ref.double(batch.returns)

    def loss(v: TREE) -> float:
        return float(((ref.f(v, s) - 0.01 * returns) ** 2).mean())

    close(metrics["value_loss"], 100**2 * loss(ref.double(state.params)))
    assert_close(gradient(after), ref.central_differences(loss, state.params))
    cut = replace(dataset, cuts=dataset.timeouts)
    np.testing.assert_array_equal(
        configure("AWR", SMALL).prepare(cut).rewards["returns"], data.rewards["returns"]
    )


def test_awr_clones_with_weights() -> None:
    algorithm, state, batch, _ = prepared("AWR")
    after, metrics = algorithm.update(state, batch, KEY)
    b = ref.double(batch)

    def loss(policy: TREE) -> float:
        return gaussian_loss(policy, b, b.weights)

    assert len({*b.weights.tolist()}) > 6
    close(metrics["policy_loss"], loss(ref.double(state.policy.params)))
    assert_close(gradient(after.policy), ref.central_differences(loss, state.policy.params))


def test_awr_for_discrete_actions() -> None:
    algorithm, state, batch, _ = prepared("AWR", dataset=discrete_noise_dataset())
    after, metrics = algorithm.update(state, batch, KEY)
    b = ref.double(batch)

    def loss(policy: TREE) -> float:
        likely = (ref.probabilities(policy, b.observations) * b.actions).sum(axis=1)
        return -float((b.weights * np.log(likely)).mean())

    close(metrics["policy_loss"], loss(ref.double(state.policy.params)))
    assert_close(gradient(after.policy), ref.central_differences(loss, state.policy.params))
