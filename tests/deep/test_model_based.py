"""The learned model, rollouts in it, and the pessimism of MOPO, MOReL and COMBO, against numpy."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.data import Array, Box, Dataset
from instinct.deep import Run, StageProgress, configure, train
from instinct.deep.algorithms.algorithm import Batch
from instinct.deep.algorithms.model_based.dynamics import (
    Dynamics,
    Networks,
    best_members,
    held_out_rows,
    predict,
    prepare_for_model,
)
from instinct.deep.algorithms.model_based.rollouts import (
    Model,
    Rollouts,
    advance,
    draw,
    imagine,
    unhealthy,
)
from instinct.deep.algorithms.standardize import Scaling
from instinct.deep.training.loop import advance as train_steps
from instinct.deep.training.loop import first_state
from instinct.deep.training.run_training import stages
from instinct.errors import BadInput
from tests.deep import reference as ref
from tests.deep.problems import noise_dataset
from tests.deep.test_losses import KEY, TREE, assert_close, gradient, prepared, start

MODEL = {"model_layers": 1, "model_units": 6, "model_batch": 8, "members": 3, "elites": 2}
FEW = {"layers": 1, "units": 8, "batch_size": 16, "rollouts": 4, "buffer": 12} | MODEL
SHORT = FEW | {"steps": 12, "model_steps": 11, "reward_steps": 10}


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=1e-5)


def silu(x: Array) -> Array:
    return np.asarray(x / (1 + np.exp(-x)))


def softplus(x: Array) -> Array:
    return np.logaddexp(0, x)


def members(networks: Networks, x: Array) -> tuple[Array, Array, Array]:
    """Return means, log-variances and logits of all members; x is [members, rows, inputs]."""
    least, most = np.asarray(networks.least, float), np.asarray(networks.most, float)
    *hidden, last = networks.layers
    for layer in hidden:
        x = silu(np.einsum("ebi,eio->ebo", x, layer["weight"]) + layer["bias"][:, None])
    x = np.einsum("ebi,eio->ebo", x, last["weight"]) + last["bias"][:, None]
    n = len(least)
    raw = most - softplus(most - x[..., n:-1])
    return x[..., :n], least + softplus(raw - least), x[..., -1]


def test_the_loss_of_the_dynamics() -> None:
    """Means learn by the squared error, variances by their likelihood, ends by cross entropy."""
    algorithm, data, state = dynamics()
    batch = algorithm.sample(state, data, KEY)
    after, metrics = algorithm.update(state, batch, KEY)
    b = ref.double(batch)
    assert b.inputs.shape == (3, 20, 5)
    fixed_mean, fixed_log, _ = members(ref.double(state.params), b.inputs)
    fixed = (fixed_mean - b.changes) ** 2, np.exp(fixed_log)

    def loss(networks: Networks) -> float:
        mean, log_variance, logit = members(networks, b.inputs)
        squares, variances = fixed
        likelihood = variances * (squares * np.exp(-log_variance) + log_variance)
        errors = ((mean - b.changes) ** 2 + likelihood).sum(axis=-1)
        crosses = softplus(logit) - b.ends * logit
        apart = (networks.most - networks.least).sum()
        return float((errors + crosses).mean(axis=1).sum() + 0.01 * apart)

    assert 0 < b.ends.mean() < 1
    close(metrics["model_loss"], loss(ref.double(state.params)))
    close(metrics["change_error"], fixed[0].mean())
    assert_close(gradient(after), ref.central_differences(loss, state.params))


def dynamics() -> tuple[Dynamics, Any, Any]:
    algorithm = Dynamics(layers=2, units=6, members=3, batch_size=20)
    data = jax.tree.map(jnp.asarray, algorithm.prepare(noise_dataset()))
    state = first_state(algorithm, KEY, data, None)
    params = state.params._replace(least=jnp.array([-3.0, -2, -1]), most=jnp.array([0.0, 0.5, 1]))
    return algorithm, data, state._replace(params=params)


def test_held_out_rows_teach_nothing_and_choose_the_members() -> None:
    algorithm, data, state = dynamics()
    assert held_out_rows(data) == 6
    held_out = np.asarray(data.rows["order"])[:6]
    changed = {**data.rows}
    for name in ("observations", "next_observations"):
        changed[name] = changed[name].at[held_out].set(1e6)
    for step in range(20):
        batch = algorithm.sample(state, data._replace(rows=changed), jax.random.fold_in(KEY, step))
        assert float(jnp.abs(batch.inputs).max()) < 100

    names = ("observations", "actions", "next_observations")
    rows = ref.double({name: np.asarray(data.rows[name])[held_out] for name in names})
    x = np.concatenate([rows["observations"], rows["actions"]], axis=1)
    means, _, _ = members(ref.double(state.params), np.stack([x] * 3))
    change = rows["next_observations"] - rows["observations"]
    change = (change - np.asarray(data.rows["change_mean"])) / np.asarray(data.rows["change_std"])
    order = ((means - change) ** 2).mean(axis=(1, 2)).argsort()
    best = best_members(state.params, data, 2)
    for found, old in zip(
        jax.tree.leaves(best.layers), jax.tree.leaves(state.params.layers), strict=True
    ):
        np.testing.assert_array_equal(found, old[order[:2]])


def known_world(reward: float = 2.0, logit: float = 0.0) -> Model:
    """Two members that predict changes of (1, 0) and (3, 0), almost without noise."""
    weight = jnp.zeros((2, 3, 5))
    bias = jnp.array([[1.0, 0, 0, 0, logit], [3.0, 0, 0, 0, logit]])
    networks = Networks(({"weight": weight, "bias": bias},), jnp.full(2, -30.0), jnp.full(2, -20.0))
    return Model(
        networks,
        rewards=({"weight": jnp.zeros((3, 1)), "bias": jnp.array([reward])},),
        least_reward=jnp.array(-1.0),
        most_reward=jnp.array(5.0),
        change_mean=jnp.array([0.5, 0.0]),
        change_std=jnp.array([2.0, 1.0]),
        low=jnp.array([-10.0, -10]),
        high=jnp.array([8.0, 10]),
        scaling=Scaling(jnp.array([1.0, 0]), jnp.array([2.0, 0.1])),
    )


def test_a_step_of_the_model() -> None:
    """A random member predicts; the change is in the data's units, and states stay in range."""
    s, a = jnp.zeros((400, 2)).at[:, 0].set(2.0), jnp.zeros((400, 1))
    found = imagine(known_world(), s, a, "withheld", KEY)
    first = np.asarray(found.batch.next_observations[:, 0])
    np.testing.assert_allclose(np.unique(first.round(3)), [2 + 2 * 1 + 0.5, 8.0], atol=1e-3)
    assert 140 < (first > 5).sum() < 260
    np.testing.assert_allclose(found.batch.next_observations[:, 1], 0, atol=1e-3)
    close(found.batch.rewards, 2)
    close(imagine(known_world(reward=9), s, a, "withheld", KEY).batch.rewards, 5)
    close(found.prediction.means[:, 0, 0], [1, 3])


