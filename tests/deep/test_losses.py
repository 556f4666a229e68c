"""Losses and gradients against numpy in double precision.

After the first step of Adam the running mean of the gradient is a tenth of the gradient.
"""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.bench.training import matrix_flop
from instinct.data import Array, Dataset
from instinct.deep.algorithms import cql, dt
from instinct.deep.algorithms.algorithm import Algorithm, Batch, Data
from instinct.deep.algorithms.settings import configure
from instinct.deep.nn.optimizer import Learner
from instinct.deep.training.loop import first_state
from instinct.deep.training.run_training import stages
from tests.deep import reference as ref
from tests.deep.problems import noise_dataset

SMALL = {"layers": 2, "units": 5, "batch_size": 12}
KEY = jax.random.key(3)
TREE = Any


def prepared(
    name: str,
    settings: dict[str, Any] | None = None,
    stage: int = -1,
    dataset: Dataset | None = None,
) -> tuple[Any, ...]:
    """Return an algorithm, a state away from its symmetric start, a batch and the data."""
    dataset = noise_dataset() if dataset is None else dataset
    whole = configure(name, SMALL | (settings or {}), dataset.action_space)
    algorithm = stages(whole)[stage]
    data = jax.tree.map(jnp.asarray, algorithm.prepare(dataset))
    state = start(algorithm, data)
    random = np.random.default_rng(1)

    def moved(tree: TREE) -> TREE:
        return jax.tree.map(
            lambda leaf: leaf + jnp.asarray(0.2 * random.normal(size=leaf.shape), leaf.dtype), tree
        )

    if isinstance(state.policy, Learner):
        state = state._replace(policy=state.policy._replace(params=moved(state.policy.params)))
    else:
        state = state._replace(policy=moved(state.policy))
    if hasattr(state, "targets"):
        state = state._replace(targets=moved(state.targets))
    elif hasattr(state, "critics"):
        state = state._replace(critics=state.critics._replace(targets=moved(state.critics.targets)))
    return algorithm, state, algorithm.sample(state, data, KEY), data


def start(algorithm: Algorithm, data: Data) -> Any:
    before = algorithm.warm_start()
    warm = None if before is None else start(before, data)
    return first_state(algorithm, jax.random.key(0), data, warm)


def gradient(learner: Learner[Any]) -> TREE:
    assert int(learner.optimizer.count) == 1
    return jax.tree.map(lambda mean: 10 * np.asarray(mean), learner.optimizer.mean)


def assert_close(tree: TREE, expected: TREE) -> None:
    """Compare where the expected gradient is known."""
    largest = max(np.nanmax(np.abs(leaf)) for leaf in jax.tree.leaves(expected))
    assert largest > 1e-6

    def compare(a: Array, b: Array) -> None:
        known = ~np.isnan(b)
        np.testing.assert_allclose(a[known], b[known], rtol=1e-3, atol=3e-5 * largest)

    jax.tree.map(compare, tree, expected)


def numpy_batch(batch: Batch) -> Any:
    return Batch(*ref.double(tuple(batch)))


def next_actions(policy: TREE, s: Array, noise: Array, c: float) -> Array:
    mean, std = ref.mean_and_std(ref.double(policy), s)
    return np.asarray(c * np.tanh(mean + std * noise))


def test_cloning() -> None:
    algorithm, state, batch, _ = prepared("ATAC", {"action_scale": 1.2}, stage=0)
    after, metrics = algorithm.update(state, batch, KEY)
    b = numpy_batch(batch)

    def loss(policy: TREE) -> float:
        mean, std = ref.mean_and_std(policy, b.observations)
        return -float(ref.squashed_log_density(b.actions, mean, std, 1.2).mean())

    np.testing.assert_allclose(
        metrics["cloning_loss"], loss(ref.double(state.policy.params)), rtol=1e-4
    )
    assert_close(gradient(after.policy), ref.central_differences(loss, state.policy.params))


