import numpy as np
import pytest

from instinct.benchmarks.gridworld.world import GridWorld
from instinct.data import PAPER_LABELS, relabel
from instinct.errors import BadInput
from instinct.tabular import Model, PEVIConfig, States, bc, pevi, steps_remaining, value_bounds
from instinct.tabular.pevi import Bound
from instinct.theory.mdp import layered
from tests.tabular.cases import dataset, random_mdp, record, with_end_state

FORK = dataset(
    [([(0, 0, 0.25, 1), (1, 0, 1.0, 1)], "timeout")] * 4 + [([(0, 1, 1.0, 2)], "timeout")],
    actions=2,
)


def test_bc_takes_the_most_frequent_action_at_any_time() -> None:
    model = Model.of(FORK, horizon=2)
    np.testing.assert_array_equal(bc(model).policy, [[1, 0], [1, 0], [0.5, 0.5]] * 2)
    assert bc(model).objective == pytest.approx(8 / 9)
    np.testing.assert_array_equal(
        bc(Model.of(FORK, discount=0.9)).policy, [[1, 0], [1, 0], [0.5, 0.5]]
    )


def test_bc_breaks_ties_with_the_lowest_action() -> None:
    tie = dataset([([(0, 2, 0.0, 0)], "timeout"), ([(0, 1, 0.0, 0)], "timeout")], actions=3)
    np.testing.assert_array_equal(bc(Model.of(tie, discount=0.5)).policy, [[0, 1, 0]])


def test_pevi_by_hand() -> None:
    # Two steps, β = 0.1. Action 0 is seen four times and leads to a state with data. Action 1 is
    # seen once and leads to a state without data.
    v_min, v_max = value_bounds(2, 0.1, least=0.0, most=steps_remaining(2))
    np.testing.assert_allclose(v_min, [-1.2, -1.1])
    solution = pevi(Model.of(FORK, horizon=2), PEVIConfig(0.1, v_min, v_max))
    expected = [
        [0.25 - 0.05 + (1 - 0.05), 1 - 0.1 - 1.1],
        [-1.2, -1.2],
        [-1.2, -1.2],
        [-1.1, -1.1],
        [1 - 0.05, -1.1],
        [-1.1, -1.1],
    ]
    np.testing.assert_allclose(solution.Q, expected)
    np.testing.assert_array_equal(solution.policy[[0, 4]], [[1, 0], [1, 0]])
    assert solution.objective == pytest.approx(1.15)


def test_pevi_clips_to_its_bounds() -> None:
    solution = pevi(Model.of(FORK, horizon=2), PEVIConfig(0.0, v_min=-5.0, v_max=[0.5, 0.25]))
    assert solution.V[0] == 0.5
    assert solution.V[4] == 0.25


def test_pevi_with_too_little_pessimism_leaves_the_support() -> None:
    model = Model.of(FORK, horizon=2)
    greedy = pevi(model, PEVIConfig(0.0, v_min=0.5, v_max=2.0))
    np.testing.assert_array_equal(greedy.policy[0], [0, 1])


def test_pevi_values_are_lower_bounds_on_random_mdps() -> None:
    """With Hoeffding's β, no value exceeds the true one in 200 MDPs."""
    S, A, H = 4, 3, 5
    for seed in range(200):
        random = np.random.default_rng(seed)
        mdp = random_mdp(random, S, A, 0.5)
        behavior = random.dirichlet(np.full(A, 0.5), size=S)
        data = record(mdp, behavior, int(random.integers(1, 60)), H, random)
        model = Model.of(data, horizon=H, states=States(np.arange(S)[:, None]))
        beta = 2 * H * np.sqrt(np.log(2 * S * A * H / 0.01) / 2)
        solution = pevi(model, PEVIConfig(beta))
        truth = layered(mdp, H)
        policy = with_end_state(solution.policy)
        true_V = truth.v(policy)[:-1]
        assert (true_V >= solution.V).all()


@pytest.mark.parametrize("label", PAPER_LABELS)
@pytest.mark.parametrize("beta", [0.01, 0.3])
def test_pevi_solves_the_grid_world_under_every_label(label: str, beta: float) -> None:
    world = GridWorld()
    H = world.horizon
    left = steps_remaining(H)
    least: dict[str, Bound] = {"original": -left, "negative": -1.0, "zero": 0.0, "random": 0.0}
    most: dict[str, Bound] = {"original": 1.0, "negative": left, "zero": 0.0, "random": left}
    data = relabel(world.dataset(), label)
    model = Model.of(data, horizon=H, states=States(world.observations))
    solution = pevi(model, PEVIConfig(beta, *value_bounds(H, beta, least[label], most[label])))
    policy = with_end_state(solution.policy)
    assert world.mdp.value(policy) == pytest.approx(0.92)


def test_bc_fails_in_the_grid_world() -> None:
    world = GridWorld()
    model = Model.of(world.dataset(), horizon=world.horizon, states=States(world.observations))
    policy = with_end_state(bc(model).policy)
    assert world.mdp.value(policy) == pytest.approx(-1.19)


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadInput, match="horizon"):
        pevi(Model.of(FORK, discount=0.9), PEVIConfig())
    with pytest.raises(BadInput, match="v_min: needs one value, or 2"):
        pevi(Model.of(FORK, horizon=2), PEVIConfig(v_min=[0.0, 0.0, 0.0]))
