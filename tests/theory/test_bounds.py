import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instinct.errors import BadInput
from instinct.theory import bounds
from instinct.theory.bias import Bias
from instinct.theory.cmdp import implicit_cmdp
from instinct.theory.garnet import garnet, unbiased
from instinct.theory.mdp import MDP, layered
from instinct.theory.support import out_of_support, support

from .random_mdps import random_mdp, random_rewards, random_support, seeds, trials


def test_the_bounds_of_the_main_result_by_hand() -> None:
    assert bounds.required_admissibility(K=5.0, delta=0.1) == pytest.approx(52)
    assert bounds.iota(0.1, 0.3) == pytest.approx(0.4)
    assert bounds.performance_bound(0.2, 3.0, 0.4) == pytest.approx(1.4)
    assert bounds.printed_kappa_bound(20, 0.1) == pytest.approx(4.1)
    assert bounds.printed_kappa_bound(20, 3.0) == 40


def test_leaving_cost_by_hand() -> None:
    """From state 0 one can stay or go to state 1, which leaves the support with probability 1/2."""
    P = np.zeros((3, 2, 3))
    P[0, 0, 0] = P[0, 1, 1] = P[2, :, 2] = 1
    P[1, :] = [0, 0.5, 0.5]
    mdp = MDP.dense(P, np.zeros((3, 2)), np.array([1.0, 0, 0]), 0.5)
    covered = np.array([[True, True], [True, True], [False, False]])
    # V_c(2) = 2, V_c(1) = 0.5 (0.5 V_c(1) + 0.5 · 2) = 2/3, Q_c(0, go) = 0.5 · 2/3.
    assert bounds.leaving_cost(mdp, covered) == pytest.approx(1 / 3)
    assert bounds.kappa_bound(mdp, covered, 0.1) == pytest.approx(2 * 2 * 3 * 0.1)
    assert bounds.kappa_bound(mdp, covered, 9.0) == pytest.approx(4)


def test_full_coverage_has_an_infinite_leaving_cost() -> None:
    mdp = garnet(10, 2, 2, 0)
    covered = support(mdp, unbiased(mdp))
    assert bounds.leaving_cost(mdp, covered) == math.inf
    assert bounds.kappa_bound(mdp, covered, 1.0) == 0


def test_the_bound_of_vi_lcb_by_hand() -> None:
    """With γ = 1/2 and N = 100, J = 9 and 64 / (1-γ) = 128."""
    mdp = garnet(4, 2, 2, 0, discount=0.5)
    L = 2000 * math.log(2 * 10 * 8 / 0.1)
    expected = 0.5**9 * 2 * 3 + 128 * 3 * math.sqrt(L * 8 * 1.5 * 10 / 100)
    bound = bounds.vi_lcb_bound(mdp, v_max=3.0, concentrability=1.5, transitions=100, failure=0.1)
    assert bound == pytest.approx(expected)


@pytest.mark.parametrize(
    ("algorithm", "power"),
    [
        ("ATAC", 1 / 3),
        ("PSPI", 1 / 3),
        ("ARMOR", 1 / 2),
        ("CPPO", 1 / 2),
        ("VI-LCB", 1 / 2),
        ("PPI", 1 / 4),
        ("PQI", 1 / 4),
        ("MOReL", 1 / 4),
    ],
)
def test_regret_rates_have_the_power_of_the_paper(algorithm: bounds.RateName, power: float) -> None:
    mdp = garnet(4, 2, 2, 0)
    N = np.array([1e16, 1e20])
    many, more = bounds.regret_rate(
        algorithm, mdp, v_max=10.0, concentrability=2.0, transitions=N, failure=0.1
    )
    assert math.log(many / more) / math.log(1e4) == pytest.approx(power, rel=1e-3)


def test_regret_rates_are_linear_in_the_value_range() -> None:
    mdp = garnet(4, 2, 2, 0)
    for algorithm in get_args(bounds.RateName):
        small, large = (
            bounds.regret_rate(
                algorithm, mdp, v_max=v, concentrability=2.0, transitions=1e6, failure=0.1
            )
            for v in (1.0, 7.0)
        )
        assert large == pytest.approx(7 * small)


def test_discounted_bounds_refuse_layered_mdps() -> None:
    mdp = layered(garnet(4, 2, 2, 0), 3)
    with pytest.raises(BadInput, match="discounted"):
        bounds.vi_lcb_bound(mdp, v_max=1.0, concentrability=1.0, transitions=10, failure=0.1)
    with pytest.raises(BadInput, match="discounted"):
        bounds.regret_rate("ATAC", mdp, v_max=1.0, concentrability=1.0, transitions=10, failure=0.1)


@trials
@given(seeds, st.sampled_from([0.01, 0.2, 1.0]))
def test_the_main_result_holds_for_an_exactly_pessimistic_policy(seed: int, delta: float) -> None:
    """The policy has no regret under r† = r̃ - (λ_δ† + 1) c_μ, as the proof requires."""
    mdp = random_mdp(seed, 6, 3)
    covered = random_support(mdp, seed)
    rewards = random_rewards(mdp, seed)
    cmdp, bias = implicit_cmdp(mdp, covered, rewards), Bias(mdp, covered, (rewards,))
    pessimist = mdp.optimal(rewards - (cmdp.solve(delta).multiplier + 1) * cmdp.costs).policy
    iota = bounds.iota(delta, cmdp.kappa(delta))
    assert cmdp.value - mdp.value(pessimist, rewards) <= 1e-7
    assert mdp.value(pessimist, cmdp.costs) <= iota + 1e-7
    assert out_of_support(mdp, pessimist, covered) <= iota + 1e-7
    regret = bias.best - mdp.value(pessimist)
    assert regret <= bounds.performance_bound(bias.epsilon, bias.slope, iota) + 1e-7