def test_ends_are_learned_or_withheld_or_given() -> None:
    s, a = jnp.zeros((2000, 2)), jnp.zeros((2000, 1))
    world = known_world(logit=np.log(0.25 / 0.75))
    learned = 1 - imagine(world, s, a, "learned", KEY).batch.goes_on
    assert 0.2 < float(learned.mean()) < 0.3
    assert float(imagine(world, s, a, "withheld", KEY).batch.goes_on.min()) == 1
    # The given rule sees heights of 1 + 2·(2.5 or 6.5), above the 2 at which a walker ends.
    assert float(imagine(world, s, a, "walker2d", KEY).batch.goes_on.max()) == 0
    assert float(imagine(world, s, a, "hopper", KEY).batch.goes_on.min()) == 1


def test_the_given_rule_sees_falls_that_no_recorded_state_shows() -> None:
    """Recorded heights go up to 1 + 2·0.4, so that states stay there, but the walker has ended."""
    world = known_world()._replace(high=jnp.array([0.4, 10]))
    found = imagine(world, jnp.zeros((20, 2)), jnp.zeros((20, 1)), "walker2d", KEY).batch
    close(found.next_observations[:, 0], 0.4)
    assert float(found.goes_on.max()) == 0


@pytest.mark.parametrize(
    ("task", "torso", "ends"),
    [
        ("hopper", (1.2, 0.1), False),
        ("hopper", (0.69, 0.0), True),
        ("hopper", (1.2, -0.21), True),
        ("walker2d", (1.2, 0.9), False),
        ("walker2d", (2.01, 0.0), True),
        ("walker2d", (0.79, 0.0), True),
        ("walker2d", (1.2, -1.01), True),
    ],
)
def test_the_rules_of_ends(task: str, torso: tuple[float, float], ends: bool) -> None:
    observation = np.array([[*torso, 50.0, -50.0]], np.float32)
    assert bool(unhealthy(jnp.asarray(observation), task)[0]) == ends


