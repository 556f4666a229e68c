"""Check the direction of every relaxation: lower bounds hold in all models that fit the data."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from instinct.data import Array
from instinct.tabular import (
    FilterConfig,
    Model,
    ModelConfig,
    MOReLConfig,
    States,
    armor,
    cppo,
    morel,
    pqi,
)
from instinct.tabular.morel import disagreement
from instinct.tabular.robust import robust_evaluation
from instinct.tabular.version_space import VersionSpace, small_alpha
from instinct.theory.mdp import deterministic
from tests.tabular.cases import dataset, random_mdp, record, with_end_state

S, A, R, ALPHA = 4, 2, 3.0, 2.0
CONFIG = ModelConfig(R=R, alpha=ALPHA)
HORIZONS = pytest.mark.parametrize("horizon", [None, 5])
SEEDS = pytest.mark.parametrize("seed", range(4))


def few_data(seed: int, horizon: int | None = None, episodes: int = 8) -> Model:
    """Record too few data of a random MDP to see all pairs; the last state is never seen."""
    random = np.random.default_rng(seed)
    mdp = random_mdp(random, S, A, 0.8)
    data = record(mdp, random.dirichlet(np.full(A, 0.5), size=S), episodes, 4, random)
    discount = None if horizon else 0.8
    states = States(np.arange(S + 1)[:, None])
    return Model.of(data, discount=discount, horizon=horizon, states=states)


def frequencies(model: Model) -> Array:
    """Return P̂, [S·A, S+1], with the end state last; zero out of support."""
    P = model.transitions.toarray()
    ends = np.where(model.support.reshape(-1, 1), 1 - P.sum(axis=1, keepdims=True), 0)
    return np.hstack([P, ends])


def excess(model: Model, P: Array, rewards: Array) -> float:
    """Return the loss of a model minus that of the best fit, from the transitions."""
    ratio = frequencies(model)[model.pairs, model.successors] / P[model.pairs, model.successors]
    error = (rewards.ravel()[model.pairs] - model.observed) ** 2
    least = (model.rewards.ravel()[model.pairs] - model.observed) ** 2
    return float((np.log(ratio) + error - least).sum())


def fitting_models(model: Model, seed: int, count: int = 30) -> Iterator[tuple[Array, Array]]:
    """Yield random members of M^α as P and r; few or many pairs change, as far as α allows."""
    random = np.random.default_rng(seed)
    size, support = model.states, model.support
    layer = np.arange(size) // len(model.space)
    reachable = np.ones((size * A, size + 1), np.bool_)
    if model.horizon:
        reachable[:, :-1] = layer[None] == (layer + 1).repeat(A)[:, None]
    P_hat = frequencies(model)
    for _ in range(count):
        moved = random.uniform(size=(size * A, 1)) < random.choice([0.05, 0.3, 1.0])
        noise = (random.dirichlet(np.full(size + 1, 0.1), size=size * A) + 1e-9) * reachable
        noise /= noise.sum(axis=1, keepdims=True)
        drift = np.where(moved.reshape(support.shape), random.normal() * R, 0)
        outside = random.choice([-R, R], support.shape)
        share, P, rewards = 0.999, noise, outside
        while share > 0:
            mixed = (1 - share * moved) * P_hat + share * moved * noise
            P = np.where(support.reshape(-1, 1), mixed, noise)
            rewards = np.where(support, np.clip(model.rewards + share * drift, -R, R), outside)
            if excess(model, P, rewards) <= ALPHA:
                break
            share *= 0.8
        yield P, rewards


def values(model: Model, P: Array, rewards: Array, policy: Array) -> Array:
    """Return V^π in a model, [S]."""
    everywhere = with_end_state(policy)
    return model.mdp(rewards, sparse.csr_array(P[:, :-1])).v(everywhere)[:-1]


def behavior_values(model: Model, P: Array, rewards: Array, policy: Array) -> Array:
    """Return V^μ in a model; μ ends where trajectories stop, and follows π in unseen states."""
    seen = np.asarray(model.support.any(axis=1))
    goes_on = seen | ~np.isin(np.arange(model.states), model.successors)
    P = P * goes_on.repeat(A)[:, None]
    mu = np.where(seen[:, None], model.behavior, policy)
    return values(model, P, rewards * goes_on[:, None], mu)


@HORIZONS
@SEEDS
def test_cppo_is_a_lower_bound_in_every_fitting_model(seed: int, horizon: int | None) -> None:
    model = few_data(seed, horizon)
    solution = cppo(model, CONFIG)
    for P, rewards in fitting_models(model, seed):
        assert (values(model, P, rewards, solution.policy) >= solution.V - 1e-6).all()


@HORIZONS
@SEEDS
def test_armor_is_a_lower_bound_in_every_fitting_model(seed: int, horizon: int | None) -> None:
    model = few_data(seed, horizon, episodes=40)
    solution = armor(model, CONFIG)
    for P, rewards in fitting_models(model, seed):
        V = values(model, P, rewards, solution.policy)
        gain = model.initial @ (V - behavior_values(model, P, rewards, solution.policy))
        assert gain >= solution.objective - 1e-6
        assert (solution.V - 1e-6 <= V).all()


@SEEDS
def test_cppo_holds_if_one_pair_uses_all_of_alpha(seed: int) -> None:
    """The worst case at a single pair is a member of M^α."""
    model = few_data(seed)
    solution = cppo(model, CONFIG)
    _, kernel = VersionSpace(model, ALPHA, R).worst(np.append(solution.V, 0))
    worst = kernel.toarray()
    for pair in np.flatnonzero(model.support):
        P = frequencies(model)
        P[pair] = np.append(worst[pair], 1 - worst[pair].sum())
        assert excess(model, np.maximum(P, 1e-300), model.rewards) <= ALPHA + 1e-6
        rewards = np.where(model.support, model.rewards, -R)
        V = values(model, P, rewards, solution.policy)
        assert model.initial @ V >= solution.objective


@SEEDS
def test_no_deterministic_policy_has_a_better_bound_than_cppo(seed: int) -> None:
    model = few_data(seed)
    solution = cppo(model, CONFIG)
    assert solution.gap is not None
    assert 0 <= solution.gap < 1e-5
    space = VersionSpace(model, ALPHA, R)
    for chosen in product(range(A), repeat=S):
        policy = deterministic(np.array([*chosen, 0]), A)
        sure = robust_evaluation(space, policy, (policy * space.low).sum(axis=1))
        assert model.initial @ sure.low <= solution.objective + solution.gap


def test_the_value_of_cppo_decreases_with_alpha() -> None:
    model = few_data(0)
    # α = 0: the empirical model, and -R forever out of support (there is an unseen state).
    np.testing.assert_allclose(
        cppo(model, ModelConfig(R=R, alpha=0)).V,
        pqi(model, FilterConfig(R=R, b=0)).V,
        atol=1e-4,
    )
    sure = [cppo(model, ModelConfig(R=R, alpha=alpha)).objective for alpha in (0, 0.1, 1, 10, 1e3)]
    assert (np.diff(sure) < 0).all()
    # The paper's α = |S|²|A|·log(1/δ) = 115 is too large for 32 transitions.
    np.testing.assert_allclose(cppo(model, ModelConfig(R=R)).V, -R / (1 - 0.8), rtol=0.01)


@SEEDS
def test_armor_is_never_worse_than_the_behavior_policy(seed: int) -> None:
    """The data never leave the states in which they act, so the behavior policy is possible."""
    model = few_data(seed, episodes=60)
    for alpha in (0.01, 1.0, 100.0):
        solution = armor(model, ModelConfig(R=R, alpha=alpha))
        assert solution.objective >= -1e-5
        assert solution.gap is not None
        assert solution.gap >= -1e-5


def test_the_improvement_of_armor_decreases_with_alpha() -> None:
    model = few_data(1, episodes=4000)
    gains = [armor(model, ModelConfig(R=R, alpha=alpha)).objective for alpha in (1e3, 10, 0.1, 0)]
    assert (np.diff(gains) > 0).all()
    best = pqi(model, FilterConfig(R=R, b=0)).objective
    reference = values(model, frequencies(model), model.rewards, model.behavior)
    assert gains[-1] == pytest.approx(best - model.initial @ reference, abs=1e-4)


@SEEDS
def test_fitting_models_differ_by_at_most_the_disagreement(seed: int) -> None:
    model = few_data(seed)
    V_max = R / (1 - 0.8)
    most = disagreement(model, ALPHA, V_max)
    models = list(fitting_models(model, seed))
    for (P, rewards), (Q, others) in zip(models[::2], models[1::2], strict=True):
        tv = np.abs(P - Q).sum(axis=1).reshape(rewards.shape) / 2
        assert (np.abs(rewards - others) + 0.8 * V_max * tv <= most + 1e-9).all()


def test_disagreement_by_hand() -> None:
    """D_TV is √(1 - e^{-2x}) for P̂ = (1/2, 1/2) and 1 - e^{-x} for a certain P̂; n = 4."""
    leads = {0: [1, 1, 1, 1], 1: [0, 0, 1, 1], 2: [0, 1, 1, 1]}
    data = dataset(
        [([(0, a, 0.5, s)], "timeout") for a, nexts in leads.items() for s in nexts], actions=3
    )
    x = 0.25
    certain, even, odd = disagreement(Model.of(data, discount=0.5), 4 * x, 2.0)[0] - 2 * np.sqrt(x)
    assert certain == pytest.approx(-np.expm1(-x))
    assert even == pytest.approx(np.sqrt(-np.expm1(-2 * x)))
    q = np.linspace(1e-6, 1 - 1e-6, 10**6)
    ball = q[0.75 * np.log(0.75 / q) + 0.25 * np.log(0.25 / (1 - q)) <= x]
    assert odd == pytest.approx(ball[-1] - ball[0], abs=1e-5)


@SEEDS
def test_morel_knows_only_pairs_of_the_data(seed: int) -> None:
    """The paper's lemma: K_ξ is in the support for ξ ≤ 1. With a small α it is the support."""
    model = few_data(seed)
    for alpha in (0.0, 1e-3, 1.0):
        unknown = morel(model, MOReLConfig(R=R, alpha=alpha, xi=1)).Q == -R / (1 - 0.8)
        assert unknown[~model.support].all()
    small = MOReLConfig(R=R, alpha=small_alpha(model, R), xi=1)
    np.testing.assert_allclose(
        morel(model, small).V, pqi(model, FilterConfig(R=R, b=0)).V, atol=1e-4
    )
