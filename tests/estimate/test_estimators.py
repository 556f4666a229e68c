"""Every estimator on problems with known answers, and where each must refuse."""

from dataclasses import replace

import numpy as np
import pytest

from instinct.data import Dataset
from instinct.errors import BadInput
from instinct.estimate import (
    ESTIMATORS,
    Estimate,
    Judge,
    Problem,
    Refusal,
    dynamics,
    estimate,
    fqe,
    make_judge,
)
from instinct.estimate.model import fit
from tests.estimate.chain import SMALL, always, always_box, bandit, chain, chance


@pytest.fixture(scope="module")
def judge() -> Judge:
    return make_judge(chain(), horizon=6, settings=SMALL)


@pytest.fixture(scope="module")
def short(judge: Judge) -> Judge:
    return replace(judge, problem=replace(judge.problem, horizon=3))


@pytest.fixture(scope="module")
def bandit_judge() -> Judge:
    return make_judge(bandit(), settings=SMALL)


@pytest.fixture(scope="module")
def one_action() -> Judge:
    return make_judge(chain(forward=0.0), horizon=6, settings=SMALL)


GOES_ON = {
    "return": 4.0,
    "discounted_return": 1 + 0.99 + 0.99**2 + 0.99**3,
    "cost": 1.0,
    "length": 4.0,
    "end": 1.0,
}
GOES_BACK = {"return": 0.0, "discounted_return": 0.0, "cost": 0.0, "length": 3.0, "end": 0.0}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_chain_is_walked_to_its_end(judge: Judge, name: str) -> None:
    (judgment,) = judge.judge([always(1)], [name])
    check(judgment.answers[name], GOES_ON)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_horizon_cuts_what_would_follow(short: Judge, name: str) -> None:
    forward, back = short.judge([always(1), always(0)], [name])
    cut = {"return": 3.0, "discounted_return": 1 + 0.99 + 0.99**2, "cost": 1.0}
    check(forward.answers[name], cut | {"length": 3.0, "end": 0.0})
    check(back.answers[name], GOES_BACK)


def check(answers: object, expected: dict[str, float]) -> None:
    assert isinstance(answers, dict)
    for quantity, value in expected.items():
        found = answers[quantity]
        assert isinstance(found, Estimate), found
        assert found.value == pytest.approx(value, abs=0.15), quantity
        assert found.low <= found.value <= found.high


@pytest.mark.parametrize("name", ESTIMATORS)
def test_continuous_actions(bandit_judge: Judge, name: str) -> None:
    (judgment,) = bandit_judge.judge([always_box(0.2)], [name])
    found = judgment.answer("return", name)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(0.2, abs=0.04)


@pytest.mark.parametrize("name", ["dynamics", "fqe"])
def test_what_chance_decides(name: str) -> None:
    """P(N(0, 1) > 1) = 0.159; a model of the mean alone would never end."""
    problem = Problem(chance(), horizon=2, members=8)
    model = fit(problem, **SMALL)
    (found,) = {"dynamics": dynamics, "fqe": fqe}[name].evaluate(problem, model, [always_box(0.2)])
    end, steps = found["end"], found["length"]
    assert isinstance(end, Estimate)
    assert end.value == pytest.approx(0.159, abs=0.08)
    assert isinstance(steps, Estimate)
    assert steps.value == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_data_without_the_policys_actions_are_refused(one_action: Judge, name: str) -> None:
    (judgment,) = one_action.judge([always(1)], [name])
    for answer in judgment.answers[name].values():
        assert isinstance(answer, Refusal)
        assert "outside the data at 100%" in answer.reason


def test_intervals_are_narrower_with_more_data() -> None:
    widths = []
    for episodes in (25, 1600):
        problem = Problem(noisy_bandit(episodes), members=8)
        (found,) = fqe.evaluate(problem, fit(problem, **SMALL), [always_box(0.2)])
        answer = found["return"]
        assert isinstance(answer, Estimate)
        widths.append(answer.high - answer.low)
    assert widths[1] < widths[0] / 2


def noisy_bandit(episodes: int) -> Dataset:
    data = bandit(episodes)
    noise = np.random.default_rng(1).standard_normal(episodes).astype(np.float32)
    return data.change(rewards=data.rewards + noise)


def test_few_matching_episodes_are_refused_by_importance_sampling(judge: Judge) -> None:
    (judgment,) = judge.judge([always(0)], ["wis"])
    answer = judgment.answers["wis"]["return"]
    assert isinstance(answer, Refusal)
    assert "episodes" in answer.reason


def test_data_without_costs_have_no_cost() -> None:
    assert isinstance(estimate(always_box(0.0), bandit(50), "cost"), Refusal)


def test_wrong_names_and_spaces_are_refused(judge: Judge) -> None:
    with pytest.raises(BadInput, match="no estimator is called 'magic'"):
        estimate(always(1), chain(5), estimator="magic")
    with pytest.raises(BadInput, match="no quantity is called 'luck'"):
        estimate(always(1), chain(5), "luck")
    with pytest.raises(BadInput, match="the policy acts in"):
        judge.judge([always_box(0.0)])
