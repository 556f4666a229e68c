import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from instinct.data import Array
from instinct.tabular.kl_ball import SupportRows, worst_expectation


def one_row(p: Array) -> SupportRows:
    k = len(p)
    return SupportRows(np.array([0]), np.array([1]), np.arange(k), p, np.array([0]), np.array([k]))


def worst(p: Array, v: Array, m: float, x: float) -> tuple[float, Array, float]:
    bound, weights, rest = worst_expectation(one_row(p), v, np.array([m]), np.array([x]))
    return float(bound[0]), weights, float(rest[0])


def test_certain_rows_by_hand() -> None:
    """If P̂ is certain, the probability e^{-x} stays, and the rest goes to the worst outcome."""
    bound, weights, rest = worst(np.array([1.0]), np.array([3.0]), m=-1.0, x=0.5)
    assert abs(bound - (-1 + 4 * np.exp(-0.5))) < 1e-8
    assert abs(weights[0] - np.exp(-0.5)) < 1e-8
    assert abs(rest - (1 - np.exp(-0.5))) < 1e-8


def test_even_odds_by_hand() -> None:
    """kl(1/2 ‖ q) = x at q = (1 ± √(1 - e^{-2x}))/2."""
    for x in (1e-8, 1e-3, 0.1, 1.0, 5.0):
        bound, _, _ = worst(np.array([0.5, 0.5]), np.array([0.0, 1.0]), m=0.0, x=x)
        assert abs(bound - (1 - np.sqrt(-np.expm1(-2 * x))) / 2) < 1e-7


@given(
    st.integers(0, 10**6),
    st.integers(1, 6),
    st.floats(-8, 2),
    st.sampled_from([0.0, 1e-6, 0.1, 100.0]),
)
def test_the_bound_holds_and_is_attained(seed: int, k: int, power: float, drop: float) -> None:
    random = np.random.default_rng(seed)
    p, v, x = random.dirichlet(np.ones(k)) + 1e-6, random.normal(size=k), 10.0**power
    p /= p.sum()
    m = float(v.min()) - drop
    bound, weights, rest = worst(p, v, m, x)
    # A distribution of the ball comes close to the bound.
    assert abs(weights.sum() + rest - 1) < 1e-9
    close_to = weights @ v + rest * m
    scale = float(v.max()) - m + 1
    assert -1e-7 * scale <= close_to - bound <= 1e-7 * scale
    own = weights + np.where(v == m, rest, 0)
    assert (p * np.log(p / own)).sum() <= x * (1 + 1e-5) + 1e-9
    # No other distribution of the ball goes below it.
    for _ in range(20):
        other = random.dirichlet(np.append(p * random.uniform(1, 100), 0.1) + 1e-3)
        share = 0.999
        while (p * np.log(p / ((1 - share) * p + share * other[:-1]))).sum() > x:
            share /= 2
        q = np.append((1 - share) * p, 0) + share * other
        assert q @ np.append(v, m) >= bound - 1e-9 * scale
