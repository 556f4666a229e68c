"""The datasets of CartPole, MountainCar and Acrobot."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import instinct
from instinct.audits.plan import audit_plan
from instinct.benchmarks.benchmark import episode_terminals
from instinct.benchmarks.classic.datasets import FEEDBACK_RECORDINGS, FeedbackRecordings
from instinct.benchmarks.registry import (
    display_name,
    find_benchmark,
    find_dataset,
    find_recipe,
    task_of,
)
from instinct.data import Dataset, Discrete
from instinct.errors import BadInput
from instinct.study.plan import Cell

TASKS = ("cartpole", "mountaincar", "acrobot")


@pytest.fixture(scope="module")
def cartpole() -> Dataset:
    return find_recipe("cartpole").make()


def test_the_pole_falls_in_medium_data(cartpole: Dataset) -> None:
    assert len(cartpole) == 30_000
    assert cartpole.action_space == Discrete(2)
    assert {*cartpole.actions.tolist()} == {0, 1}
    assert (cartpole.rewards == 1).all()
    ends = episode_terminals(cartpole)
    assert ends[:-1].mean() > 0.95, "almost no episode lasts for all 500 steps"
    assert 100 < cartpole.lengths.mean() < 250
    assert np.quantile(cartpole.lengths, 0.95) > 300


def test_medium_data_hold_recoveries(cartpole: Dataset) -> None:
    """The pole often leans by more than 6°, half of the way to a fall, and comes back."""
    leaning = np.abs(cartpole.observations[:, 2]) > np.pi / 30
    begins = leaning & ~np.roll(leaning, 1)
    falls = leaning[cartpole.stops - 1].sum()
    assert begins.sum() - falls > 100


def test_a_part_of_the_actions_is_random(cartpole: Dataset) -> None:
    """Noise of 20 % among two actions changes every tenth action."""
    x, _, angle, turning = cartpole.observations.T
    pushes = 0.5 * x + angle + 0.5 * turning > 0
    assert (cartpole.actions != pushes).mean() == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize("task", TASKS)
def test_qualities_are_in_order(task: str) -> None:
    benchmark = find_benchmark(task)
    means = {}
    for name in (f"{task}-random", task, f"{task}-expert"):
        scores = benchmark.task(task).scores(find_recipe(name, 6000).make().returns)
        assert scores is not None
        means[name] = scores.mean()
    random, medium, expert = means.values()
    assert random < 2
    assert 20 < medium < 80
    assert expert > 85


@pytest.mark.parametrize("task", ["mountaincar", "acrobot"])
def test_goals_end_episodes_and_are_reached_by_most(task: str) -> None:
    dataset = find_recipe(task, 10_000).make()
    reached = episode_terminals(dataset)
    assert 0.8 < reached.mean() < 1
    assert dataset.lengths[reached].mean() < dataset.lengths[:-1][~reached[:-1]].mean()


def test_mixed_data_are_three_equal_parts() -> None:
    mixed = find_recipe("cartpole-mixed", 1500).make()
    alone = find_recipe("cartpole-random", 500).make()
    np.testing.assert_array_equal(mixed.observations[:500], alone.observations[:500])
    last = [499, 999, 1499]
    assert (mixed.timeouts | mixed.terminals)[last].all(), "no episode is in two parts"
    assert mixed.lengths[-1] == 500, "the expert's episode is whole"
    with pytest.raises(BadInput, match="at least one transition from each"):
        find_recipe("cartpole-mixed", 2).make()


@pytest.mark.parametrize("name", ["cartpole", "mountaincar-mixed", "acrobot-expert"])
def test_the_same_seed_gives_the_same_data(name: str) -> None:
    one = find_recipe(name, 600)
    assert isinstance(one, FeedbackRecordings)
    assert one.make().hash == one.make().hash
    assert replace(one, seed=1).make().hash != one.make().hash
    assert replace(one, seed=1).entry != one.entry


def test_made_once_and_stored(own_data: Path) -> None:
    assert find_recipe("acrobot@400").note() is None
    counts: list[int] = []
    dataset = find_dataset("acrobot@400", on_progress=lambda done, *_: counts.append(done))
    assert counts[-1] == len(dataset) == 400
    note = find_recipe("acrobot@400").note()
    assert note is not None
    assert (note["hash"], note["environment"]) == (dataset.hash, "Acrobot-v1")
    assert note["policies"][0]["noise"] == 0.4
    (made,) = (own_data / "datasets").glob("*.npz")
    before = made.stat().st_mtime_ns
    assert find_dataset("acrobot@400").hash == dataset.hash
    assert made.stat().st_mtime_ns == before


def test_names() -> None:
    assert len(FEEDBACK_RECORDINGS) == 12
    assert len({one.entry for one in FEEDBACK_RECORDINGS.values()}) == 12
    for task in TASKS:
        shown = [
            display_name(name)
            for name in (f"{task}-random", task, f"{task}-mixed", f"{task}-expert")
        ]
        assert {one.group for one in shown} == {task}
        assert [one.text for one in shown] == ["random", "medium", "mixed", "expert"]
        assert [one.order for one in shown] == sorted(one.order for one in shown)
        assert task_of(f"{task}-mixed@100") == task
        assert find_benchmark(task).quality_of(task) == "medium"
    assert display_name("cartpole@500").text == "medium@500"
    assert find_benchmark("cartpole").recorded_from("cartpole") == (
        "medium feedback, 20% random actions"
    )


def test_only_falls_are_removed_under_wrong_rewards() -> None:
    for task, removed in (("cartpole", True), ("mountaincar", False), ("acrobot", False)):
        plan = audit_plan(task)
        assert plan.without_terminals(Cell(task, "PSPI", "zero")) is removed
        assert not plan.without_terminals(Cell(task, "PSPI", "original"))


def test_an_audit_needs_no_more_than_a_name(own_data: Path, tmp_path: Path) -> None:
    small = {"layers": 1, "units": 8, "batch_size": 16, "steps": 10}
    found = instinct.audit(
        "cartpole@300",
        algorithms=["PSPI"],
        labels=["original", "zero"],
        settings={"BC": small, "PSPI": {**small, "warm_start_steps": 10}},
        seeds=1,
        episodes=2,
        folder=tmp_path / "audit",
        progress=False,
    )
    assert (found.document["task"], found.findings.failed) == ("cartpole", 0)
    terminals = found.document["terminals"]
    assert (terminals["treatment"], terminals["reason"]) == ("removed", "task")
    assert terminals["end"] == "fall"
    results = found.results
    assert list(results.algorithm + " " + results.label) == [
        "BC original", "BC zero", "PSPI original", "PSPI zero",
    ]  # fmt: skip
    lengths, scores = results["length"].to_numpy(), results["score"].to_numpy()
    np.testing.assert_allclose(scores, 100 * (lengths - 22.2) / (500 - 22.2), atol=0.1)
