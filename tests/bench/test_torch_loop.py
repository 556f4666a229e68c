"""One update of the loop in PyTorch and one of ours end at the same numbers."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.bench.audit import scaled_audit
from instinct.deep import configure
from instinct.deep.algorithms.actor_critic import ActorCritic, GameState
from instinct.deep.algorithms.algorithm import Algorithm, Batch, Data, State, batch_of
from instinct.deep.algorithms.bc import BC
from instinct.deep.algorithms.warm_start import Cloning, ReturnBatch, ReturnFitting
from instinct.deep.training.run_training import stages
from instinct.errors import BadInput
from tests.deep.problems import noise_dataset

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed")

from instinct.bench import torch_loop  # noqa: E402
from instinct.bench.torch_game import Game  # noqa: E402
from instinct.bench.torch_networks import Critics, Gaussian, TanhGaussian  # noqa: E402

OBSERVATIONS, ACTIONS, UNITS, ROWS = 4, 2, 8, 16
GAME = {
    "layers": 2,
    "units": UNITS,
    "batch_size": ROWS,
    "steps": 10,
    "cloning_steps": 10,
    "warm_start_steps": 10,
    "fast_rate": 1e-2,
    "slow_rate": 1e-2,
    "cloning_rate": 1e-2,
    "policy_average": 0.1,
}


def quick_game(name: str) -> Algorithm:
    """Return the quick preset's algorithm, smaller and with larger rates."""
    plan = scaled_audit("data.npz", "hopper", 1, 1)
    (trial,) = (t for t in plan.final({}) if (t.algorithm, t.label) == (name, "original"))
    return configure(name, {**trial.settings, **GAME})


def prepared(algorithm: Algorithm) -> tuple[Data, Batch]:
    """Return data and a batch of it."""
    data = algorithm.prepare(noise_dataset(200, OBSERVATIONS, ACTIONS, length=20))
    return data, batch_of(data, np.arange(ROWS) * 7)


def trained(stages_before: list[Algorithm], data: Data) -> State:
    """Return the state after a few steps of every stage."""
    state = None
    for stage in stages_before:
        state = stage.init(jax.random.key(0), data, state)
        for step in range(3):
            key = jax.random.key(step)
            state, _ = stage.update(state, stage.sample(state, data, key), key)
    return state


def fill(network: Any, layers: Any) -> None:
    """Copy layers into linear layers of PyTorch."""
    linears = [part for part in network if hasattr(part, "weight")]
    with torch.no_grad():
        for linear, layer in zip(linears, layers, strict=True):
            linear.weight.copy_(torch.from_numpy(np.array(layer["weight"]).T.copy()))
            linear.bias.copy_(torch.from_numpy(np.array(layer["bias"])))


def fill_critics(critics: Critics, heads: Any) -> None:
    """Copy the layers of all critics."""
    with torch.no_grad():
        for i, (weight, bias) in enumerate(zip(critics.weights, critics.biases, strict=True)):
            weight.copy_(torch.from_numpy(np.stack([head[i]["weight"] for head in heads])))
            bias.copy_(torch.from_numpy(np.stack([head[i]["bias"] for head in heads])[:, None]))


def assert_close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def assert_same(network: Any, layers: Any) -> None:
    linears = [part for part in network if hasattr(part, "weight")]
    for linear, layer in zip(linears, layers, strict=True):
        assert_close(linear.weight.detach().numpy().T, layer["weight"])
        assert_close(linear.bias.detach().numpy(), layer["bias"])


def assert_same_critics(critics: Critics, heads: Any) -> None:
    for i, (weight, bias) in enumerate(zip(critics.weights, critics.biases, strict=True)):
        ours = np.stack([head[i]["weight"] for head in heads])
        assert_close(weight.detach().numpy(), ours)
        ours = np.stack([head[i]["bias"] for head in heads])
        assert_close(bias.detach().numpy()[:, 0], ours)


def tensors(**arrays: Any) -> dict[str, Any]:
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def in_torch(state: GameState, algorithm: ActorCritic, data: Data) -> Game:
    """Return the same game in PyTorch, before its first step."""
    policy = TanhGaussian(OBSERVATIONS, ACTIONS, 2, UNITS)
    fill(policy.network, state.policy.params)
    critics = Critics(8, OBSERVATIONS + ACTIONS, 2, UNITS)
    fill_critics(critics, state.critics.learner.params)
    values = torch_loop.values_of(algorithm, data)
    error = torch_loop.error_of(critics, data, values.scale)
    assert values.scale * algorithm.softness * error == pytest.approx(float(state.softest or 0))
    game = Game(algorithm, policy, critics, values, float(state.reward or 0), error)
    fill_critics(game.targets, state.critics.targets)
    return game