def test_a_rule_for_other_observations_is_refused() -> None:
    with pytest.raises(BadInput, match="a task with 11 observations, and the data have 3"):
        configure("MOPO", {"ends": "hopper"}).prepare(noise_dataset())


def test_the_given_rules_are_those_of_the_tasks() -> None:
    for task, name in (("hopper", "Hopper-v5"), ("walker2d", "Walker2d-v5")):
        environment: Any = gymnasium.make(name).unwrapped
        environment.reset(seed=0)
        random = np.random.default_rng(0)
        seen = []
        for _ in range(300):
            qpos = environment.init_qpos.copy()
            qpos[1], qpos[2] = random.uniform(0.5, 2.3), random.uniform(-1.2, 1.2)
            environment.set_state(qpos, environment.init_qvel)
            observation = environment._get_obs()
            seen.append(not environment.is_healthy)
            found = unhealthy(jnp.asarray(observation[None], jnp.float32), task)
            assert bool(found[0]) == seen[-1], (task, qpos[:3])
        assert 0 < sum(seen) < 300
        environment.close()


def test_rollouts_and_their_buffer() -> None:
    """Rollouts restart at recorded states; the oldest transitions are overwritten."""
    data = prepare_for_model(noise_dataset())
    recorded = {tuple(row) for row in np.asarray(data.rows["observations"]).tolist()}
    empty = Batch(*(jnp.zeros((6, *shape)) for shape in ((3,), (2,), (), (3,), ())))
    states = jnp.asarray(data.rows["observations"][:2])
    rollouts = Rollouts(states, jnp.zeros(2, int), empty, jnp.zeros((), int))

    def step(s: jax.Array, key: jax.Array) -> Batch:
        del key
        ends = jnp.array([1.0, 0.0])
        return Batch(s, jnp.zeros((2, 2)), s[:, 0], s + 1000, ends)

    ages = []
    for number in range(5):
        before = rollouts.states
        rollouts = advance(rollouts, data, step, 3, jax.random.fold_in(KEY, number))
        place = 2 * number % 6
        np.testing.assert_array_equal(rollouts.buffer.observations[place : place + 2], before)
        ages.append(rollouts.age.tolist())
        assert tuple(rollouts.states[1].tolist()) in recorded, "it ended, so it starts again"
        goes_on = ages[-1][0] > 0
        assert (float(rollouts.states[0, 0]) > 500) == goes_on
        drawn = draw(rollouts, 50, KEY)
        assert float(jnp.abs(drawn.next_observations).min()) > 500, "only what was written"
    assert [age for age, _ in ages] == [1, 2, 0, 1, 2]
    assert [age for _, age in ages] == [0] * 5
    assert int(rollouts.written) == 10


def step_of(name: str, settings: dict[str, Any]) -> tuple[Any, Any, Batch, Any]:
    """Return an algorithm, its state, imagined transitions, and what the members predict."""
    algorithm, state, _, data = prepared(name, FEW | settings)
    s = jnp.asarray(data.rows["observations"][:30])
    a = jnp.asarray(np.random.default_rng(3).uniform(-1, 1, (30, 2)), jnp.float32)
    found = imagine(state.model, s, a, "withheld", KEY)
    return algorithm, state, algorithm.imagined(state, found), (found, predict_all(state, s, a))


def predict_all(state: Any, s: Any, a: Any) -> tuple[Array, Array, Array]:
    networks = ref.double(state.model.networks)
    count = len(networks.layers[0]["bias"])
    return members(networks, np.stack([np.concatenate([s, a], axis=1).astype(float)] * count))


def test_mopo_lowers_rewards_by_the_largest_deviation() -> None:
    _, state, batch, (found, (_, log_variance, _)) = step_of("MOPO", {"penalty": 3.0})
    model = ref.double(state.model)
    deviations = np.exp(log_variance / 2) * model.change_std * model.scaling.std
    u = np.linalg.norm(deviations, axis=-1).max(axis=0)
    close(batch.rewards, np.asarray(found.batch.rewards) - 3 * u)
    np.testing.assert_array_equal(batch.goes_on, found.batch.goes_on)
    assert u.min() > 0


