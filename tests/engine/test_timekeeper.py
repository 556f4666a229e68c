"""The remaining time and the share of busy workers, worked out by hand with a clock of our own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from instinct.deep import StageProgress
from instinct.engine.prediction import add_up, predict_from_memory, stages_of
from instinct.engine.scheduler import StudyProgress, execute
from instinct.engine.speeds import FILE, recall, remember
from instinct.engine.timekeeper import Timekeeper, kind_of
from instinct.study.measurement import Measurement
from instinct.study.store import open_store
from instinct.study.trials import Trial
from tests.study.problems import FakeExecutor, Message, deep_plan


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSTINCT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Clock:
    """A clock that stands still unless it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def keeper_after(
    clock: Clock, trial: Trial, stages: list[tuple[float, str, int, int]]
) -> Timekeeper:
    """Report the stages of worker 0 at the times given."""
    keeper = Timekeeper(clock)
    for when, name, step, steps in stages:
        clock.now = when
        keeper.report({0: (trial, StageProgress(name, step, steps, {}))})
    return keeper


def test_the_remaining_time() -> None:
    """BC has 20 steps, at 0.5 s each; one run is at step 12 and one has not begun."""
    first, second = deep_plan("file", "BC", seeds=2).final({})
    keeper = keeper_after(Clock(), first, [(0, "BC", 4, 20), (4, "BC", 12, 20)])
    running = {0: (first, StageProgress("BC", 12, 20, {}))}
    assert keeper.remaining([second], running, 1) == pytest.approx(0.5 * (8 + 20))
    assert keeper.remaining([second], running, 4) == pytest.approx(0.5 * 20)
    assert keeper.remaining([], {0: (first, StageProgress("evaluation", 0, 1, {}))}, 1) == 0
    assert Timekeeper().remaining([second], {}, 1) is None


def test_shared_warm_starts_and_stages_of_their_own_speed() -> None:
    """PSPI clones and evaluates for 20 steps each before its own 20; cloning is shared."""
    one, two = deep_plan("file", "PSPI", labels=("original", "zero"), seeds=1).final({})
    keeper = keeper_after(
        Clock(),
        one,
        [(0, "Cloning", 0, 20), (20, "Cloning", 20, 20), (20, "PSPI", 0, 20), (22, "PSPI", 10, 20)],
    )
    running = {0: (one, StageProgress("PSPI", 10, 20, {}))}
    mean = 22 / 30
    assert keeper.remaining([], running, 1) == pytest.approx(10 * 0.2)
    assert one.warm_starts["Cloning"] == two.warm_starts["Cloning"]
    expected = 10 * 0.2 + 20 * mean + 20 * 0.2
    assert keeper.remaining([two], running, 1) == pytest.approx(expected)


def test_the_share_of_busy_workers() -> None:
    """Two workers train for 10 s, then one of them alone for 10 s: three quarters."""
    first, second = deep_plan("file", "BC", seeds=2).final({})
    clock = Clock()
    keeper = Timekeeper(clock)
    begun = StageProgress("BC", 1, 20, {})
    keeper.report({0: (first, None)})
    assert keeper.busy(2) is None
    for when, running in [
        (5, {0: (first, begun), 1: (second, begun)}),
        (15, {0: (first, begun)}),
        (25, {}),
    ]:
        clock.now = when
        keeper.report(running)
    assert keeper.busy(2) == pytest.approx(0.75)


def test_a_study_reports_both(tmp_path: Path) -> None:
    """Two fake workers that are always busy; the time is known after two reports of a stage."""

    def run_trial(trial: Trial) -> Iterator[Message]:
        for step in (1, 10, 20):
            yield StageProgress("BC", step, 20, {})
        yield Measurement({"return": (1.0,)})

    plan = deep_plan("file", "BC", seeds=4)
    seen: list[StudyProgress] = []
    turns = iter(range(1000))
    executor = FakeExecutor(2, run_trial, lambda busy: next(turns) % busy)
    with open_store(tmp_path, plan, {}) as store:
        execute(plan.final({}), store, executor, seen.append)
    last = seen[-1]
    assert last.ended == 4
    assert last.busy is not None
    assert 0.5 < last.busy <= 1


def test_an_estimate_from_memory(own_cache: Path) -> None:
    plan = deep_plan("hopper-medium", "BC", seeds=3)
    assert predict_from_memory(plan) is None
    (kind,) = {kind_of(stage) for stage in stages_of(plan.final({})).values()}
    remember({kind: 2.0})
    found = predict_from_memory(plan, workers=3)
    assert found == add_up(plan, {kind: 2.0}, 3)
    assert found is not None
    assert found.core_hours == pytest.approx(3 * 20 * 2 / 3600)
    assert found.describe().startswith("3 runs need about 2.0 core-minutes: 40 s on 3 cores")
    (own_cache / FILE).write_text("{")
    assert recall() == {}
    assert predict_from_memory(plan) is None