@pytest.mark.parametrize("name", ["ATAC", "PSPI"])
def test_updates_of_the_game(name: str) -> None:
    """Through all parts of the game: the policy waits, moves, and settles."""
    algorithm = quick_game(name)
    assert isinstance(algorithm, ActorCritic)
    data, batch = prepared(algorithm)
    *before, _ = stages(algorithm)
    state = algorithm.init(jax.random.key(0), data, trained(before, data))
    game = in_torch(state, algorithm, data)
    arrays = tensors(**batch._asdict())
    for step in range(algorithm.steps):
        key = jax.random.key(step)
        noise = tensors(noise=jax.random.normal(key, (2, ROWS, ACTIONS)))["noise"]
        state, metrics = algorithm.update(state, batch, key)
        found = game.update(arrays, *noise)
        for loss in ("critic_loss", "policy_loss"):
            assert found[loss] == pytest.approx(float(metrics[loss]), rel=1e-3, abs=1e-5), step
        assert_same(game.policy.network, state.policy.params)
        assert_same(game.average.network, state.average)
        assert_same_critics(game.critics, state.critics.learner.params)
        assert_same_critics(game.targets, state.critics.targets)
        assert game.beta == pytest.approx(float(state.beta or 0), rel=1e-4)
        assert game.log_alpha.item() == pytest.approx(float(state.temperature.params), rel=1e-4)


def test_updates_of_cloning() -> None:
    cloning = stages(quick_game("ATAC"))[0]
    assert isinstance(cloning, Cloning)
    data, batch = prepared(cloning)
    state = cloning.init(jax.random.key(0), data)
    policy = TanhGaussian(OBSERVATIONS, ACTIONS, 2, UNITS)
    fill(policy.network, state.policy.params)
    optimizer = torch.optim.Adam(policy.parameters(), cloning.fast_rate)
    state, metrics = cloning.update(state, batch, jax.random.key(0))
    loss = torch_loop.fit_policy_step(policy, optimizer, tensors(**batch._asdict()))
    assert loss == pytest.approx(float(metrics["cloning_loss"]), rel=1e-4)
    assert_same(policy.network, state.policy.params)


def test_updates_of_the_fit_to_returns() -> None:
    fitting = stages(quick_game("ATAC"))[1]
    assert isinstance(fitting, ReturnFitting)
    data, batch = prepared(fitting)
    state = trained(stages(fitting)[:-1], data)
    state = fitting.init(jax.random.key(1), data, state)
    critics = Critics(8, OBSERVATIONS + ACTIONS, 2, UNITS)
    fill_critics(critics, state.critics.learner.params)
    returns = data.rewards["returns"][:ROWS]
    ours = ReturnBatch(jnp.asarray(batch.observations), jnp.asarray(batch.actions), returns)
    optimizer = torch.optim.Adam(critics.parameters(), fitting.fast_rate)
    scale = float(state.critics.scale)
    state, metrics = fitting.update(state, ours, jax.random.key(0))
    loss = torch_loop.fit_returns_step(critics, optimizer, tensors(**ours._asdict()), scale)
    assert loss / scale**2 == pytest.approx(float(metrics["return_error"]), rel=1e-4)
    assert_same_critics(critics, state.critics.learner.params)


def test_updates_of_bc() -> None:
    algorithm = configure("BC", {"layers": 2, "units": UNITS, "batch_size": ROWS, "rate": 1e-2})
    assert isinstance(algorithm, BC)
    data, batch = prepared(algorithm)
    state = algorithm.init(jax.random.key(0), data)
    policy = Gaussian(OBSERVATIONS, ACTIONS, 2, UNITS)
    fill(policy.network, state.policy.params["network"])
    optimizer = torch.optim.Adam(policy.parameters(), 1e-2)
    state, metrics = algorithm.update(state, batch, jax.random.key(0))
    loss = torch_loop.fit_policy_step(policy, optimizer, tensors(**batch._asdict()))
    assert loss == pytest.approx(float(metrics["policy_loss"]), rel=1e-4)
    assert_same(policy.network, state.policy.params["network"])
    ours = np.asarray(state.policy.params["log_std"])
    assert_close(policy.log_std.detach().numpy(), ours)


@pytest.mark.parametrize("name", ["BC", "ATAC"])
def test_a_trained_agent_acts(name: str) -> None:
    algorithm = quick_game(name) if name != "BC" else BC(layers=1, units=4, steps=5, batch_size=4)
    dataset = noise_dataset(50, 11, 3, length=10)
    policy = torch_loop.train(algorithm, dataset, seed=0)
    again = torch_loop.train(algorithm, dataset, seed=0)
    action = policy.act(dataset.observations[0])
    assert action.shape == (3,)
    assert (np.abs(action) <= 1).all()
    np.testing.assert_array_equal(action, again.act(dataset.observations[0]))


def test_other_settings_are_refused() -> None:
    algorithm = configure("PSPI", {"steps": 1})
    with pytest.raises(BadInput, match="written for fit_returns=True"):
        torch_loop.train(algorithm, noise_dataset(50, 11, 3, length=10), seed=0)
