import numpy as np
import pytest

from instinct.tabular import FilterConfig, Model, States, ppi, pqi
from tests.tabular.cases import dataset, random_mdp, record


def test_unseen_actions_have_the_lowest_value() -> None:
    """All seen values are negative: with 0 for other actions, the unseen one would be best."""
    losing = dataset([([(0, 0, -1.0, 0)], "timeout")] * 3, actions=2)
    model = Model.of(losing, discount=0.9)
    naive = np.where(model.support, -1 / (1 - 0.9), 0.0)
    assert naive.argmax() == 1
    for algorithm in (pqi, ppi):
        solution = algorithm(model, FilterConfig(R=2, b=0))
        np.testing.assert_array_equal(solution.policy, [[1, 0]])
        np.testing.assert_allclose(solution.V, -10, atol=1e-5)


def test_a_state_without_data_has_the_lowest_value() -> None:
    lost = dataset([([(0, 0, 1.0, 1)], "timeout")], actions=2)
    for algorithm in (pqi, ppi):
        solution = algorithm(Model.of(lost, discount=0.5), FilterConfig(R=3, b=0))
        np.testing.assert_allclose(solution.V, [1 - 0.5 * 6, -6], atol=1e-5)


@pytest.mark.parametrize("seed", range(10))
def test_policy_and_value_iteration_agree(seed: int) -> None:
    random = np.random.default_rng(seed)
    mdp = random_mdp(random, 6, 3, 0.9)
    data = record(mdp, random.dirichlet(np.ones(3), size=6), 20, 5, random)
    config = FilterConfig(R=5, b=0.02)
    everything = States(np.arange(6)[:, None])
    for model in (
        Model.of(data, discount=0.9, states=everything),
        Model.of(data, horizon=7, states=everything),
    ):
        by_value, by_policy = pqi(model, config), ppi(model, config)
        np.testing.assert_allclose(by_value.V, by_policy.V, atol=1e-5)
        # The policy is optimal in the filtered model.
        np.testing.assert_allclose(by_policy.Q.max(axis=1), by_policy.V, atol=1e-5)
