"""The facts that the paper states about its grid world, and the arithmetic of its returns."""

import numpy as np
import pytest

from instinct.benchmarks.gridworld.world import KEY, LAVA, WALL, GridWorld
from instinct.data import Array
from instinct.errors import BadInput
from instinct.tabular import Model, States, bc

WORLD = GridWorld()
FORWARD, LEFT, RIGHT = range(3)


def test_the_stated_facts_of_the_layout() -> None:
    assert WORLD.squares.shape == (5, 5)
    assert WORLD.observations[WORLD.start].tolist() == [4, 0, 0]
    assert (WORLD.squares == WALL).sum() > 1
    assert (WORLD.squares == LAVA).sum() > 1


def test_moving_and_turning() -> None:
    corner = WORLD.start
    assert WORLD.successors[corner, FORWARD] == corner
    west = WORLD.successors[corner, LEFT]
    assert WORLD.observations[west].tolist() == [4, 0, 3]
    assert WORLD.observations[WORLD.successors[west, FORWARD]].tolist() == [3, 0, 3]
    for state in range(WORLD.states):
        turned = state
        for _ in range(4):
            turned = WORLD.successors[turned, RIGHT]
        assert turned == state
        if not WORLD.on(KEY)[state]:
            assert WORLD.successors[WORLD.successors[state, LEFT], RIGHT] == state


def test_walls_block_and_the_key_is_absorbing() -> None:
    facing_wall = WORLD.state(3, 0, 2)
    assert WORLD.successors[facing_wall, FORWARD] == facing_wall
    at_key = np.flatnonzero(WORLD.on(KEY))
    assert (WORLD.successors[at_key] == at_key[:, None]).all()
    assert (WORLD.rewards[at_key] == 0).all()


def test_rewards() -> None:
    above_lava = WORLD.state(4, 0, 2)
    assert WORLD.rewards[above_lava].tolist() == [-1, -0.01, -0.01]
    in_lava = WORLD.state(4, 1, 2)
    assert WORLD.rewards[in_lava].tolist() == [-0.01, -0.01, -0.01]
    above_key = WORLD.state(1, 3, 2)
    assert WORLD.rewards[above_key].tolist() == [1, -0.01, -0.01]


def test_the_best_return_is_nine_actions_away() -> None:
    assert WORLD.best_return == pytest.approx(1 - 8 * 0.01)


def test_the_dataset() -> None:
    dataset = WORLD.dataset()
    assert dataset.episodes == 500
    returns, counts = np.unique(dataset.returns.round(6), return_counts=True)
    assert returns.tolist() == [-1.08, 0.92]
    assert counts.tolist() == [400, 100]
    last = dataset.next_observations[dataset.stops - 1]
    squares = WORLD.squares[last[:, 1], last[:, 0]]
    assert ((squares == KEY) == dataset.terminals[dataset.stops - 1]).all()
    assert ((squares == LAVA) == dataset.timeouts[dataset.stops - 1]).all()
    topmost = np.argwhere(WORLD.squares == LAVA)[0]
    assert (last[squares == LAVA][:, [1, 0]] == topmost).all()
    assert dataset.lengths.max() < WORLD.horizon


def extreme_returns(policy: Array) -> tuple[float, float]:
    """Return the least and the largest return of any episode of the policy."""
    least, most = np.zeros(WORLD.states), np.zeros(WORLD.states)
    for layer in policy.reshape(-1, WORLD.states, 3)[::-1]:
        possible = layer > 0
        least = np.where(possible, WORLD.rewards + least[WORLD.successors], np.inf).min(axis=1)
        most = np.where(possible, WORLD.rewards + most[WORLD.successors], -np.inf).max(axis=1)
    return float(least[WORLD.start]), float(most[WORLD.start])


def test_the_return_of_cloning_does_not_depend_on_its_random_actions() -> None:
    model = Model.of(WORLD.dataset(), horizon=WORLD.horizon, states=States(WORLD.observations))
    least, most = extreme_returns(bc(model).policy)
    assert least == pytest.approx(-1.19)
    assert most == pytest.approx(-1.19)


def test_a_rollout_agrees_with_the_exact_value() -> None:
    random = np.random.default_rng(0)
    uniform = np.full((WORLD.states, 3), 1 / 3)
    test = WORLD.rollout(uniform, 20_000, random)
    layered = np.concatenate([np.tile(uniform, (WORLD.horizon, 1)), uniform[:1]])
    exact = WORLD.mdp.value(layered)
    assert abs(test.returns.mean() - exact) < 5 * test.returns.std() / np.sqrt(20_000)
    assert test.paths.shape == (20_000, WORLD.horizon + 1)


def test_an_episode_ends_at_the_key() -> None:
    optimal = WORLD.mdp.optimal().policy
    test = WORLD.rollout(optimal, 3, np.random.default_rng(0))
    assert test.lengths.tolist() == [9, 9, 9]
    assert test.returns == pytest.approx(0.92)


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ("..\n.", "equally long"),
        ("^K\n?.", "made of"),
        ("..\n.K", "one start"),
        ("^>\n.K", "one start"),
    ],
)
def test_a_faulty_layout_is_named(layout: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        _ = GridWorld(layout).squares
