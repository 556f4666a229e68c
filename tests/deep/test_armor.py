"""ARMOR: the losses of critics, model and policy against numpy, and what its stages share."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.data import Array
from instinct.deep import Run, configure
from instinct.deep.training.run_training import stages
from tests.deep import reference as ref
from tests.deep.problems import noise_dataset
from tests.deep.test_losses import KEY, TREE, assert_close, bellman, next_actions, start
from tests.deep.test_model_based import SHORT, close, members, softplus

FEW = {name: value for name, value in SHORT.items() if name != "elites"}


def armor(**settings: Any) -> tuple[Any, Any, Any]:
    """Return the algorithm, a state away from its symmetric start, and a batch."""
    algorithm: Any = configure("ARMOR", FEW | settings)
    data = jax.tree.map(jnp.asarray, algorithm.prepare(noise_dataset()))
    state = start(algorithm, data)
    random = np.random.default_rng(1)

    def moved(tree: TREE) -> TREE:
        return jax.tree.map(
            lambda leaf: leaf + jnp.asarray(0.2 * random.normal(size=leaf.shape), leaf.dtype), tree
        )

    game = state.game
    game = game._replace(
        policy=game.policy._replace(params=moved(game.policy.params)),
        critics=game.critics._replace(targets=moved(game.critics.targets)),
    )
    state = state._replace(game=game, reference=moved(state.reference))
    return algorithm, state, algorithm.sample(state, data, KEY)


@pytest.mark.parametrize(
    ("beta", "scaled", "weight"), [(0.1, False, 1e-5), (10.0, True, 0.3)], ids=str
)
def test_the_game(beta: float, scaled: bool, weight: float) -> None:
    """Critics and model minimize one loss; the policy learns as ATAC's does."""
    settings = {"beta": beta, "scale_values": scaled, "model_weight": weight, "ends": "withheld"}
    algorithm, state, batch = armor(**settings, action_scale=1.2)
    mixed = algorithm.mix(state, batch, KEY)
    pairs, chosen = mixed.transitions, np.asarray(mixed.real)
    assert 0 < chosen.sum() < len(chosen)
    after, metrics = algorithm.learn(state, mixed, KEY)
    model, scale = ref.double(state.model), float(state.game.critics.scale)
    s, a = ref.double(pairs.observations), ref.double(pairs.actions)
    real = ref.double(jax.tree.map(lambda each: each[chosen], pairs))
    noise_key, model_key = jax.random.split(KEY)
    noise, next_noise, reference_noise = np.asarray(
        jax.random.normal(noise_key, (3, *a.shape)), float
    )
    model_noise = np.asarray(jax.random.normal(jax.random.split(model_key, 3)[1], s.shape), float)
    policy = state.game.policy.params
    a_pi = next_actions(policy, s, noise, 1.2)
    a_reference = next_actions(state.reference, s, reference_noise, 1.2)

    change = real.next_observations - real.observations
    change = (change - model.change_mean) / model.change_std
    inputs = np.concatenate([real.observations, real.actions], axis=1)[None]
    fixed_mean, fixed_log, _ = members(model.networks, inputs)
    fixed = (fixed_mean[0] - change) ** 2, np.exp(fixed_log[0])
    recorded = noise_dataset().rewards
    lowest, highest = min(-1.0, float(recorded.min())), max(1.0, float(recorded.max()))
    v_max = 2 / 0.01 * highest * scale

    def reward(network: TREE, s: Array, a: Array) -> Array:
        return np.clip(ref.f(network, s, a), lowest, highest)

    def misfit(networks: TREE, rewards: TREE) -> float:
        mean, log_variance, logit = (each[0] for each in members(networks, inputs))
        squares, variances = fixed
        likelihood = variances * (squares * np.exp(-log_variance) + log_variance)
        errors = ((mean - change) ** 2 + likelihood).sum(axis=-1)
        crosses = softplus(logit) - (1 - real.goes_on) * logit
        apart = (networks.most - networks.least).sum()
        of_rewards = (reward(rewards, real.observations, real.actions) - real.rewards) ** 2
        of_changes = (errors + crosses).mean() + 0.01 * apart
        return float(v_max**2 * of_changes + scale**2 * of_rewards.mean())

    def loss(adversary: TREE) -> float:
        critics, networks, rewards = adversary
        x = np.concatenate([s, a], axis=1)[None]
        mean, log_variance, _ = (each[0] for each in members(networks, x))
        moved = mean + np.exp(log_variance / 2) * model_noise
        s_next = np.clip(s + moved * model.change_std + model.change_mean, model.low, model.high)
        found = ref.double(pairs)._replace(
            rewards=reward(rewards, s, a), next_observations=s_next, goes_on=np.ones(len(s))
        )
        a_next = next_actions(policy, s_next, next_noise, 1.2)
        total = 0.0
        for head in critics:
            pessimism = (ref.f(head, s, a_pi) - ref.f(head, s, a_reference)).mean()
            error = bellman(algorithm, state.game, found, a_next, head)
            held = error + weight * misfit(networks, rewards)
            total += ref.combined(pessimism, held, beta / scale)
        return total

    adversary = (state.game.critics.learner.params, state.model.networks, state.model.rewards)
    close(metrics["critic_loss"], loss(ref.double(adversary)))
    expected = ref.central_differences(loss, adversary)
    optimizers = (after.game.critics.learner.optimizer, after.optimizer)
    of_critics, of_model = (
        jax.tree.map(lambda mean: 10 * np.asarray(mean), each.mean) for each in optimizers
    )
    assert_close(of_critics, expected[0])
    assert_close(of_model[0], expected[1])
    assert_close(of_model[1], expected[2])

    new_head = ref.double(after.game.critics.learner.params[1])
    alpha = float(np.exp(after.game.temperature.params))

    def policy_loss(policy: TREE) -> float:
        mean, std = ref.mean_and_std(policy, s)
        actions = 1.2 * np.tanh(mean + std * noise)
        log_pi = ref.squashed_log_density(actions, mean, std, 1.2).mean()
        return ref.combined(-ref.f(new_head, s, actions).mean(), log_pi, alpha)

    np.testing.assert_allclose(metrics["policy_loss"], policy_loss(ref.double(policy)), rtol=1e-3)