def test_morel_halts_where_the_members_disagree() -> None:
    settings = {"tolerance": 0.5, "kappa": 2.0}
    _, state, batch, (found, (means, _, _)) = step_of("MOReL", settings)
    apart = np.linalg.norm(means[:, None] - means[None], axis=-1).max(axis=(0, 1))
    data = prepare_for_model(noise_dataset())
    at_data, _, _ = predict_all(state, data.rows["observations"], data.rows["actions"])
    at_data = np.linalg.norm(at_data[:, None] - at_data[None], axis=-1).max(axis=(0, 1))
    close(state.limit, 0.5 * at_data.max())
    unknown = apart > 0.5 * at_data.max()
    assert 0 < unknown.sum() < 30
    size = max(1, np.abs(noise_dataset().rewards).max())
    close(batch.rewards, np.asarray(found.batch.rewards) - unknown * 0.99 * 2 * size * 100)
    np.testing.assert_array_equal(batch.goes_on, ~unknown)


@pytest.mark.parametrize("name", ["MOPO", "COMBO"])
def test_the_soft_actor_critic(name: str) -> None:
    """Losses and gradients of critics and policy; COMBO's critics have their own term."""
    extra = {"beta": 0.7} if name == "COMBO" else {}
    algorithm, state, drawn, _ = prepared(name, FEW | {"real_share": 0.5} | extra)
    batch = algorithm.mix(state, drawn, KEY)
    state = state._replace(temperature=state.temperature._replace(params=jnp.array(-0.5)))
    after, metrics = algorithm.learn(state, batch, KEY)
    b, real = ref.double(batch.transitions), np.asarray(batch.real)
    assert 0 < real.sum() < len(real)
    s, a, s_next = b.observations, b.actions, b.next_observations
    noise, next_noise = np.asarray(jax.random.normal(KEY, (2, *a.shape)), float)
    alpha = np.exp(-0.5)

    def act(policy: TREE, s: Array, noise: Array) -> tuple[Array, Array]:
        mean, std = ref.mean_and_std(policy, s)
        actions = np.tanh(mean + std * noise)
        return actions, ref.squashed_log_density(actions, mean, std, 1.0).sum(axis=-1)

    policy = ref.double(state.policy.params)
    actions, _ = act(policy, s, noise)
    a_next, log_next = act(policy, s_next, next_noise)
    f_next = np.minimum(*(ref.f(t, s_next, a_next) for t in ref.double(state.targets)))
    y = b.rewards + 0.99 * b.goes_on * (f_next - alpha * log_next)

    def critic_loss(critics: TREE) -> float:
        total = 0.0
        for head in critics:
            q = ref.f(head, s, a)
            total += float(((q - y) ** 2).mean())
            if name == "COMBO":
                pushed = ref.f(head, s, actions)[~real].mean() - q[real].mean()
                total += 2 * 0.7 * float(pushed)
        return total

    def policy_loss(policy: TREE) -> float:
        actions, log_pi = act(policy, s, noise)
        q = np.minimum(*(ref.f(head, s, actions) for head in ref.double(state.critics.params)))
        return float((alpha * log_pi - q).mean())

    close(metrics["critic_loss"], critic_loss(ref.double(state.critics.params)))
    close(metrics["policy_loss"], policy_loss(policy))
    assert_close(
        gradient(after.critics), ref.central_differences(critic_loss, state.critics.params)
    )
    assert_close(gradient(after.policy), ref.central_differences(policy_loss, state.policy.params))
    _, log_pi = act(policy, s, noise)
    close(gradient(after.temperature), -log_pi.mean() + 2)


def test_batches_have_their_share_of_recorded_rows() -> None:
    algorithm, state, _, data = prepared("MOPO", FEW | {"batch_size": 60})
    state = state._replace(
        rollouts=state.rollouts._replace(
            buffer=jax.tree.map(lambda each: each * 0 + 777, state.rollouts.buffer)
        )
    )
    for share in (0.0, 0.3, 1.0):
        algorithm = replace(algorithm, real_share=share)
        shares = []
        for number in range(20):
            drawn = algorithm.sample(state, data, jax.random.fold_in(KEY, number))
            batch = algorithm.mix(state, drawn, KEY)
            real = np.asarray(batch.real)
            imagined = np.asarray(batch.transitions.rewards) == 777
            np.testing.assert_array_equal(real, ~imagined)
            shares.append(real.mean())
        assert abs(np.mean(shares) - share) < 0.06