def bellman(algorithm: Any, state: Any, b: Any, a_next: Array, head: TREE, pair: int = 0) -> float:
    """Return the Bellman loss of a head of a pair, with values clipped at 2/(1 − γ)·max |r|."""
    rewards = noise_dataset().rewards.astype(float)
    scale = float(state.critics.scale)
    horizon = 2 * scale / (1 - algorithm.discount)
    low, high = horizon * min(-1, rewards.min()), horizon * max(1, rewards.max())

    def backup(v: Array) -> Array:
        target = scale * b.rewards + algorithm.discount * b.goes_on * v
        return np.asarray(np.clip(target, low, high))

    twins = state.critics.targets[2 * pair : 2 * pair + 2]
    first, second = (ref.f(t, b.next_observations, a_next) for t in ref.double(twins))
    target_error = (ref.f(head, b.observations, b.actions) - backup(np.minimum(first, second))) ** 2
    itself = backup(ref.f(head, b.next_observations, a_next))
    residual_error = (ref.f(head, b.observations, b.actions) - itself) ** 2
    w = algorithm.residual_weight
    return float((1 - w) * target_error.mean() + w * residual_error.mean())


@pytest.mark.parametrize("pairs", [1, 2])
def test_evaluation(pairs: int) -> None:
    settings = {"residual_weight": 0.3, "pairs": pairs}
    algorithm, state, batch, _ = prepared("PSPI", settings, stage=1)
    after, metrics = algorithm.update(state, batch, KEY)
    b = numpy_batch(batch)
    a_next = next_actions(
        state.policy, b.next_observations, np.asarray(jax.random.normal(KEY, b.actions.shape)), 1.0
    )

    def loss(critics: TREE) -> float:
        return sum(
            bellman(algorithm, state, b, a_next, head, i // 2) for i, head in enumerate(critics)
        )

    assert 0 < b.goes_on.mean() < 1
    np.testing.assert_allclose(
        metrics["bellman_loss"], loss(ref.double(state.critics.learner.params)), rtol=1e-4
    )
    assert_close(
        gradient(after.critics.learner), ref.central_differences(loss, state.critics.learner.params)
    )


def test_a_residual_error_that_counts_nothing_is_not_computed() -> None:
    without, state, batch, data = prepared("PSPI", {"residual_weight": 0.0, "pairs": 2})
    computed = replace(without, residual_weight=jnp.zeros(()))
    assert len({jax.tree.structure(each) for each in (without, computed)}) == 2
    assert matrix_flop(without, state, data) < 0.85 * matrix_flop(computed, state, data)
    after, _ = without.update(state, batch, KEY)
    expected, _ = computed.update(state, batch, KEY)
    for ours, theirs in zip(jax.tree.leaves(after), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["ATAC", "PSPI", "NoPessimism"])
@pytest.mark.parametrize(("beta", "scaled"), [(0.1, False), (100.0, False), (10.0, True)], ids=str)
def test_actor_critic(name: str, beta: float, scaled: bool) -> None:
    settings = {"beta": beta, "scale_values": scaled, "action_scale": 1.2}
    algorithm, state, batch, _ = prepared(name, settings)
    after, metrics = algorithm.update(state, batch, KEY)
    b = numpy_batch(batch)
    scale = float(state.critics.scale)
    assert scale == (pytest.approx(0.01 / np.abs(noise_dataset().rewards).max()) if scaled else 1)
    noise, next_noise = np.asarray(jax.random.normal(KEY, (2, *b.actions.shape)), float)
    a_pi = next_actions(state.policy.params, b.observations, noise, 1.2)
    a_next = next_actions(state.policy.params, b.next_observations, next_noise, 1.2)

    def critic_loss(critics: TREE) -> float:
        total = 0.0
        for head in critics:
            pessimism = ref.f(head, b.observations, a_pi).mean()
            if name == "ATAC":
                pessimism -= ref.f(head, b.observations, b.actions).mean()
            error = bellman(algorithm, state, b, a_next, head)
            control = name == "NoPessimism"
            total += error if control else ref.combined(pessimism, error, beta / scale)
        return total

    np.testing.assert_allclose(
        metrics["critic_loss"], critic_loss(ref.double(state.critics.learner.params)), rtol=1e-4
    )
    assert_close(
        gradient(after.critics.learner),
        ref.central_differences(critic_loss, state.critics.learner.params),
    )

    new_head = ref.double(after.critics.learner.params[1])
    alpha = float(np.exp(after.temperature.params))

    def policy_loss(policy: TREE) -> float:
        mean, std = ref.mean_and_std(policy, b.observations)
        a = 1.2 * np.tanh(mean + std * noise)
        log_pi = ref.squashed_log_density(a, mean, std, 1.2).mean()
        return ref.combined(-ref.f(new_head, b.observations, a).mean(), log_pi, alpha)

    np.testing.assert_allclose(
        metrics["policy_loss"], policy_loss(ref.double(state.policy.params)), rtol=1e-3
    )
    assert_close(gradient(after.policy), ref.central_differences(policy_loss, state.policy.params))

    mean, std = ref.mean_and_std(ref.double(state.policy.params), b.observations)
    entropy = -ref.squashed_log_density(a_pi, mean, std, 1.2).mean()
    np.testing.assert_allclose(gradient(after.temperature), entropy + 2, rtol=1e-4)
    moved = after.temperature.params - np.log(scale)
    np.testing.assert_allclose(moved, -5e-4 * np.sign(entropy + 2), rtol=1e-2)
    jax.tree.map(
        lambda new, old, online: np.testing.assert_allclose(
            new, 0.995 * np.asarray(old) + 0.005 * np.asarray(online), rtol=1e-4, atol=1e-6
        ),
        after.critics.targets,
        state.critics.targets,
        after.critics.learner.params,
    )


@pytest.mark.parametrize("name", ["ATAC", "PSPI", "NoPessimism"])
def test_soft_policy(name: str) -> None:
    """It also pays λ·KL(π, π₁) for its distance from the clone, whose density is another normal."""
    algorithm, state, batch, _ = prepared(name, {"soft": True, "action_scale": 1.2, "beta": 3.0})
    start, moved = float(state.softest), np.random.default_rng(0)
    assert start > 0
    clone = jax.tree.map(
        lambda x: x + np.asarray(moved.normal(0, 0.1, x.shape), x.dtype), state.clone
    )
    state = state._replace(clone=clone, softest=jnp.array(7e-4))
    after, metrics = algorithm.update(state, batch, KEY)
    b = numpy_batch(batch)
    noise = np.asarray(jax.random.normal(KEY, (2, *b.actions.shape)), float)[0]
    new_head = ref.double(after.critics.learner.params[1])
    alpha = float(np.exp(after.temperature.params))
    mean_1, std_1 = ref.mean_and_std(ref.double(clone), b.observations)

    def distance(policy: TREE) -> float:
        mean, std = ref.mean_and_std(policy, b.observations)
        spread = (std**2 + (mean - mean_1) ** 2) / std_1**2
        return float(((spread - 1) / 2 - np.log(std / std_1)).sum(axis=1).mean())

    def policy_loss(policy: TREE) -> float:
        mean, std = ref.mean_and_std(policy, b.observations)
        a = 1.2 * np.tanh(mean + std * noise)
        gain = ref.f(new_head, b.observations, a).mean() - 0.7 * distance(policy)
        log_pi = ref.squashed_log_density(a, mean, std, 1.2).mean()
        return ref.combined(-gain, log_pi, alpha)

    policy = ref.double(state.policy.params)
    np.testing.assert_allclose(metrics["nearness"], 0.7, rtol=1e-5)
    np.testing.assert_allclose(metrics["distance"], distance(policy), rtol=1e-4)
    np.testing.assert_allclose(metrics["policy_loss"], policy_loss(policy), rtol=1e-3)
    assert_close(gradient(after.policy), ref.central_differences(policy_loss, state.policy.params))


@pytest.mark.parametrize("name", ["ATAC", "PSPI", "NoPessimism"])
def test_pairs_of_critics(name: str) -> None:
    """Every pair has its own target; the policy maximizes a lower bound of the gain of all.

    The control maximizes the mean.
    """
    settings = {"pairs": 2, "doubt": 0.7, "residual_weight": 0.0, "action_scale": 1.2, "beta": 3.0}
    algorithm, state, batch, _ = prepared(name, settings)
    heads = state.critics.learner.params
    weights = [np.asarray(head[0]["weight"]) for head in heads]
    assert len({w.tobytes() for w in weights}) == 4
    after, metrics = algorithm.update(state, batch, KEY)
    b = numpy_batch(batch)
    noise, next_noise = np.asarray(jax.random.normal(KEY, (2, *b.actions.shape)), float)
    a_pi = next_actions(state.policy.params, b.observations, noise, 1.2)
    a_next = next_actions(state.policy.params, b.next_observations, next_noise, 1.2)
    before = next_actions(state.clone, b.observations, noise, 1.2)

    def critic_loss(critics: TREE) -> float:
        total = 0.0
        for i, head in enumerate(critics):
            pessimism = ref.f(head, b.observations, a_pi).mean()
            if name == "ATAC":
                pessimism -= ref.f(head, b.observations, b.actions).mean()
            error = bellman(algorithm, state, b, a_next, head, pair=i // 2)
            total += error if name == "NoPessimism" else ref.combined(pessimism, error, 3.0)
        return total

    np.testing.assert_allclose(metrics["critic_loss"], critic_loss(ref.double(heads)), rtol=1e-4)
    assert_close(gradient(after.critics.learner), ref.central_differences(critic_loss, heads))

    new_heads = ref.double(after.critics.learner.params)
    alpha = float(np.exp(after.temperature.params))

    def policy_loss(policy: TREE) -> float:
        mean, std = ref.mean_and_std(policy, b.observations)
        a = 1.2 * np.tanh(mean + std * noise)
        gains = np.array(
            [ref.f(f, b.observations, a) - ref.f(f, b.observations, before) for f in new_heads]
        )
        doubt = 0 if name == "NoPessimism" else 0.7
        bound = gains.mean(axis=0) - doubt * gains.std(axis=0)
        log_pi = ref.squashed_log_density(a, mean, std, 1.2).mean()
        return ref.combined(-bound.mean(), log_pi, alpha)

    policy = ref.double(state.policy.params)
    np.testing.assert_allclose(metrics["policy_loss"], policy_loss(policy), rtol=1e-3)
    assert_close(gradient(after.policy), ref.central_differences(policy_loss, state.policy.params))


def gaussian_loss(policy: TREE, b: Any, weight: Array | float) -> float:
    std = np.exp(np.clip(policy["log_std"], -5, 2))
    density = ref.normal_density(b.actions, ref.mlp(policy["network"], b.observations), std)
    return -float((weight * np.log(density).sum(axis=-1)).mean())


def test_bc() -> None:
    algorithm, state, batch, _ = prepared("BC")
    after, metrics = algorithm.update(state, batch, KEY)
    b = numpy_batch(batch)

    def loss(policy: TREE) -> float:
        return gaussian_loss(policy, b, 1.0)

    np.testing.assert_allclose(
        metrics["policy_loss"], loss(ref.double(state.policy.params)), rtol=1e-4
    )
    assert_close(gradient(after.policy), ref.central_differences(loss, state.policy.params))


@pytest.mark.parametrize(("beta", "tau"), [(0.3, 0.7), (30.0, 0.9)], ids=str)
def test_iql(beta: float, tau: float) -> None:
    algorithm, state, batch, _ = prepared("IQL", {"beta": beta, "tau": tau})
    state.value.params[-1]["bias"] -= 0.3
    after, metrics = algorithm.update(state, batch, KEY)
    b = numpy_batch(batch)
    s, a, s_next = b.observations, b.actions, b.next_observations
    q = np.minimum(*(ref.f(t, s, a) for t in ref.double(state.targets)))

    def value_loss(v: TREE) -> float:
        u = q - ref.f(v, s)
        return float((np.abs(tau - (u < 0)) * u**2).mean())

    old_v = ref.double(state.value.params)
    y = b.rewards + 0.99 * b.goes_on * ref.f(old_v, s_next)

    def critic_loss(critics: TREE) -> float:
        return sum(float(((ref.f(head, s, a) - y) ** 2).mean()) for head in critics) / 2

    weight = np.minimum(np.exp(beta * (q - ref.f(old_v, s))), 100)
    assert (weight == 100).any() == (beta == 30)

    def policy_loss(policy: TREE) -> float:
        return gaussian_loss(policy, b, weight)

    losses = {"value": value_loss, "critic": critic_loss, "policy": policy_loss}
    for name, loss in losses.items():
        field = "critics" if name == "critic" else name
        part = getattr(state, field).params
        np.testing.assert_allclose(metrics[f"{name}_loss"], loss(ref.double(part)), rtol=1e-4)
        assert_close(gradient(getattr(after, field)), ref.central_differences(loss, part))


@pytest.mark.parametrize("name", ["CQL", "CQL3"])
def test_cql(name: str) -> None:
    algorithm, state, batch, _ = prepared(name, {"alpha": 2.0, "actions": 3})
    after, metrics = algorithm.update(state, batch, KEY)
    b = numpy_batch(batch)
    s, s_next, (rows, m) = b.observations, b.next_observations, b.actions.shape
    noise_key, uniform_key = jax.random.split(KEY)
    noise = np.asarray(jax.random.normal(noise_key, (2, 4, rows, m)), float)
    uniform = np.asarray(
        jax.random.uniform(uniform_key, (3, rows, m), minval=-1.0, maxval=1.0), float
    )

    def sampled(policy: TREE, at: Array, noise: Array) -> tuple[Array, Array]:
        if name == "CQL3":
            mean, std = ref.mean_and_std(policy, at)
        else:
            mean, output = np.split(ref.mlp(policy["network"], at), 2, axis=-1)
            std = np.exp(np.clip(policy["multiplier"] * output + policy["offset"], -20, 2))
        a = np.tanh(mean + std * noise)
        return a, ref.squashed_log_density(a, mean, std, 1.0).sum(axis=-1)

    policy = ref.double(state.policy.params)
    y = b.rewards + 0.99 * b.goes_on * np.minimum(
        *(
            ref.f(t, s_next, sampled(policy, s_next, noise[1, 3])[0])
            for t in ref.double(state.targets)
        )
    )

    def critic_loss(critics: TREE) -> float:
        total = 0.0
        for head in critics:
            density_weighted = np.zeros(rows)
            for k in range(3):
                density_weighted += np.exp(ref.f(head, s, uniform[k])) / 0.5**m
                for at, draws in ((s, noise[0, k]), (s_next, noise[1, k])):
                    a, log_pi = sampled(policy, at, draws)
                    density_weighted += np.exp(ref.f(head, s, a) - log_pi)
            q = ref.f(head, s, b.actions)
            total += ((q - y) ** 2).mean() + 2.0 * (np.log(density_weighted) - q).mean()
        return total

    critics = ref.double(state.critics.params)

    def policy_loss(policy: TREE) -> float:
        a, log_pi = sampled(policy, s, noise[0, 3])
        return float((log_pi - np.minimum(*(ref.f(head, s, a) for head in critics))).mean())

    np.testing.assert_allclose(metrics["critic_loss"], critic_loss(critics), rtol=1e-4)
    np.testing.assert_allclose(metrics["policy_loss"], policy_loss(policy), rtol=1e-3)
    assert_close(
        gradient(after.critics), ref.central_differences(critic_loss, state.critics.params)
    )
    assert_close(gradient(after.policy), ref.central_differences(policy_loss, state.policy.params))
    entropy = -sampled(policy, s, noise[0, 3])[1].mean()
    np.testing.assert_allclose(gradient(after.temperature), entropy + m, rtol=1e-4)


def test_decision_transformer() -> None:
    settings = {
        "layers": 1,
        "units": 4,
        "context": 3,
        "horizon": 5,
        "dropout": 0.0,
        "gradient_norm": 1e9,
    }
    algorithm, state, batch, _ = prepared("DT", settings)
    after, metrics = algorithm.update(state, batch, KEY)
    assert not batch.real.all()
    window = jax.tree.map(np.asarray, batch)
    actions = np.concatenate([window.actions[i, window.real[i]] for i in range(12)])

    def loss(policy: TREE) -> float:
        predicted = np.concatenate(ref.decision_transformer(policy, window))
        return float(((predicted - actions) ** 2).mean())

    np.testing.assert_allclose(
        metrics["action_error"], loss(ref.double(state.policy.params)), rtol=1e-4
    )
    assert_close(gradient(after.policy), ref.central_differences(loss, state.policy.params))


@pytest.mark.parametrize("name", ["CQL", "CQL3"])
def test_cql_with_a_few_states_at_a_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cql, "STATES_AT_ONCE", 4)
    test_cql(name)


def test_decision_transformer_with_a_few_windows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dt, "WINDOWS_AT_ONCE", 4)
    test_decision_transformer()


@pytest.mark.parametrize("name", ["ATAC", "PSPI"])
def test_where_the_weight_of_the_entropy_starts(name: str) -> None:
    for settings, alpha in (({}, 1.0), ({"entropy_weight": 0.01}, 0.01)):
        _, state, _, _ = prepared(name, settings)
        np.testing.assert_allclose(np.exp(state.temperature.params), alpha, rtol=1e-5)