def test_the_data_hold_the_model() -> None:
    """With a small weight of the data the model gives in to the critics, and fits them worse."""
    errors = []
    for weight in (1e-6, 1.0):
        algorithm, state, batch = armor(model_weight=weight, scale_values=True, fast_rate=3e-3)
        step = jax.jit(algorithm.update)
        for number in range(300):
            state, metrics = step(state, batch, jax.random.fold_in(KEY, number))
        errors.append((float(metrics["change_error"]), float(metrics["reward_error"])))
    assert errors[0][0] > 2 * errors[1][0]
    assert errors[0][1] > 1.05 * errors[1][1]


def test_rewards_may_be_as_bad_as_the_bounds_assume() -> None:
    """Under zero rewards the model may predict −1 to 1, so that there is something to fear."""
    algorithm = configure("ARMOR", FEW)
    zero = replace(noise_dataset(), rewards=np.zeros(len(noise_dataset()), np.float32))
    data = jax.tree.map(jnp.asarray, algorithm.prepare(zero))
    model = start(algorithm, data).model
    assert (float(model.least_reward), float(model.most_reward)) == (-1.0, 1.0)


def test_one_model_for_all_labels_and_algorithms() -> None:
    dataset = noise_dataset()
    zero = replace(dataset, rewards=np.zeros(len(dataset), np.float32))
    fitted = FEW | {"fit_returns": True, "tuned_beta": True}
    found: dict[str, set[str]] = {}
    for name, labeled, settings in (
        ("MOPO", dataset, SHORT),
        ("ARMOR", dataset, FEW),
        ("ARMOR", zero, fitted),
    ):
        run = Run(labeled, configure(name, settings))
        for stage in stages(run.algorithm):
            found.setdefault(stage.NAME, set()).add(run.identity(stage))
    assert {name: len(identities) for name, identities in found.items()} == {
        "Dynamics": 1,
        "Rewards": 3,
        "MOPO": 1,
        "EvaluationBesideModel": 1,
        "ReturnsBesideModel": 1,
        "ARMOR": 2,
    }


def test_it_starts_from_the_clone_and_the_best_member() -> None:
    algorithm = configure("ARMOR", FEW)
    *_, fit, agent = stages(algorithm)
    data = jax.tree.map(jnp.asarray, agent.prepare(noise_dataset()))
    warm = start(fit, data)
    state = start(agent, data)
    jax.tree.map(np.testing.assert_array_equal, state.game.policy.params, warm.policy)
    jax.tree.map(np.testing.assert_array_equal, state.reference, warm.policy)
    assert {len(leaf) for leaf in jax.tree.leaves(state.model.networks.layers)} == {1}
    assert {len(leaf) for leaf in jax.tree.leaves(warm.dynamics.layers)} == {3}
