"""Searches with agents that are made up: which filter is chosen, on which seeds, what is said."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from instinct.data import ALL
from instinct.errors import BadInput
from instinct.nudge.page import compose_nudge, nudge_document
from instinct.nudge.ranking import FILE
from instinct.nudge.run import Nudge, NudgeOptions, begin_search, finish_search
from instinct.study.intervals import difference_interval, mean_of
from instinct.study.measurement import Measurement
from instinct.study.trials import Trial
from tests.nudge.problems import write_idle_grid
from tests.study.problems import FakeExecutor, Message


def filter_of(trial: Trial) -> str:
    return next((name for name in trial.filters if name != "no-terminals"), ALL)


class Agents:
    """Zero-reward agents whose return depends on filter and seed, and on nothing else."""

    def __init__(self, **means: float) -> None:
        self.means = {name.replace("_", "-"): value for name, value in means.items()}
        self.ran: list[Trial] = []

    def __call__(self, trial: Trial) -> Iterator[Message]:
        self.ran.append(trial)
        kind = filter_of(trial).partition(":")[0]
        late = f"late-{kind}"
        mean = self.means.get(late if late in self.means and trial.seed >= 2 else kind, 0.0)
        value = mean + 0.1 * (trial.seed % 2)
        yield Measurement({"return": (value,), "length": (9.0,)}, seconds=1.0)


def run(folder: Path, agents: Agents, **changes: Any) -> Nudge:
    data = write_idle_grid(folder / "idle.npz")
    given: dict[str, Any] = {"goal": "return", "task": "gridworld", "seeds": 2, "report_seeds": 2}
    search = begin_search(str(data), folder / "out", NudgeOptions(**given | changes))
    return finish_search(search, executor=lambda *_: FakeExecutor(1, agents))


def codes(nudge: Nudge) -> list[str]:
    return [each.code for each in compose_nudge(nudge).verdicts]


def test_the_winner_of_the_search_is_judged_on_other_seeds(tmp_path: Path) -> None:
    agents = Agents(all=1.0, good_episodes=2.0, bad_episodes=3.0)
    nudge = run(tmp_path, agents)
    assert nudge.chosen == "bad-episodes:0.25"
    searched = {(filter_of(each), each.seed) for each in agents.ran if each.seed < 2}
    assert searched == {(name, seed) for name in nudge.search.plan.filters for seed in (0, 1)}  # type: ignore[union-attr]
    judged = {(filter_of(each), each.seed) for each in agents.ran if each.seed >= 2}
    assert judged == {(name, seed) for name in (ALL, "bad-episodes:0.25") for seed in (2, 3)}
    assert {(each.label, each.algorithm) for each in agents.ran} == {("zero", "PEVI")}
    page = compose_nudge(nudge)
    document = nudge_document(nudge, page)
    assert codes(nudge) == ["nudge-found", "nudge-removal", "nudge-seeds"]
    assert (document["search_seeds"], document["report_seeds"]) == ([0, 1], [2, 3])
    assert document["confirmed"]
    change = document["change"]
    assert (change["before"], change["after"]) == pytest.approx((1.05, 3.05))
    sure = difference_interval(mean_of(np.array([3.0, 3.1])), mean_of(np.array([1.0, 1.1])))
    assert change["interval"] == pytest.approx([sure.low, sure.high])
    assert document["removes"]["transitions"] == nudge.ranking.find(nudge.chosen).removed
    assert document["removes"]["episodes_gone"] == 50


def test_a_winner_that_fails_on_other_seeds_is_refuted(tmp_path: Path) -> None:
    nudge = run(tmp_path, Agents(all=1.0, good_episodes=2.0, late_good_episodes=0.5))
    assert nudge.chosen == "good-episodes:0.92"
    assert codes(nudge)[0] == "nudge-refuted"
    assert not nudge_document(nudge, compose_nudge(nudge))["confirmed"]


def test_a_small_gain_is_not_certain_and_one_seed_has_no_interval(tmp_path: Path) -> None:
    agents = Agents(all=1.0, good_episodes=1.1)
    assert codes(run(tmp_path, agents))[0] == "nudge-uncertain"
    single = run(tmp_path / "one", agents, report_seeds=1)
    assert codes(single)[0] == "nudge-uncertain"
    assert "one-seed" in codes(single)
    assert nudge_document(single, compose_nudge(single))["change"]["interval"] is None


def test_if_all_data_are_best_nothing_is_confirmed(tmp_path: Path) -> None:
    nudge = run(tmp_path, Agents(all=5.0))
    assert (nudge.chosen, nudge.report) == (None, None)
    assert codes(nudge) == ["nudge-none"]
    document = nudge_document(nudge, compose_nudge(nudge))
    assert (document["filter"], document["report_seeds"]) == (None, [])
    assert not (tmp_path / "out" / "report").exists()


def test_a_search_that_was_stopped_goes_on(tmp_path: Path) -> None:
    class Stopping(Agents):
        def __call__(self, trial: Trial) -> Iterator[Message]:
            if len(self.ran) == 4:
                raise KeyboardInterrupt
            return super().__call__(trial)

    stopped = Stopping(all=1.0, good_episodes=2.0)
    with pytest.raises(Exception, match="4 of 6 runs ended"):
        run(tmp_path, stopped)
    kept = (tmp_path / "out" / FILE).read_bytes()
    agents = Agents(all=1.0, good_episodes=2.0)
    nudge = run(tmp_path, agents)
    assert nudge.chosen == "good-episodes:0.92"
    assert len(agents.ran) == 2 + 4
    assert (tmp_path / "out" / FILE).read_bytes() == kept
    again = Agents()
    assert codes(run(tmp_path, again)) == codes(nudge)
    assert again.ran == []


def test_a_damaged_ranking_is_made_again(tmp_path: Path) -> None:
    options = {"score_only": True, "goal": "return"}
    first = run(tmp_path, Agents(), **options)
    path = tmp_path / "out" / FILE
    path.write_text(path.read_text("utf-8").replace("good-episodes", "bad"), "utf-8")
    assert run(tmp_path, Agents(), **options).ranking.candidates == first.ranking.candidates


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"tolerance": 0.1}, "tolerance: is for the goal cost"),
        ({"goal": "cost", "tolerance": 2.0}, "tolerance: must be a share from 0 to 1"),
        ({"keep": 0.0}, "keep: must be a share above 0"),
        ({"goal": "cost"}, "gridworld measures no cost; choose another goal"),
        ({"goal": "success"}, "gridworld measures no success"),
        ({"task": None}, "has no task in which policies are judged"),
        ({"algorithm": "nothing"}, "nothing"),
        ({"best": 0}, "best: must be at least 1"),
    ],
)
def test_bad_options_are_refused_before_anything_is_written(
    tmp_path: Path, changes: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(BadInput, match=complaint):
        run(tmp_path, Agents(), **changes)
    assert not (tmp_path / "out").exists()
