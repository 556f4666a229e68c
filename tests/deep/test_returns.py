"""Monte-Carlo returns of recorded episodes, and critics that are fitted to them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instinct.data import Box, Dataset, remove, remove_terminals
from instinct.deep import Run, configure
from instinct.deep.algorithms.fields import Settings
from instinct.deep.algorithms.returns import monte_carlo_returns
from instinct.deep.nn.networks import value
from instinct.deep.training.run_training import new_training, stages
from instinct.deep.training.stage import Pace, train_stage

GAMMA, V_MIN = 0.5, -40.0


def dataset_of(ends: list[str], rewards: list[float]) -> Dataset:
    """Rows with the given ends: "" within an episode, or "terminal" or "timeout"."""
    rows = len(ends)
    observations = np.arange(rows + 1, dtype=np.float32)[:, None]
    return Dataset(
        observations=observations[:-1],
        actions=np.zeros((rows, 1), np.float32),
        rewards=np.array(rewards, np.float32),
        next_observations=observations[1:],
        terminals=np.array([end == "terminal" for end in ends]),
        timeouts=np.array([end == "timeout" for end in ends]),
        action_space=Box.of(1),
    )


def test_every_end_has_its_value() -> None:
    """By hand: γ = 1/2, mean reward 2, so that a timeout is followed by 2/(1 − 1/2) = 4."""
    dataset = dataset_of(["", "terminal", "", "timeout"], [1.0, 2.0, 3.0, 2.0])
    found = monte_carlo_returns(dataset, GAMMA, V_MIN)
    np.testing.assert_allclose(found, [2, 2, 3 + 4 / 2, 2 + 4 / 2])


def test_a_cut_is_followed_by_the_worst() -> None:
    """Without its terminal transition the first episode ends in a cut: 1 + (−40)/2."""
    dataset = dataset_of(["", "terminal", "", "timeout"], [1.0, 9.0, 3.0, 2.0])
    found = monte_carlo_returns(remove_terminals(dataset), GAMMA, V_MIN)
    np.testing.assert_allclose(found, [-19, 3 + 4 / 2, 2 + 4 / 2])


def test_a_row_removed_from_the_middle_cuts_the_part_before_it() -> None:
    dataset = dataset_of(["", "", "", "timeout"], [1.0, 5.0, 1.0, 1.0])
    cut = remove(dataset, np.array([False, True, False, False]))
    assert cut.cuts is not None
    assert cut.cuts.tolist() == [True, False, False]
    assert cut.timeouts.tolist() == [True, False, True]
    found = monte_carlo_returns(cut, GAMMA, V_MIN)
    np.testing.assert_allclose(found, [1 - 20, 1 + 1, 1 + 1])


@given(
    st.lists(st.tuples(st.sampled_from(["", "terminal", "timeout"]), st.floats(-3, 3)), min_size=1)
)
def test_the_same_as_row_by_row(rows: list[tuple[str, float]]) -> None:
    ends, rewards = [end for end, _ in rows], [reward for _, reward in rows]
    ends[-1] = ends[-1] or "timeout"
    dataset = dataset_of(ends, rewards)
    following, expected = 0.0, []
    for end, reward in [*zip(ends, dataset.rewards, strict=True)][::-1]:
        if end == "terminal":
            following = 0.0
        elif end == "timeout":
            following = float(dataset.rewards.mean()) / (1 - GAMMA)
        following = float(reward) + GAMMA * following
        expected.append(following)
    found = monte_carlo_returns(dataset, GAMMA, V_MIN)
    np.testing.assert_allclose(found, expected[::-1], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("scale_values", [False, True])
def test_critics_learn_the_returns(scale_values: bool) -> None:
    """Two recorded actions lead to different ends; the critics know which is worth what."""
    random = np.random.default_rng(0)
    stays = random.random(400) < 0.5
    dataset = Dataset(
        observations=np.zeros((400, 1), np.float32),
        actions=np.where(stays, 0.5, -0.5)[:, None].astype(np.float32),
        rewards=np.ones(400, np.float32),
        next_observations=np.zeros((400, 1), np.float32),
        terminals=~stays,
        timeouts=stays,
        action_space=Box.of(1),
    )
    settings: Settings = {
        "layers": 1,
        "units": 16,
        "batch_size": 64,
        "fast_rate": 1e-2,
        "discount": 0.9,
        "warm_start_steps": 1500,
        "fit_returns": True,
        "scale_values": scale_values,
    }
    run = Run(dataset, configure("PSPI", settings))
    training = None
    assert [stage.NAME for stage in stages(run.algorithm)] == ["Cloning", "Returns", "PSPI"]
    for depth in range(2):
        training = new_training(run, depth, training, None, None)
        train_stage([training], Pace())
    assert training is not None
    state = training.state
    assert state is not None
    for head in (*state.critics.learner.params, *state.critics.targets):
        f = value(head, jnp.zeros((2, 1)), jnp.array([[0.5], [-0.5]])) / state.critics.scale
        np.testing.assert_allclose(f, [1 + 0.9 * 10, 1], atol=0.3)
    assert all(
        np.array_equal(one, other)
        for one, other in zip(
            jax.tree.leaves(state.critics.learner.params),
            jax.tree.leaves(state.critics.targets),
            strict=True,
        )
    )


@pytest.mark.parametrize(
    ("name", "after_cut"), [("ATAC", -2 / 0.5), ("PSPI", -2 / 0.5), ("NoPessimism", 2 / 0.5)]
)
def test_the_control_does_not_fear_cuts(name: str, after_cut: float) -> None:
    """V_min = 2/(1 − γ)·min(−1, r_min) = −4 after the cut; the control goes on with 2/(1 − γ)."""
    dataset = remove_terminals(
        dataset_of(["", "terminal", "", "timeout"], [1.0, 9.0, 3.0, 2.0]),
    )
    algorithm = configure(name, {"fit_returns": True, "discount": GAMMA})
    for stage in stages(algorithm)[1:]:
        returns = stage.prepare(dataset).rewards["returns"]
        np.testing.assert_allclose(returns, [1 + after_cut / 2, 3 + 4 / 2, 2 + 4 / 2])
