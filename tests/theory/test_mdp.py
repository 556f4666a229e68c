import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory import linear
from instinct.theory.mdp import MDP, deterministic, layered, uniform

from .random_mdps import all_deterministic, random_mdp, seeds, trials


def two_states(discount: float = 0.5) -> MDP:
    """In state 0, action 0 stays with reward 1; action 1 goes to state 1, with reward 3 forever."""
    P = np.zeros((2, 2, 2))
    P[0, 0, 0] = P[0, 1, 1] = P[1, :, 1] = 1
    return MDP.dense(P, np.array([[1.0, 0.0], [3.0, 3.0]]), np.array([1.0, 0.0]), discount)


def rollout_value(mdp: MDP, policy: Array, steps: int) -> float:
    """Compute Σ_t γ^t E[r] by propagating the state distribution."""
    P = mdp.transitions.toarray().reshape(mdp.states, mdp.actions, mdp.states)
    here, total = mdp.initial, 0.0
    for t in range(steps):
        pairs = here[:, None] * policy
        total += mdp.discount**t * float((pairs * mdp.rewards).sum())
        here = np.einsum("sa,sat->t", pairs, P)
    return total


def random_policy(mdp: MDP, seed: int) -> Array:
    return np.random.default_rng(seed).dirichlet(np.ones(mdp.actions), mdp.states)


def test_two_states_by_hand() -> None:
    mdp = two_states()
    stay = deterministic(np.array([0, 0]), 2)
    assert mdp.v(stay) == pytest.approx([2, 6])
    assert mdp.q(stay) == pytest.approx(np.array([[2, 3], [6, 6]]))
    Q, V, policy = mdp.optimal()
    assert pytest.approx([3, 6]) == V
    assert pytest.approx(np.array([[2.5, 3], [6, 6]])) == Q
    assert policy[0].tolist() == [0, 1]
    assert mdp.value(policy) == pytest.approx(3)
    assert mdp.occupancy(policy) == pytest.approx(np.array([[0, 0.5], [0.5, 0]]))


def test_layered_two_states_by_hand() -> None:
    mdp = layered(two_states(), 3)
    assert (mdp.states, mdp.width, mdp.span) == (7, 2, 3)
    V = mdp.optimal().V
    assert pytest.approx([6, 9, 3, 6, 1, 3, 0]) == V
    occupancy = mdp.occupancy(mdp.optimal().policy)
    assert occupancy.sum() == pytest.approx(1)
    assert occupancy[0, 1] == occupancy[3, 0] == pytest.approx(1 / 3)


@trials
@given(seeds, st.floats(0, 0.9))
def test_values_equal_rollouts(seed: int, discount: float) -> None:
    mdp = random_mdp(seed, 5, 3, discount)
    policy = random_policy(mdp, seed)
    assert mdp.value(policy) == pytest.approx(rollout_value(mdp, policy, 300), abs=1e-9)
    occupancy = mdp.occupancy(policy)
    assert occupancy.sum() == pytest.approx(1)
    assert mdp.span * (occupancy * mdp.rewards).sum() == pytest.approx(mdp.value(policy))


@trials
@given(seeds, st.integers(1, 6))
def test_layered_values_equal_rollouts(seed: int, horizon: int) -> None:
    base = random_mdp(seed, 4, 2)
    mdp = layered(base, horizon)
    policy = random_policy(mdp, seed)
    assert mdp.value(policy) == pytest.approx(rollout_value(mdp, policy, horizon))
    assert mdp.span * (mdp.occupancy(policy) * mdp.rewards).sum() == pytest.approx(
        mdp.value(policy)
    )
    optimal = mdp.optimal()
    assert mdp.value(optimal.policy) == pytest.approx(float(mdp.initial @ optimal.V))
    assert pytest.approx(optimal.Q.max(axis=1)) == optimal.V


@trials
@given(seeds)
def test_no_deterministic_policy_beats_the_optimal_one(seed: int) -> None:
    mdp = random_mdp(seed, 4, 3)
    best = np.max([mdp.v(policy) for policy in all_deterministic(mdp)], axis=0)
    assert pytest.approx(best) == mdp.optimal().V
    assert mdp.v(mdp.optimal().policy) == pytest.approx(best)