def test_labels_and_algorithms_share_the_dynamics(tmp_path: Path) -> None:
    """Three trainings with two labels need one model; only the rewards are learned again."""
    dataset = noise_dataset()
    zero = replace(dataset, rewards=np.zeros(len(dataset), np.float32))
    trained: list[str] = []

    def note(progress: StageProgress) -> None:
        if progress.step == progress.steps:
            trained.append(progress.stage)

    for name, labeled in (("MOPO", dataset), ("MOPO", zero), ("COMBO", zero)):
        run = Run(labeled, configure(name, SHORT))
        assert not train(run, warm_starts=tmp_path, on_progress=note).failure
    assert trained == ["Dynamics", "Rewards", "MOPO", "Rewards", "MOPO", "COMBO"]


def walk(random: np.random.Generator, rows: int = 3000) -> Dataset:
    """s′ = s + a/2 with an end beyond 1; the episodes have ten steps at most."""
    s = random.uniform(-1, 1, (rows, 1)).astype(np.float32)
    a = random.uniform(-1, 1, (rows, 1)).astype(np.float32)
    s_next = s + a / 2
    terminals = np.abs(s_next[:, 0]) > 1
    return Dataset(
        observations=s,
        actions=a,
        rewards=np.zeros(rows, np.float32),
        next_observations=s_next,
        terminals=terminals,
        timeouts=~terminals,
        action_space=Box.of(1),
    )


def test_the_model_learns_a_known_world() -> None:
    settings = {"steps": 3000, "layers": 2, "units": 32, "members": 2, "batch_size": 64}
    algorithm = Dynamics(**settings, rate=3e-3)
    dataset = walk(np.random.default_rng(0))
    data = jax.tree.map(jnp.asarray, algorithm.prepare(dataset))
    state = first_state(jax.tree.map(jnp.asarray, algorithm), KEY, data, None)
    state, _, bad = train_steps(
        jax.tree.map(jnp.asarray, algorithm), state, data, KEY, 0, settings["steps"]
    )
    assert int(bad) == -1
    s, a = np.array([[0.0], [0.2], [-0.9]]), np.array([[0.4], [-0.6], [-0.8]])
    mean, std = np.asarray(data.rows["mean"]), np.asarray(data.rows["std"])
    found = predict(state.params, jnp.asarray((s - mean) / std), jnp.asarray(a))
    change = found.means * data.rows["change_std"] + data.rows["change_mean"]
    np.testing.assert_allclose(np.asarray(change).mean(axis=0) * std, a / 2, atol=0.02)
    ends = np.asarray(jax.nn.sigmoid(found.ends)).mean(axis=0)
    assert (ends[:2] < 0.1).all()
    assert ends[2] > 0.9


def test_words_of_a_setting() -> None:
    assert configure("MOPO", {"ends": "withheld"}).ends == "withheld"  # type: ignore[attr-defined]
    for wrong in ("sideways", 3.0, True):
        with pytest.raises(BadInput, match="learned, withheld, hopper or walker2d"):
            configure("MOPO", {"ends": wrong})


def test_the_policy_can_start_from_the_clone() -> None:
    """Its rate rises, so that it hardly moves at first; MOReL starts like this by default."""
    assert configure("MOReL").start_from_clone  # type: ignore[attr-defined]
    assert not configure("MOPO").start_from_clone  # type: ignore[attr-defined]
    algorithm = configure("MOPO", FEW | {"start_from_clone": True, "rise": 0.5, "steps": 1000})
    *_, rewards, agent = stages(algorithm)
    data = jax.tree.map(jnp.asarray, agent.prepare(noise_dataset()))
    warm = start(rewards, data)
    state = first_state(agent, KEY, data, warm)
    jax.tree.map(np.testing.assert_array_equal, state.policy.params, warm.clone.params)
    after, _ = agent.update(state, agent.sample(state, data, KEY), KEY)
    moved = [
        float(jnp.abs(new - old).max())
        for new, old in zip(
            jax.tree.leaves(after.policy.params), jax.tree.leaves(warm.clone.params), strict=True
        )
    ]
    assert 0 < max(moved) < 1.1 * 1e-4 / 500
