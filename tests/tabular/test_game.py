"""Compare ATAC and PSPI with worst critics that a general optimizer finds from the transitions."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from instinct.data import Array, Dataset
from instinct.tabular import GameConfig, Model, Solution, States, atac, pspi
from instinct.tabular.game import project
from tests.tabular.cases import dataset, random_mdp, record

S, A, R = 4, 2, 3.0
Run = Callable[[Model, GameConfig], Solution]
Pessimism = Callable[[Model, Array, Array], float]
HORIZONS = pytest.mark.parametrize("horizon", [None, 4])
BETAS = pytest.mark.parametrize("beta", [0.05, 1.0, 50.0])


def data(seed: int) -> Dataset:
    random = np.random.default_rng(seed)
    mdp = random_mdp(random, S, A, 0.8)
    return record(mdp, random.dirichlet(np.full(A, 0.7), size=S), 6, 4, random)


def model_of(dataset: Dataset, horizon: int | None) -> Model:
    """Build the model; the last state is never seen."""
    discount, states = None if horizon else 0.8, States(np.arange(S + 1)[:, None])
    return Model.of(dataset, discount=discount, horizon=horizon, states=states)


def relative(model: Model, policy: Array, f: Array) -> float:
    """E_D[f(s, π) - f(s, a)], plus f(s, π) where trajectories stop more often than they act."""
    size = model.states
    expected = (policy * f).sum(axis=1)
    visits = np.bincount(model.pairs // A, minlength=size)
    arrivals = np.bincount(model.successors, minlength=size + 1)[:size]
    visits = np.maximum(visits, model.discount * arrivals)
    return float((visits @ expected - f.ravel()[model.pairs].sum()) / len(model))


def absolute(model: Model, policy: Array, f: Array) -> float:
    """(1-γ)·f(d_0, π), or f(d_0, π)/H."""
    starts = (policy * f).sum(axis=1)[model.starts]
    return float(starts.mean() / model.steps_left.max())


def bellman_error(model: Model, policy: Array, f: Array) -> float:
    """E_D[(f - r - γf(s′, π))²] minus its minimum over f(s, a), from the transitions."""
    later = np.append((policy * f).sum(axis=1), 0)[model.successors]
    target = model.observed + model.discount * later
    totals = np.zeros(f.size)
    np.add.at(totals, model.pairs, target)
    best = totals / np.maximum(np.bincount(model.pairs, minlength=f.size), 1)
    own = (f.ravel()[model.pairs] - target) ** 2
    least = (best[model.pairs] - target) ** 2
    return float((own - least).mean())


def least(model: Model, pessimism: Pessimism, policy: Array, beta: float) -> float:
    """min_f L(π, f) + βE(π, f) over f in [-V_max, V_max], by quasi-Newton steps."""
    shape, bound = (model.states, A), (R * model.steps_left).repeat(A)

    def loss(f: Array) -> float:
        table = f.reshape(shape)
        return pessimism(model, policy, table) + beta * bellman_error(model, policy, table)

    def gradient(f: Array) -> Array:
        # The loss is quadratic, so central differences are exact.
        return np.array([(loss(f + e) - loss(f - e)) / 2 for e in np.eye(len(f))])

    answer = minimize(
        loss,
        np.zeros(len(bound)),
        jac=gradient,
        method="L-BFGS-B",
        bounds=list(zip(-bound, bound, strict=True)),
        options={"maxiter": 2000, "ftol": 1e-14, "gtol": 1e-9},
    )
    return float(answer.fun)


GAMES: list[tuple[Run, Pessimism]] = [(atac, relative), (pspi, absolute)]


@pytest.mark.parametrize(("algorithm", "pessimism"), GAMES)
@HORIZONS
@BETAS
def test_the_objective_bounds_the_loss_of_the_worst_critic(
    algorithm: Run, pessimism: Pessimism, horizon: int | None, beta: float
) -> None:
    for seed in range(2):
        model = model_of(data(seed), horizon)
        solution = algorithm(model, GameConfig(R=R, beta=beta, iterations=400))
        assert solution.gap is not None
        assert 0 <= solution.gap < 0.01
        worst = least(model, pessimism, solution.policy, beta)
        assert solution.objective - 1e-6 <= worst <= solution.objective + solution.gap + 1e-6


@pytest.mark.parametrize(("algorithm", "pessimism"), GAMES)
def test_no_other_policy_has_a_better_objective(algorithm: Run, pessimism: Pessimism) -> None:
    random = np.random.default_rng(0)
    model = model_of(data(0), None)
    solution = algorithm(model, GameConfig(R=R, beta=1.0))
    assert solution.gap is not None
    others = [model.behavior, *random.dirichlet(np.full(A, 0.1), size=(4, S + 1))]
    for policy in (*others, *(0.9 * solution.policy + 0.1 * other for other in others)):
        assert least(model, pessimism, policy, 1.0) <= solution.objective + solution.gap + 1e-6


def test_atac_does_not_imitate_truncated_trajectories() -> None:
    """Four of five trajectories leave the support and stop; the fifth continues.

    With the plain E_D[f(s, π) - f(s, a)], ATAC would imitate the four. It is zero for the behavior
    policy and any critic. For every other policy, some critic gives a high value to the states in
    which the four stopped.
    """
    stopped, going = [(0, 0, 1.0, 1)], [(0, 1, 0.0, 2), (2, 0, 0.0, 2), (2, 0, 0.0, 2)]
    fork = dataset([(stopped, "timeout")] * 4 + [(going, "timeout")], actions=2)
    model = Model.of(fork, horizon=3)

    def plain(policy: Array, f: Array) -> float:
        return float(((policy * f).sum(axis=1).repeat(A) - f.ravel())[model.pairs].mean())

    solution = atac(model, GameConfig.pessimistic(model, 9.0))
    np.testing.assert_allclose(solution.policy[0], [0, 1])
    optimistic = np.zeros((model.states, A))
    optimistic[0, 0], optimistic[4] = 1 + 9 * 2, 9 * 2
    assert bellman_error(model, solution.policy, optimistic) < 1e-9
    assert plain(solution.policy, optimistic) < -5
    assert plain(model.behavior, optimistic) == pytest.approx(0)


@given(st.integers(0, 10**6))
def test_projection_is_the_nearest_distribution(seed: int) -> None:
    random = np.random.default_rng(seed)
    points, h = random.normal(size=(3, 4)) * 2, random.uniform(0.1, 10, size=(3, 4))
    near = project(points, h)
    np.testing.assert_allclose(near.sum(axis=1), 1)
    for other in random.dirichlet(np.full(4, 0.3), size=50):
        assert (h * (near - points) * (other - near)).sum(axis=1).min() >= -1e-9