def test_values_of_other_rewards() -> None:
    mdp = random_mdp(3)
    rewards = -mdp.rewards
    policy = uniform(mdp)
    assert mdp.v(policy, rewards) == pytest.approx(-mdp.v(policy))
    assert pytest.approx(mdp.optimal(rewards).V) == mdp.with_rewards(rewards).optimal().V


def test_the_iterative_solver_agrees_with_the_direct_one(monkeypatch: pytest.MonkeyPatch) -> None:
    mdp = random_mdp(5, 60, 3, 0.99)
    exact = mdp.optimal()
    occupancy = mdp.occupancy(exact.policy)
    monkeypatch.setattr(linear, "DIRECT_SIZE", 10)
    assert pytest.approx(exact.V, abs=1e-9) == mdp.optimal().V
    assert mdp.occupancy(exact.policy) == pytest.approx(occupancy, abs=1e-12)


def test_unnormalized_transitions_are_refused() -> None:
    P = np.zeros((2, 2, 2))
    P[..., 0] = 1
    P[1, 0, 0] = 0.9
    with pytest.raises(BadInput, match=r"state 1 and action 0 sum to 0\.9"):
        MDP.dense(P, np.zeros((2, 2)), np.array([1.0, 0.0]), 0.9)
    P[1, 0] = [1.5, -0.5]
    with pytest.raises(BadInput, match="state 1 and action 0"):
        MDP.dense(P, np.zeros((2, 2)), np.array([1.0, 0.0]), 0.9)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"discount": 1.0}, "discount is 1.0"),
        ({"initial": np.array([0.5, 0.4])}, "initial distribution"),
        ({"initial": np.array([1.0])}, "2 entries"),
        ({"rewards": np.zeros(4)}, r"not \[S, A\]"),
        ({"rewards": np.full((2, 2), np.nan)}, "finite"),
        ({"rewards": np.zeros((2, 3))}, r"shape \[4, 2\]"),
        ({"horizon": 3}, "not 3 equal layers"),
        ({"horizon": 1}, "only step to the next layer"),
    ],
)
def test_invalid_mdps_are_refused(changes: dict[str, object], message: str) -> None:
    mdp = two_states()
    given = {
        "transitions": mdp.transitions,
        "rewards": mdp.rewards,
        "initial": mdp.initial,
        "discount": mdp.discount,
    }
    with pytest.raises(BadInput, match=message):
        MDP(**{**given, **changes})  # type: ignore[arg-type]


def test_invalid_policies_and_layers_are_refused() -> None:
    mdp = two_states()
    with pytest.raises(BadInput, match="policy has shape"):
        mdp.v(np.ones((3, 2)))
    with pytest.raises(BadInput, match="sum to one"):
        mdp.v(np.ones((2, 2)))
    with pytest.raises(BadInput, match="rewards have shape"):
        mdp.v(uniform(mdp), np.zeros(2))
    with pytest.raises(BadInput, match="already layered"):
        layered(layered(mdp, 2), 2)
    with pytest.raises(BadInput, match="at least 1"):
        layered(mdp, 0)
    paid = layered(mdp, 2).rewards + 1
    with pytest.raises(BadInput, match="reward 0"):
        layered(mdp, 2).with_rewards(paid)
    with pytest.raises(BadInput, match=r"not \[S, A, S\]"):
        MDP.dense(np.eye(2), np.zeros((2, 1)), np.array([1.0, 0.0]), 0.5)


def test_a_sparse_table_stays_sparse() -> None:
    states, actions = 3_000, 4
    rng = np.random.default_rng(0)
    rows = np.repeat(np.arange(states * actions), 3)
    table = sparse.csr_array(
        (np.full(len(rows), 1 / 3), (rows, rng.integers(states, size=len(rows)))),
        shape=(states * actions, states),
    )
    initial = np.full(states, 1 / states)
    mdp = MDP(table, rng.random((states, actions)), initial, 0.99)
    optimal = mdp.optimal()
    assert mdp.backup(optimal.V).max(axis=1) == pytest.approx(optimal.V, abs=1e-9)
