"""Properties that every registered algorithm must have."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from instinct.benchmarks.gridworld.world import KEY, GridWorld
from instinct.data import PAPER_LABELS, Array, Dataset, relabel
from instinct.errors import BadInput
from instinct.tabular import (
    ALGORITHMS,
    FilterConfig,
    GameConfig,
    Model,
    ModelConfig,
    MOPOConfig,
    MOReLConfig,
    States,
    TabularAlgorithm,
    VILCBConfig,
    cppo,
    find_algorithm,
    morel,
    register_algorithm,
    registry,
)
from instinct.theory.bounds import required_admissibility
from tests.tabular.cases import dataset, with_end_state

ADMISSIBLE = [name for name, found in ALGORITHMS.items() if found.pessimistic]
WORLD = GridWorld()


def leaves(model: Model, policy: Array) -> float:
    """Return the (discounted) probability of leaving the support, in the empirical model."""
    mdp = model.mdp((~model.support).astype(np.float64))
    return mdp.value(with_end_state(policy))


@pytest.mark.parametrize("name", ADMISSIBLE)
@pytest.mark.parametrize("label", PAPER_LABELS)
def test_every_algorithm_solves_the_grid_world_under_every_label(name: str, label: str) -> None:
    data = relabel(WORLD.dataset(), label)
    model = Model.of(data, horizon=WORLD.horizon, states=States(WORLD.observations))
    solution = find_algorithm(name).solve(model, required_admissibility(2 * WORLD.horizon + 1))
    policy = with_end_state(solution.policy)
    assert WORLD.mdp.value(policy) == pytest.approx(0.92)
    away = ~np.tile(WORLD.on(KEY), WORLD.horizon)[:, None]
    assert (WORLD.mdp.occupancy(policy)[:-1] * away * ~model.support).sum() == 0


def applicable(name: str, horizon: int | None) -> TabularAlgorithm:
    """Return the algorithm, or skip the test if it needs a horizon."""
    algorithm = find_algorithm(name)
    if algorithm.finite_horizon_only and horizon is None:
        pytest.skip(f"{name} needs a horizon")
    return algorithm


def corridors(seed: int) -> Dataset:
    """Return random walks on a line; one third end with a terminal, the others with a timeout."""
    random = np.random.default_rng(seed)
    episodes = []
    for number in range(12):
        state, steps = 0, []
        for _ in range(int(random.integers(1, 6))):
            action = int(random.integers(3))
            following = state + action + 1 if random.uniform() < 0.7 else state + 4
            steps.append((state, action, float(random.uniform(-1, 1)), following))
            state = following
        episodes.append((steps, "terminal" if number % 3 == 0 else "timeout"))
    return dataset(episodes, actions=3)


def survivable(model: Model) -> Array:
    """Return the pairs from which some policy never leaves the support, [S, A]."""
    safe = model.support
    while True:
        doomed = ~safe.any(axis=1)
        falls = np.asarray(model.transitions @ doomed.astype(float)).reshape(safe.shape) > 0
        if not (safe & falls).any():
            return safe
        safe = safe & ~falls


@pytest.mark.parametrize("name", ADMISSIBLE)
@pytest.mark.parametrize("horizon", [None, 7])
def test_policies_stay_in_the_support_if_possible(name: str, horizon: int | None) -> None:
    """With random transitions R must outweigh the smallest risk, here 1/12 per step."""
    algorithm = applicable(name, horizon)
    tried = 0
    for seed in range(20):
        data = corridors(seed)
        model = Model.of(data, discount=None if horizon else 0.9, horizon=horizon)
        if not survivable(model)[model.starts].any(axis=1).all():
            continue
        tried += 1
        solution = algorithm.solve(model, 2000.0)
        assert leaves(model, solution.policy) == pytest.approx(0, abs=1e-12)
    assert tried >= 5


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("horizon", [None, 6])
def test_solutions_have_the_shapes_of_the_model(name: str, horizon: int | None) -> None:
    algorithm = applicable(name, horizon)
    model = Model.of(corridors(1), discount=None if horizon else 0.9, horizon=horizon)
    for setting in (algorithm.config(), algorithm.config.pessimistic(model, 5.0)):
        solution = algorithm.run(model, setting)
        assert solution.policy.shape == solution.Q.shape == model.support.shape
        assert solution.V.shape == (model.states,)
        np.testing.assert_allclose(solution.policy.sum(axis=1), 1)
        assert (solution.policy >= 0).all()
        assert solution.gap is None or solution.gap >= -1e-6
        assert np.isfinite(solution.objective)
        assert solution.certifies


def test_bad_settings_are_refused() -> None:
    model = Model.of(corridors(0), discount=0.9)
    with pytest.raises(BadInput, match="beta: is 0; it must be positive"):
        GameConfig(beta=0)
    with pytest.raises(BadInput, match="iterations: is 0"):
        VILCBConfig(iterations=0)
    with pytest.raises(BadInput, match="xi: is -1"):
        MOReLConfig(xi=-1)
    with pytest.raises(BadInput, match="tolerance: is 0"):
        FilterConfig(tolerance=0)
    with pytest.raises(BadInput, match="delta: is 1; it must be between 0 and 1"):
        MOPOConfig(delta=1)
    refused: list[tuple[Any, Any]] = [
        (cppo, ModelConfig(alpha=-1)),
        (morel, MOReLConfig(alpha=-1)),
    ]
    for algorithm, config in refused:
        with pytest.raises(BadInput, match="alpha: is -1; it must not be negative"):
            algorithm(model, config)
    for entry in ALGORITHMS.values():
        setting: Any = entry.config()
        if hasattr(setting, "R"):
            with pytest.raises(BadInput, match=r"R is 0\.1, below the largest mean reward"):
                entry.run(model, replace(setting, R=0.1))


def test_algorithms_are_found_in_any_case() -> None:
    assert find_algorithm("vi-lcb") is ALGORITHMS["VI-LCB"]
    assert find_algorithm("MOREL").name == "MOReL"
    with pytest.raises(BadInput, match="there are BC, PEVI"):
        find_algorithm("DQN")


def test_own_algorithms_are_registered_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "ALGORITHMS", dict(ALGORITHMS))
    first = replace(ALGORITHMS["PEVI"], name="Mine")
    second = replace(first, citation="a note")
    register_algorithm(first)
    assert find_algorithm("MINE") is first
    register_algorithm(second)
    assert find_algorithm("mine") is second
    with pytest.raises(BadInput, match="'PEVI' is the name of a built-in"):
        register_algorithm(replace(first, name="pevi"))


def test_every_algorithm_has_metadata() -> None:
    for name, algorithm in ALGORITHMS.items():
        assert algorithm.name == name
        assert algorithm.actions == "discrete"
        assert algorithm.citation
    assert [name for name in ALGORITHMS if not ALGORITHMS[name].reads_rewards] == ["BC"]
    assert [name for name in ALGORITHMS if ALGORITHMS[name].finite_horizon_only] == ["PEVI"]
