import math

import numpy as np
import pytest

from instinct.data import Array
from instinct.errors import BadInput
from instinct.theory.assumptions import AssumptionCheck, check_assumptions
from instinct.theory.counterexamples import leak, stitched
from instinct.theory.examples import near_expert, shaping
from instinct.theory.garnet import garnet, negatively_biased, positively_biased
from instinct.theory.mdp import MDP


def by_name(
    mdp: MDP, mu: Array, rewards: tuple[Array, ...] | None = None
) -> dict[str, AssumptionCheck]:
    return {result.name: result for result in check_assumptions(mdp, mu, rewards)}


def test_all_assumptions_hold_for_shaped_rewards() -> None:
    example = shaping(0)
    results = by_name(example.mdp, example.mu, example.rewards)
    assert all(result.holds for result in results.values())
    assert list(results) == [
        "single-policy concentrability",
        "bounded rewards",
        "feasible constraint",
        "positive bias",
        "bounded sensitivity",
        "vanishing sensitivity",
        "covered solution",
    ]
    assert results["positive bias"].numbers["degree"] == math.inf
    sensitivity = results["vanishing sensitivity"].numbers
    assert sensitivity["kappa(0.01)"] == pytest.approx(0.01 * sensitivity["lambda"])
    assert sensitivity["kappa(1)"] <= results["bounded sensitivity"].numbers["K"]


def test_bounds_for_all_rewards_hold_for_every_class() -> None:
    mdp = garnet(20, 3, 2, 5)
    mu = positively_biased(mdp)
    every, some = by_name(mdp, mu), by_name(mdp, mu, (-mdp.rewards, mdp.rewards))
    assert all(result.holds for result in [*every.values(), *some.values()])
    for name in ("bounded sensitivity", "vanishing sensitivity", "covered solution"):
        for key, number in some[name].numbers.items():
            assert number <= every[name].numbers[key] + 1e-9


def test_concentrability_fails_if_no_optimal_policy_is_covered() -> None:
    mdp = garnet(20, 3, 2, 1)
    for mu in (negatively_biased(mdp), near_expert(1).mu):
        results = by_name(mdp, mu)
        assert not results["single-policy concentrability"].holds
        assert results["single-policy concentrability"].numbers["coefficient"] == math.inf
        assert results["feasible constraint"].holds


def test_concentrability_holds_if_any_optimal_policy_is_covered() -> None:
    """Both actions are optimal, and the data cover the second."""
    mdp = MDP.dense(np.ones((1, 2, 1)), np.ones((1, 2)), np.ones(1), 0.9)
    result = by_name(mdp, np.array([[0.0, 1.0]]))["single-policy concentrability"]
    assert result.holds
    assert result.numbers["coefficient"] == pytest.approx(1)


def test_undefined_assumptions_do_not_hold() -> None:
    P = np.zeros((2, 1, 2))
    P[:, :, 1] = 1
    mdp = MDP.dense(P, np.zeros((2, 1)), np.array([1.0, 0.0]), 0.5)
    results = by_name(mdp, np.array([[1.0], [0.0]]))
    assert not results["feasible constraint"].holds
    assert results["feasible constraint"].numbers["least_cost"] == pytest.approx(1)
    assert not results["positive bias"].holds
    assert len(results) == 7


def test_rewards_out_of_range_violate_the_assumption() -> None:
    mdp = garnet(5, 2, 2, 0)
    with pytest.raises(BadInput, match="class is empty"):
        check_assumptions(mdp, np.ones((5, 2)), [])
    result = by_name(mdp, np.ones((5, 2)), (2 * mdp.rewards,))["bounded rewards"]
    assert not result.holds
    assert result.numbers["high"] == pytest.approx(2 * mdp.rewards.max())


def test_finite_horizon_sensitivity() -> None:
    example = stitched()
    results = by_name(example.mdp, example.mu)
    assert results["finite-horizon sensitivity"].holds
    assert results["single-policy concentrability"].numbers["coefficient"] == pytest.approx(1.5)
    cmdp = leak(0.01)
    mu = np.where(cmdp.support, 1.0, 0.0)
    leaking = by_name(cmdp.mdp, mu, (cmdp.rewards,))
    assert not leaking["finite-horizon sensitivity"].holds
    assert leaking["finite-horizon sensitivity"].numbers["bound"] == 5
    assert leaking["vanishing sensitivity"].numbers["lambda"] == pytest.approx(400)
