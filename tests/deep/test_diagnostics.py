"""Diagnostics of agents whose numbers are known without computing them."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from instinct.data import Box, Dataset, Discrete
from instinct.deep.algorithms.algorithm import Algorithm, CriticView, hyperparameters
from instinct.deep.nn.networks import PerAction
from instinct.deep.training.diagnostics import DIAGNOSTICS, diagnose, live_units

Layers = tuple[dict[str, jax.Array], ...]


def layer(weight: list[list[float]], bias: list[float]) -> dict[str, jax.Array]:
    return {"weight": jnp.array(weight), "bias": jnp.array(bias)}


def linear_critic(*weight: float, bias: float) -> Layers:
    """f(s, a) = weight · (s, a) + bias, without a hidden layer."""
    return (layer([[w] for w in weight], [bias]),)


def two_episodes() -> Dataset:
    """States 0, 1, 2 with a terminal, then 10, 11 with a timeout; actions between −2 and 2."""
    states = np.array([[0.0], [1.0], [2.0], [10.0], [11.0]], np.float32)
    return Dataset(
        observations=states,
        actions=np.array([[-2.0], [0.0], [2.0], [1.0], [-1.0]], np.float32),
        rewards=np.zeros(5, np.float32),
        next_observations=states + 1,
        terminals=np.arange(5) == 2,
        timeouts=np.arange(5) == 4,
        action_space=Box((-2.0,), (2.0,)),
    )


@hyperparameters
class Known(Algorithm):
    """Acts with a constant, in units of [−1, 1]; the state has the constant and the critics."""

    def weights(self, state: Any) -> dict[str, Any]:
        return {"constant": state[0]}

    def critics_of(self, state: Any) -> CriticView | None:
        critics: CriticView | None = state[1]
        return critics

    def mode(self, weights: dict[str, Any], observations: jax.Array) -> jax.Array:
        return jnp.full((len(observations), 1), weights["constant"])


def test_distance_of_a_constant_policy_from_the_recorded_actions() -> None:
    """The actions are −1, 0, 1, ½, −½ of the range; |½ − a| is 1½, ½, ½, 0, 1."""
    found = diagnose(Known(), (0.5, None), two_episodes())
    assert found == pytest.approx({"action_distance": 3.5 / 5})


def test_values_of_linear_critics() -> None:
    """f₁ = 10 s + 4 a + 1 and f₂ = 10 s + 8 a + 3, in units of a tenth of the rewards'.

    The policy acts with ½: at the starts 0 and 10 the mean of the two critics is 5 and 105. Before
    the ends, the pairs (2, 1) and (11, −½) have 28 and 109. f₂ − f₁ = 4 a + 2 is −2, 2, 6, 4, 0.
    """
    heads = (linear_critic(10, 4, bias=1), linear_critic(10, 8, bias=3))
    found = diagnose(Known(), (0.5, CriticView(heads, scale=0.1)), two_episodes())
    assert found["value_at_starts"] == pytest.approx(10 * (5 + 105) / 2)
    assert found["value_before_ends"] == pytest.approx(10 * (28 + 109) / 2)
    assert found["disagreement"] == pytest.approx(10 * (2 + 2 + 6 + 4 + 0) / 5)
    assert [*found] == [name for name in DIAGNOSTICS if name in found]


def test_critics_see_standardized_states() -> None:
    """f = s with s standardized by mean 4 and deviation 2: −2 and 3 at the starts 0 and 10."""
    heads = (linear_critic(1, 0, bias=0),) * 2
    found = diagnose(Known(), (0.0, CriticView(heads, mean=4.0, std=2.0)), two_episodes())
    assert found["value_at_starts"] == pytest.approx((-2 + 3) / 2)
    assert found["disagreement"] == 0


@hyperparameters
class KnownDiscrete(Known):
    """Takes the same action in every state."""

    ACTIONS = "discrete"

    def mode(self, weights: dict[str, Any], observations: jax.Array) -> jax.Array:
        return jnp.full(len(observations), weights["constant"])


def test_discrete_actions() -> None:
    """The policy takes the action 1, the data 0, 1, 2, 1, 1: they differ in two of five states.

    f₁ is s + 10·a and f₂ is 2 more. At the starts 0 and 10 the mean of both is 11 and 21. Before
    the ends, the pairs (2, 2) and (11, 1) have 23 and 22.
    """
    recorded = np.array([0, 1, 2, 1, 1])
    dataset = replace(two_episodes(), actions=recorded, action_space=Discrete(3))
    first, second = (
        PerAction((layer([[1.0] * 3], [bias, bias + 10, bias + 20]),)) for bias in (0.0, 2.0)
    )
    found = diagnose(KnownDiscrete(), (1, CriticView((first, second))), dataset)
    assert found == pytest.approx(
        {
            "action_distance": 2 / 5,
            "value_at_starts": (11 + 21) / 2,
            "value_before_ends": (23 + 22) / 2,
            "disagreement": 2.0,
            "live_units": 1.0,
        }
    )


def test_live_units_of_a_network_made_by_hand() -> None:
    """Of the last four units, with inputs ±1, the first two are active once, the others never.

    The first hidden layer passes on x⁺ and x⁻. The units of the second see x⁺, x⁻, −x⁺ and −1. The
    other network has one live unit of four: only the last hidden layer counts.
    """
    passed = layer([[1.0, -1.0]], [0.0, 0.0])
    last = layer([[1.0]] * 4, [0.0])
    first = (
        passed,
        layer([[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0]], [0.0, 0.0, 0.0, -1.0]),
        last,
    )
    second = (passed, layer([[0.0] * 4] * 2, [1.0, 0.0, -1.0, -1.0]), last)
    inputs = jnp.array([[1.0], [-1.0]])
    assert live_units([(first, inputs)]) == 0.5
    assert live_units([(first, inputs), (second, inputs)]) == (0.5 + 0.25) / 2
    assert live_units([(first, inputs[:1])]) == 0.25, "−1 is needed for the second unit"


def test_a_number_that_is_not_finite_is_left_out() -> None:
    heads = (linear_critic(1, 0, bias=0), linear_critic(1, 0, bias=float("inf")))
    found = diagnose(Known(), (0.5, CriticView(heads)), two_episodes())
    assert not {"disagreement", "value_at_starts"} & {*found}
    assert "action_distance" in found


def test_an_agent_with_a_memory_has_no_diagnostics() -> None:
    class Remembers(Known):
        def start(self, weights: dict[str, Any], n: int, key: jax.Array) -> jax.Array:
            del weights, key
            return jnp.zeros(n)

    assert diagnose(Remembers(), (0.5, None), two_episodes()) == {}
