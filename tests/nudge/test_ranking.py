"""Rankings of filters on data where the right one is known."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from instinct.benchmarks.registry import find_task
from instinct.data import apply_filters, find_filter, read
from instinct.errors import BadInput
from instinct.nudge.candidates import short
from instinct.nudge.goals import check_task, find_goal
from instinct.nudge.prediction import Predictor
from instinct.nudge.ranking import Ranking, RankingOptions, overlap, rank_filters
from instinct.score import score_dataset
from tests.data.datasets import small
from tests.nudge.problems import STEPS, choices, write_idle_grid
from tests.score.test_score import walks


def names(ranking: Ranking) -> list[str]:
    return [each.name for each in ranking.candidates]


def test_cutting_out_costs_is_best_against_costs() -> None:
    """The agent on all data costs as much as the data; without costly actions it costs nothing."""
    data = choices()
    assert data.costs is not None
    found = rank_filters(data, "", RankingOptions("cost", tolerance=0.1))
    assert names(found)[0] == "cost-free"
    assert found.before["cost"] == pytest.approx(data.costs.sum() / data.episodes)
    assert found.candidates[0].predicted["cost"] == pytest.approx(0)
    assert found.candidates[0].predicted["return"] == pytest.approx(STEPS)
    assert found.candidates[0].removed == data.costs.sum()
    limit = next(each for each in found.candidates if each.name == "safe-episodes:4")
    few = apply_filters(data, [limit.name])
    assert limit.predicted["cost"] == pytest.approx(few.per_episode(few.costs).mean())  # type: ignore[arg-type]
    assert (limit.gone, limit.cut) == (data.episodes - few.episodes, 0)


def test_a_filter_that_costs_too_much_reward_is_ranked_last() -> None:
    """Costly actions earn five times as much: without them most of the reward is lost."""
    data = choices(reward_of_cost=5.0)
    strict, lenient = (
        rank_filters(data, "", RankingOptions("cost", tolerance=tolerance))
        for tolerance in (0.1, 0.8)
    )
    lost = next(each for each in strict.candidates if each.name == "cost-free")
    assert not lost.allowed
    assert all(each.allowed for each in strict.best)
    assert names(lenient)[0] == "cost-free"
    assert lenient.candidates[0].allowed


def test_survival_is_served_by_removing_what_falls() -> None:
    """Action -1 falls in every fifth step, action 1 never: episodes then last all 20 steps."""
    found = rank_filters(walks(0.2), "", RankingOptions("survival", filters=("actions[0] < 0",)))
    assert found.quantity == "length"
    assert names(found)[0] == "actions[0]<0"
    best = found.candidates[0]
    assert best.predicted["length"] == pytest.approx(20)
    assert best.low is not None
    assert best.low > 0


def test_successes_are_those_of_goal_terminals(tmp_path: Path) -> None:
    data = read(write_idle_grid(tmp_path / "idle.npz"))
    found = rank_filters(data, "idle", RankingOptions("success", task="gridworld"))
    assert names(found)[0] in ("early-episodes:1", "good-episodes:0.92")
    assert found.candidates[0].predicted["success"] == pytest.approx(1)
    assert found.before["success"] < 1
    without = data.change(
        terminals=np.zeros(len(data), bool), timeouts=data.timeouts | data.terminals
    )
    other = rank_filters(without, "idle", RankingOptions("success", task="gridworld"))
    assert other.quantity == "return"


def test_without_a_filter_or_without_whole_episodes_it_is_the_score() -> None:
    data = walks(0.4)
    predictor = Predictor(data)
    scored = score_dataset(data)
    low, high = data.returns.min(), data.returns.max()
    assert (predictor.predict()["return"] - low) / (high - low) == pytest.approx(scored.score)
    nothing = np.zeros(len(data), bool)
    assert predictor.predict(nothing) == pytest.approx(predictor.predict())


def test_limits_are_rounded_away_from_what_is_removed() -> None:
    below = [short(x) for x in (1502.71, -1502.71, 0.12345, 123456.0)]
    assert below == ["1502", "-1503", "0.1234", "123400"]
    assert [short(x, math.ceil) for x in (1502.71, -1502.71, 0.0)] == ["1503", "-1502", "0"]


def test_filters_that_remove_nearly_the_same_are_not_both_among_the_best() -> None:
    data = choices(episodes=200)
    found = rank_filters(data, "", RankingOptions("cost", tolerance=0.1, best=4))
    masks = [find_filter(each.name)(data) for each in found.best]
    for number, one in enumerate(masks):
        assert all(overlap(one, other) < 0.9 for other in masks[:number])
    assert len({*names(found)}) == len(found.candidates)


@pytest.mark.parametrize(
    ("goal", "complaint"),
    [
        ("cost", "costs: missing; the goal cost needs recorded costs"),
        ("speed", "no goal is called 'speed'; there are return, cost, success, survival"),
    ],
)
def test_goals_that_the_data_do_not_have(goal: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        rank_filters(walks(0.2), "", RankingOptions(goal))


def test_more_goals_that_the_data_do_not_have() -> None:
    silent = replace(small().change(rewards=np.zeros(6)), has_rewards=False)
    with pytest.raises(BadInput, match="the goal return needs the true rewards"):
        rank_filters(silent, "", RankingOptions("return"))
    with pytest.raises(BadInput, match="all are 0"):
        rank_filters(small(costs=np.zeros(6)), "", RankingOptions("cost"))
    with pytest.raises(BadInput, match="every episode lasts 10 steps"):
        rank_filters(choices(), "", RankingOptions("survival"))
    with pytest.raises(BadInput, match="gridworld measures no success"):
        check_task(find_goal("success"), find_task("gridworld"))


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("rewards>9", "rewards>9 removes nothing from these data"),
        ("rewards<9", "keeps 0.0% of the transitions, less than 10%"),
        ("best", "no filter is called 'best'"),
    ],
)
def test_own_filters_that_are_no_candidates(name: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        rank_filters(choices(), "", RankingOptions("return", filters=(name,)))
