import numpy as np

from instinct.tabular import Model, States, VILCBConfig, bc, vi_lcb
from instinct.theory.mdp import layered
from tests.tabular.cases import TWO, random_mdp, record, with_end_state


def test_values_are_lower_bounds_on_random_mdps() -> None:
    """With split data and Hoeffding's constant, V is below the policy's true value."""
    S, A = 4, 3
    informed = 0
    for seed in range(200):
        random = np.random.default_rng(seed)
        mdp = random_mdp(random, S, A, 0.5)
        behavior = random.dirichlet(np.full(A, 0.5), size=S)
        data = record(mdp, behavior, int(random.integers(1, 5000)), 3, random)
        model = Model.of(data, discount=0.5, states=States(np.arange(S)[:, None]))
        solution = vi_lcb(model, VILCBConfig(R=1, constant=0.5, delta=0.1, seed=seed))
        true_V = mdp.v(solution.policy)
        assert (true_V >= solution.V).all()
        informed += int((solution.V > -2).any())
    assert informed > 50  # the bound is not trivial


def test_values_are_lower_bounds_over_a_horizon() -> None:
    S, A, H = 3, 2, 4
    for seed in range(50):
        random = np.random.default_rng(seed)
        mdp = random_mdp(random, S, A, 0.5)
        data = record(mdp, np.full((S, A), 1 / A), 2000, H, random)
        model = Model.of(data, horizon=H, states=States(np.arange(S)[:, None]))
        solution = vi_lcb(model, VILCBConfig(R=1, constant=0.5, seed=seed))
        policy = with_end_state(solution.policy)
        true_V = layered(mdp, H).v(policy)[:-1]
        assert (true_V >= solution.V).all()
        assert (-model.steps_left < solution.V).any()


def test_more_rounds_never_lower_the_values() -> None:
    random = np.random.default_rng(3)
    mdp = random_mdp(random, 5, 2, 0.8)
    model = Model.of(record(mdp, np.full((5, 2), 0.5), 300, 10, random), discount=0.8)
    values = [
        vi_lcb(model, VILCBConfig(R=1, constant=1e-3, iterations=J, split=False)).V
        for J in (1, 3, 10, 30)
    ]
    # The logarithm in the penalty grows with J, so values may decrease a little.
    assert (np.diff(values, axis=0) > -0.2).all()
    assert (values[-1] > values[0] + 0.3).all()


def test_the_split_is_drawn_from_the_seed() -> None:
    model = Model.of(TWO, discount=0.5)
    config = VILCBConfig(R=2, constant=1e-3, iterations=2)
    first, again = vi_lcb(model, config), vi_lcb(model, config)
    np.testing.assert_array_equal(first.V, again.V)
    others = [vi_lcb(model, VILCBConfig(2, 1e-3, iterations=2, seed=seed)).V for seed in range(9)]
    assert len({tuple(V) for V in others}) > 1


def test_the_first_policy_takes_the_most_frequent_action() -> None:
    model = Model.of(TWO, discount=0.5)
    solution = vi_lcb(model, VILCBConfig(R=2, split=False))
    np.testing.assert_array_equal(solution.policy, bc(model).policy)
