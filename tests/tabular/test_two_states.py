"""Every algorithm on a dataset that is solved by hand, with γ = 1/2, R = 2 and V_max = 4."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from instinct.data import Array
from instinct.tabular import (
    FilterConfig,
    GameConfig,
    Model,
    ModelConfig,
    MOPOConfig,
    MOReLConfig,
    Solution,
    VILCBConfig,
    armor,
    atac,
    cppo,
    mopo,
    morel,
    ppi,
    pqi,
    pspi,
    vi_lcb,
)
from tests.tabular.cases import TWO

Table = Sequence[Sequence[float]]
Run = Callable[[Model, FilterConfig], Solution]
MODEL = Model.of(TWO, discount=0.5)
STAY = [[1, 0], [1, 0]]
END = [[1, 0], [0, 1]]


def close(value: Array, expected: Table | Sequence[float], tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(value, np.array(expected), atol=tolerance)


@pytest.mark.parametrize("algorithm", [pqi, ppi])
def test_pqi_and_ppi(algorithm: Run) -> None:
    solution = algorithm(MODEL, FilterConfig(R=2, b=0, tolerance=1e-12))
    close(solution.policy, STAY)
    close(solution.V, [0.75, 1.5])
    close(solution.Q, [[0.75, -4], [1.5, 1]])
    assert solution.objective == pytest.approx(0.8 * 0.75 + 0.2 * 1.5)


def test_the_filter_removes_rare_pairs() -> None:
    # μ̂(1, 1) = 1/9 is below b = 0.2.
    kept = pqi(MODEL, FilterConfig(R=2, b=0.2))
    close(kept.Q[1], [1.5, -4], 1e-5)
    # The paper's b = (2·4)^(-1/2)·9^(-1/4) = 0.204 does the same.
    close(pqi(MODEL, FilterConfig(R=2)).Q, kept.Q.tolist(), 1e-5)


def test_vi_lcb() -> None:
    # L = 1/64, so b(s, a) = 2·4·√(L/n) = 1/√n: 0.5 for pairs seen four times, 1 for the one seen
    # once. Round 1: Q(1, 0) = 0.75 - 0.5 - 2, Q(1, 1) = 1 - 1, Q(0, 0) = -0.5 - 2.
    # Round 2: Q(1, 0) = 0.25 + 0, Q(0, 0) = -0.5 + 0.
    # Round 3: Q(1, 0) = 0.25 + 0.125, Q(0, 0) = -0.5 + 0.125. Unseen: -4 - 1.
    def after(J: int) -> VILCBConfig:
        constant = 1 / 64 / np.log(2 * (J + 1) * 4 / 0.1)
        return VILCBConfig(R=2, constant=constant, iterations=J, split=False)

    first, third = vi_lcb(MODEL, after(1)), vi_lcb(MODEL, after(3))
    close(first.Q, [[-2.5, -5], [-1.75, 0]])
    close(first.policy, END)
    close(third.Q, [[-0.375, -5], [0.375, 0]])
    close(third.policy, STAY)
    close(third.V, [-0.375, 0.375])


def test_vi_lcb_with_the_papers_constant_stays_at_the_lowest_value() -> None:
    solution = vi_lcb(MODEL, VILCBConfig(R=2))
    close(solution.V, [-4, -4])


def test_mopo() -> None:
    # L = 1/64: b = 2·4·√(L/n), as above; out of support -(2 + 8) per step, forever.
    constant = 1 / 64 / np.log(2 * 4 / 0.1)
    solution = mopo(MODEL, MOPOConfig(R=2, constant=constant))
    close(solution.V, [-0.5 + 0.25, 0.5])
    close(solution.Q, [[-0.25, -20], [0.5, 0]])
    close(solution.policy, STAY)


def test_morel() -> None:
    # All rows of P̂ are certain, so two models of M^α differ by 2√x + γ·V_max·(1 - e^{-x}), x = α/n.
    # α = 0.01: 0.1 + 0.005 for n = 4, 0.2 + 0.02 for n = 1.
    solution = morel(MODEL, MOReLConfig(R=2, alpha=0.01, xi=0.15))
    close(solution.Q, [[0.75, -4], [1.5, -4]])
    close(morel(MODEL, MOReLConfig(R=2, alpha=0.01, xi=0.225)).Q, [[0.75, -4], [1.5, 1]])
    close(morel(MODEL, MOReLConfig(R=2, alpha=0.01, xi=0.1)).Q, [[-4, -4], [-4, -4]])


def test_cppo() -> None:
    # α = 0.04: rewards are lowered by √(α/n) = 0.1 or 0.2, and the probability 1 - e^{-α/n} goes to
    # the worst state, which is the end state with value 0.
    solution = cppo(MODEL, ModelConfig(R=2, alpha=0.04))
    stays = 0.5 * np.exp(-0.01)
    V1 = 0.65 / (1 - stays)
    close(solution.V, [-0.1 + stays * V1, V1], 1e-6)
    close(solution.Q[1], [V1, 0.8], 1e-6)
    # Unseen: -2, then the end state.
    close(solution.Q[0], [-0.1 + stays * V1, -2], 1e-6)
    close(solution.policy, STAY)


def test_armor() -> None:
    # With α = 0 the model is P̂. μ stays in 1 with probability 0.8: V^μ = (2/3, 4/3).
    solution = armor(MODEL, ModelConfig(R=2, alpha=0))
    close(solution.policy, STAY)
    assert solution.objective == pytest.approx(0.8 * (0.75 - 2 / 3) + 0.2 * (1.5 - 4 / 3), abs=1e-6)
    assert solution.gap == pytest.approx(0, abs=1e-5)
    # α = 1: no improvement is certain, so the policy equals the behavior policy.
    timid = armor(MODEL, ModelConfig(R=2, alpha=1))
    close(timid.policy[1], [0.8, 0.2])
    assert timid.objective == pytest.approx(0, abs=1e-6)


def test_pspi() -> None:
    # From d_0 = (0.8, 0.2), staying visits (0, 0) with 0.5·0.8 and (1, 0) with the rest.
    solution = pspi(MODEL, GameConfig(R=2, beta=100, tolerance=1e-9))
    close(solution.policy, STAY)
    penalty = (0.4**2 + 0.6**2) / (4 / 9) / 400
    assert solution.objective == pytest.approx(0.6 * 0.75 - penalty)
    # The critic's reward is r̂ - d/(2βμ).
    close(solution.V[1:], [(0.75 - 0.6 * 9 / 4 / 200) / 0.5])
    close(solution.Q[0, 1:], [-4])


def test_atac() -> None:
    # ν - γP̂ᵀμ = (4, 5 - 8/2)/9: staying visits (0, 0) 4/9 and (1, 0) 6/9, the data (4, 4, 1)/9.
    solution = atac(MODEL, GameConfig(R=2, beta=10, tolerance=1e-9))
    close(solution.policy, STAY)
    penalty = (4 / 81 / (4 / 9) + 1 / 81 / (1 / 9)) / 40
    assert solution.objective == pytest.approx(2 / 9 * 0.75 - 1 / 9 - penalty)
    # With x visits to (1, 1), (1, 0) has 2/3 - 2x; z = x - 1/9 gives the objective
    # -z/2 - 9z²/(2β), which for β = 1/2 is best at z = -1/36.
    inside = atac(MODEL, GameConfig(R=2, beta=0.5, tolerance=1e-9))
    close(inside.policy, [[1.0, 0.0], [6 / 7, 1 / 7]], 1e-4)
    assert inside.objective == pytest.approx(1 / 144)
