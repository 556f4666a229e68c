import numpy as np
import pytest

from instinct.data import Box, Dataset
from instinct.errors import BadInput
from instinct.tabular import Model, States
from tests.tabular.cases import dataset, random_mdp, record

LOOP = dataset(
    [
        ([(0, 0, 1.0, 1), (1, 1, 0.5, 0), (0, 0, 3.0, 2)], "terminal"),
        ([(0, 1, -1.0, 2)], "timeout"),
    ],
    actions=2,
)


def test_counts_rewards_and_transitions_by_hand() -> None:
    model = Model.of(LOOP, discount=0.9)
    assert (model.states, model.actions, len(model)) == (3, 2, 4)
    np.testing.assert_array_equal(model.counts, [[2, 1], [0, 1], [0, 0]])
    np.testing.assert_allclose(model.rewards, [[2.0, -1.0], [0.0, 0.5], [0.0, 0.0]])
    P = model.transitions.toarray()
    np.testing.assert_allclose(P[0], [0, 0.5, 0])  # one of the two is terminal
    np.testing.assert_allclose(P[1], [0, 0, 1])  # a timeout is not
    np.testing.assert_allclose(P[2:], [[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]])
    np.testing.assert_allclose(model.initial, [1, 0, 0])
    np.testing.assert_allclose(model.distribution, np.array([[2, 1], [0, 1], [0, 0]]) / 4)
    np.testing.assert_allclose(model.behavior, [[2 / 3, 1 / 3], [0.0, 1.0], [0.5, 0.5]])
    np.testing.assert_allclose(model.steps_left, 10)


def test_a_horizon_layers_the_states_by_time() -> None:
    model = Model.of(LOOP, horizon=3)
    assert model.states == 9
    seen = {(t, s, a): int(n) for (t, s, a), n in np.ndenumerate(model.counts.reshape(3, 3, 2))}
    assert {key: n for key, n in seen.items() if n} == {
        (0, 0, 0): 1,
        (0, 0, 1): 1,
        (1, 1, 1): 1,
        (2, 0, 0): 1,
    }
    P = model.transitions.toarray().reshape(3, 3, 2, 3, 3)
    assert P[0, 0, 0, 1, 1] == P[0, 0, 1, 1, 2] == P[1, 1, 1, 2, 0] == 1
    assert P.sum() == 3  # the last layer leads to the end state
    np.testing.assert_array_equal(model.steps_left.reshape(3, 3)[:, 0], [3, 2, 1])
    assert model.discount == 1


def test_a_timeout_in_the_last_layer_is_the_end_of_the_horizon() -> None:
    model = Model.of(dataset([([(0, 0, 1.0, 1), (1, 0, 1.0, 0)], "timeout")], 1), horizon=2)
    assert model.transitions[2:].nnz == 0


def test_given_states_may_be_unseen() -> None:
    model = Model.of(LOOP, discount=0.5, states=States(np.array([[5], [2], [1], [0]])))
    np.testing.assert_array_equal(model.counts, [[0, 0], [0, 0], [0, 1], [2, 1]])
    np.testing.assert_array_equal(model.space.index(np.array([[0], [5]])), [3, 0])


def test_after_a_terminal_the_next_observation_may_be_anything() -> None:
    ended = dataset([([(0, 0, 1.0, 99)], "terminal")], actions=1)
    model = Model.of(ended, discount=0.5, states=States(np.array([[0]])))
    assert model.transitions.nnz == 0


def test_states_with_several_dimensions() -> None:
    random = np.random.default_rng(0)
    rows = random.integers(0, 3, size=(500, 4)).astype(np.float32)
    known = States(np.unique(rows, axis=0))
    np.testing.assert_array_equal(known.rows[known.index(rows)], rows)


def test_the_model_approaches_the_mdp() -> None:
    random = np.random.default_rng(1)
    mdp = random_mdp(random, 4, 2, 0.9)
    uniform = np.full((4, 2), 0.5)
    model = Model.of(record(mdp, uniform, 4000, 10, random), discount=0.9)
    np.testing.assert_allclose(model.rewards, mdp.rewards, atol=1e-6)
    np.testing.assert_allclose(model.transitions.toarray(), mdp.transitions.toarray(), atol=0.05)
    np.testing.assert_allclose(model.initial, mdp.initial, atol=0.05)


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadInput, match="either a discount or a horizon"):
        Model.of(LOOP)
    with pytest.raises(BadInput, match="either a discount or a horizon"):
        Model.of(LOOP, discount=0.5, horizon=3)
    with pytest.raises(BadInput, match="discount is 1"):
        Model.of(LOOP, discount=1.0)
    with pytest.raises(BadInput, match="horizon 2 is shorter than an episode of 3"):
        Model.of(LOOP, horizon=2)
    with pytest.raises(BadInput, match="next_observations, row 3: is not one of the states"):
        Model.of(LOOP, discount=0.5, states=States(np.array([[0], [1]])))
    with pytest.raises(BadInput, match="distinct"):
        States(np.array([[0], [0]]))
    with pytest.raises(BadInput, match=r"observations: has shape \[4, 1\], not \[rows, 2\]"):
        Model.of(LOOP, discount=0.5, states=States(np.array([[0, 1]])))
    boxed = Dataset(
        observations=LOOP.observations,
        actions=np.zeros((4, 1)),
        rewards=LOOP.rewards,
        next_observations=LOOP.next_observations,
        terminals=LOOP.terminals,
        timeouts=LOOP.timeouts,
        action_space=Box.of(1),
    )
    with pytest.raises(BadInput, match="discrete action space"):
        Model.of(boxed, discount=0.5)
