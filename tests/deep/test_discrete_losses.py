"""Losses and gradients for discrete actions against numpy in double precision."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.data import Array
from tests.deep import reference as ref
from tests.deep.problems import discrete_noise_dataset
from tests.deep.test_losses import KEY, TREE, assert_close, gradient, numpy_batch, prepared

TARGET = 0.1 * np.log(3)
"""The entropy that temperatures steer to with three actions."""


def discrete(name: str, settings: dict[str, Any] | None = None, stage: int = -1) -> tuple[Any, ...]:
    """Return an algorithm, its state, a batch, and the batch in double precision."""
    algorithm, state, batch, _ = prepared(name, settings, stage, discrete_noise_dataset())
    b = numpy_batch(batch)
    recorded = b.actions.argmax(axis=1)
    assert b.actions.sum(axis=1).tolist() == b.actions.max(axis=1).tolist() == [1.0] * 12
    assert {*recorded.tolist()} == {0, 1, 2}
    return algorithm, state, batch, b, recorded


def q(head: TREE, s: Array) -> Array:
    return ref.mlp(head.layers, s)


def at(values: Array, actions: Array) -> Array:
    """Return the values of one action per row."""
    return np.array([row[a] for row, a in zip(values, actions, strict=True)])


def cross_entropy(policy: TREE, b: Any, recorded: Array, weight: Array | float = 1.0) -> float:
    likely = at(ref.probabilities(policy, b.observations), recorded)
    return -float((weight * np.log(likely)).mean())


@pytest.mark.parametrize(("name", "stage", "loss"), [("BC", -1, "policy"), ("ATAC", 0, "cloning")])
def test_cloning(name: str, stage: int, loss: str) -> None:
    algorithm, state, batch, b, recorded = discrete(name, stage=stage)
    after, metrics = algorithm.update(state, batch, KEY)

    def reference(policy: TREE) -> float:
        return cross_entropy(policy, b, recorded)

    expected = reference(ref.double(state.policy.params))
    np.testing.assert_allclose(metrics[f"{loss}_loss"], expected, rtol=1e-4)
    assert_close(gradient(after.policy), ref.central_differences(reference, state.policy.params))


def bellman(
    algorithm: Any, state: Any, b: Any, pi_next: Array, recorded: Array, head: TREE
) -> float:
    """Return the Bellman loss of a head; expectations over actions are within the squares."""
    rewards = discrete_noise_dataset().rewards.astype(float)
    scale = float(state.critics.scale)
    horizon = 2 * scale / (1 - algorithm.discount)
    low, high = horizon * min(-1, rewards.min()), horizon * max(1, rewards.max())

    def backup(values: Array) -> Array:
        v = np.array([p @ row for p, row in zip(pi_next, values, strict=True)])
        target = scale * b.rewards + algorithm.discount * b.goes_on * v
        return np.asarray(np.clip(target, low, high))

    smaller = np.minimum(*(q(t, b.next_observations) for t in ref.double(state.critics.targets)))
    f = at(q(head, b.observations), recorded)
    target_error = (f - backup(smaller)) ** 2
    residual_error = (f - backup(q(head, b.next_observations))) ** 2
    w = algorithm.residual_weight
    return float((1 - w) * target_error.mean() + w * residual_error.mean())


def test_evaluation() -> None:
    algorithm, state, batch, b, recorded = discrete("PSPI", {"residual_weight": 0.3}, stage=1)
    after, metrics = algorithm.update(state, batch, KEY)
    pi_next = ref.probabilities(ref.double(state.policy), b.next_observations)

    def loss(critics: TREE) -> float:
        return sum(bellman(algorithm, state, b, pi_next, recorded, head) for head in critics)

    critics = state.critics.learner.params
    np.testing.assert_allclose(metrics["bellman_loss"], loss(ref.double(critics)), rtol=1e-4)
    assert_close(gradient(after.critics.learner), ref.central_differences(loss, critics))


def test_return_fitting() -> None:
    settings = {"fit_returns": True, "scale_values": True}
    algorithm, state, batch, _ = prepared("PSPI", settings, 1, discrete_noise_dataset())
    after, metrics = algorithm.update(state, batch, KEY)
    s, returns = ref.double(batch.observations), ref.double(batch.returns)
    recorded, scale = np.asarray(batch.actions).argmax(axis=1), float(state.critics.scale)

    def loss(critics: TREE) -> float:
        errors = (at(q(head, s), recorded) - scale * returns for head in critics)
        return sum(float((error**2).mean()) for error in errors)

    critics = state.critics.learner.params
    expected = loss(ref.double(critics)) / scale**2
    np.testing.assert_allclose(metrics["return_error"], expected, rtol=1e-4)
    assert_close(gradient(after.critics.learner), ref.central_differences(loss, critics))


@pytest.mark.parametrize("name", ["ATAC", "PSPI"])
@pytest.mark.parametrize(("beta", "scaled"), [(0.1, False), (10.0, True)], ids=str)
def test_game(name: str, beta: float, scaled: bool) -> None:
    settings = {"beta": beta, "scale_values": scaled}
    algorithm, state, batch, b, recorded = discrete(name, settings)
    after, metrics = algorithm.update(state, batch, KEY)
    scale, policy = float(state.critics.scale), ref.double(state.policy.params)
    pi = ref.probabilities(policy, b.observations)
    pi_next = ref.probabilities(policy, b.next_observations)

    def critic_loss(critics: TREE) -> float:
        total = 0.0
        for head in critics:
            f = q(head, b.observations)
            pessimism = float((pi * f).sum(axis=1).mean())
            if name == "ATAC":
                pessimism -= float(at(f, recorded).mean())
            error = bellman(algorithm, state, b, pi_next, recorded, head)
            total += ref.combined(pessimism, error, beta / scale)
        return total

    critics = state.critics.learner.params
    np.testing.assert_allclose(metrics["critic_loss"], critic_loss(ref.double(critics)), rtol=1e-4)
    assert_close(gradient(after.critics.learner), ref.central_differences(critic_loss, critics))

    second = q(ref.double(after.critics.learner.params[1]), b.observations)
    alpha = float(np.exp(after.temperature.params))

    def policy_loss(policy: TREE) -> float:
        pi = ref.probabilities(policy, b.observations)
        value = float((pi * second).sum(axis=1).mean())
        return ref.combined(-value, float((pi * np.log(pi)).sum(axis=1).mean()), alpha)

    np.testing.assert_allclose(metrics["policy_loss"], policy_loss(policy), rtol=1e-3)
    assert_close(gradient(after.policy), ref.central_differences(policy_loss, state.policy.params))
    entropy = -(pi * np.log(pi)).sum(axis=1).mean()
    np.testing.assert_allclose(metrics["entropy"], entropy, rtol=1e-4)
    np.testing.assert_allclose(gradient(after.temperature), entropy - TARGET, rtol=1e-4)


def test_soft_game() -> None:
    """The distance from the clone is KL(π, π₁) over the actions."""
    algorithm, state, batch, b, _ = discrete("PSPI", {"soft": True, "beta": 3.0})
    moved = np.random.default_rng(0)
    clone = jax.tree.map(
        lambda x: x + np.asarray(moved.normal(0, 0.3, x.shape), x.dtype), state.clone
    )
    state = state._replace(clone=clone, softest=jnp.array(7e-4))
    after, metrics = algorithm.update(state, batch, KEY)
    second = q(ref.double(after.critics.learner.params[1]), b.observations)
    alpha, pi_1 = (
        float(np.exp(after.temperature.params)),
        ref.probabilities(ref.double(clone), b.observations),
    )

    def policy_loss(policy: TREE) -> float:
        pi = ref.probabilities(policy, b.observations)
        gain = (pi * second - 0.7 * pi * np.log(pi / pi_1)).sum(axis=1).mean()
        return ref.combined(-gain, float((pi * np.log(pi)).sum(axis=1).mean()), alpha)

    policy = ref.double(state.policy.params)
    np.testing.assert_allclose(metrics["policy_loss"], policy_loss(policy), rtol=1e-3)
    assert_close(gradient(after.policy), ref.central_differences(policy_loss, state.policy.params))


def test_iql() -> None:
    beta, tau = 3.0, 0.9
    algorithm, state, batch, b, recorded = discrete("IQL", {"beta": beta, "tau": tau})
    after, metrics = algorithm.update(state, batch, KEY)
    s, s_next = b.observations, b.next_observations
    smaller = np.minimum(*(at(q(t, s), recorded) for t in ref.double(state.targets)))
    old_v = ref.double(state.value.params)
    y = b.rewards + 0.99 * b.goes_on * ref.f(old_v, s_next)
    weight = np.minimum(np.exp(beta * (smaller - ref.f(old_v, s))), 100)

    def value_loss(v: TREE) -> float:
        u = smaller - ref.f(v, s)
        return float((np.abs(tau - (u < 0)) * u**2).mean())

    def critic_loss(critics: TREE) -> float:
        errors = (at(q(head, s), recorded) - y for head in critics)
        return sum(float((error**2).mean()) for error in errors) / 2

    def policy_loss(policy: TREE) -> float:
        return cross_entropy(policy, b, recorded, weight)

    for name, field, loss in (
        ("value", "value", value_loss),
        ("critic", "critics", critic_loss),
        ("policy", "policy", policy_loss),
    ):
        part = getattr(state, field).params
        np.testing.assert_allclose(metrics[f"{name}_loss"], loss(ref.double(part)), rtol=1e-4)
        assert_close(gradient(getattr(after, field)), ref.central_differences(loss, part))


@pytest.mark.parametrize("name", ["CQL", "CQL3"])
def test_cql(name: str) -> None:
    algorithm, state, batch, b, recorded = discrete(name, {"alpha": 2.0})
    after, metrics = algorithm.update(state, batch, KEY)
    s, s_next, policy = b.observations, b.next_observations, ref.double(state.policy.params)
    smaller = np.minimum(*(q(t, s_next) for t in ref.double(state.targets)))
    y = b.rewards + 0.99 * b.goes_on * (ref.probabilities(policy, s_next) * smaller).sum(axis=1)
    critics = ref.double(state.critics.params)
    lower = np.minimum(*(q(head, s) for head in critics))

    def critic_loss(critics: TREE) -> float:
        total = 0.0
        for head in critics:
            f = at(q(head, s), recorded)
            gap = np.log(np.exp(q(head, s)).sum(axis=1)) - f
            total += ((f - y) ** 2).mean() + 2.0 * gap.mean()
        return total

    def policy_loss(policy: TREE) -> float:
        pi = ref.probabilities(policy, s)
        return float((pi * (np.log(pi) - lower)).sum(axis=1).mean())

    np.testing.assert_allclose(metrics["critic_loss"], critic_loss(critics), rtol=1e-4)
    np.testing.assert_allclose(metrics["policy_loss"], policy_loss(policy), rtol=1e-3)
    assert_close(
        gradient(after.critics), ref.central_differences(critic_loss, state.critics.params)
    )
    assert_close(gradient(after.policy), ref.central_differences(policy_loss, state.policy.params))
    pi = ref.probabilities(policy, s)
    entropy = -(pi * np.log(pi)).sum(axis=1).mean()
    np.testing.assert_allclose(gradient(after.temperature), entropy - TARGET, rtol=1e-4)


def test_decision_transformer() -> None:
    settings = {"layers": 1, "units": 4, "context": 3, "horizon": 5, "dropout": 0.0}
    settings |= {"gradient_norm": 1e9}
    algorithm, state, batch, _ = prepared("DT", settings, -1, discrete_noise_dataset())
    after, metrics = algorithm.update(state, batch, KEY)
    assert not batch.real.all()
    window = jax.tree.map(np.asarray, batch)
    recorded = np.concatenate([window.actions[i][window.real[i]] for i in range(12)]).argmax(axis=1)

    def loss(policy: TREE) -> float:
        outputs = np.concatenate(ref.last_layer(policy, window))
        likely = at(np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True), recorded)
        return -float(np.log(likely).mean())

    expected = loss(ref.double(state.policy.params))
    np.testing.assert_allclose(metrics["action_error"], expected, rtol=1e-4)
    assert_close(gradient(after.policy), ref.central_differences(loss, state.policy.params))
