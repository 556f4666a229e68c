"""Scheduling with fake workers, and faults with real ones."""

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import instinct
from instinct.bench.study import measure
from instinct.data import apply_filters, read, relabel
from instinct.deep import StageProgress
from instinct.engine.local_executor import Event, LocalExecutor
from instinct.engine.run_plan import local, run_plan
from instinct.engine.scheduler import ATTEMPTS, StudyProgress, execute
from instinct.engine.trial_runner import DatasetOpened, TrialRunner
from instinct.errors import BadInput, InstinctError
from instinct.study.measurement import Measurement
from instinct.study.plan import Plan
from instinct.study.store import open_store, read_store
from instinct.study.trials import Trial
from tests.study.problems import (
    PENDULUM,
    FakeExecutor,
    Message,
    count_submissions,
    deep_plan,
    fake_trial,
    grid_plan,
    ignore_progress,
    rows,
    write_dataset,
)

GAMES = deep_plan(
    "file", "ATAC", "PSPI", labels=("original", "zero"), settings={"PSPI": {"beta": 4.0}}
)


def run(plan: Plan, folder: Path, executor: FakeExecutor) -> None:
    with open_store(folder, plan, {}) as store:
        execute(plan.final({}), store, executor, ignore_progress)


class WarmStartCounter:
    """Counts how often each warm start is trained when workers share finished ones."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self.trained: list[str] = []

    def run_trial(self, trial: Trial) -> Iterator[Message]:
        for stage, key in trial.warm_starts.items():
            if key not in self.there:
                self.trained.append(key)
                yield StageProgress(stage, 1, 2, {})
                yield StageProgress(stage, 2, 2, {})
                self.there.add(key)
        yield from [*fake_trial(trial)][len(trial.warm_starts) :]


@given(st.integers(1, 4), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_no_warm_start_is_trained_twice(
    tmp_path_factory: pytest.TempPathFactory, workers: int, random: Any
) -> None:
    counter = WarmStartCounter()
    executor = FakeExecutor(workers, counter.run_trial, lambda busy: random.randrange(busy))
    run(GAMES, tmp_path_factory.mktemp("study"), executor)
    # Per seed: the policy's, which all share, and the critics', one for each label.
    assert len(counter.trained) == len({*counter.trained}) == 2 * (1 + 2)
    assert {*count_submissions(executor).values()} == {1}


def test_warm_starts_that_are_there_hold_nobody_back(tmp_path: Path) -> None:
    """Once the first trial has finished them, all workers are busy."""
    plan = deep_plan("file", "ATAC", seeds=1, labels=("original", "zero", "negative"))
    counter, most = WarmStartCounter(), 0
    executor = FakeExecutor(3, counter.run_trial)

    def watch(state: StudyProgress) -> None:
        nonlocal most
        most = max(most, len(state.running))
        if len(counter.there) == 0:
            assert len(state.running) <= 1

    with open_store(tmp_path, plan, {}) as store:
        execute(plan.final({}), store, executor, watch)
    assert most == 3


@pytest.mark.parametrize(("datasets", "workers", "openings"), [(2, 2, 2), (4, 2, 4), (1, 3, 3)])
def test_a_worker_keeps_its_dataset(
    tmp_path: Path, datasets: int, workers: int, openings: int
) -> None:
    plan = replace(deep_plan("a", "BC", seeds=6), datasets=("a", "b", "c", "d")[:datasets])
    turns = iter(range(1000))
    executor = FakeExecutor(workers, turn=lambda busy: next(turns) % busy)
    run(plan, tmp_path, executor)
    assert len({(worker, trial.dataset) for worker, trial in executor.given}) == openings


def test_the_same_trial_twice_is_performed_once(tmp_path: Path) -> None:
    executor = FakeExecutor(2)
    with open_store(tmp_path, GAMES, {}) as store:
        execute(GAMES.final({}) * 2, store, executor, ignore_progress)
    assert count_submissions(executor) == {trial.identity: 1 for trial in GAMES.final({})}


class DyingExecutor(FakeExecutor):
    """Loses some workers for good, busy or idle."""

    def __init__(self, workers: int, lost: dict[int, int]) -> None:
        super().__init__(workers)
        self.lost, self.turns = lost, 0

    def wait(self) -> list[Event]:
        self.turns += 1
        worker = self.lost.get(self.turns)
        if worker is None:
            return super().wait()
        self.workers.remove(worker)
        self.busy.pop(worker, None)
        return [Event(worker, "lost")]


@given(st.dictionaries(st.integers(1, 30), st.integers(1, 3), max_size=ATTEMPTS - 1))
@settings(max_examples=20)
def test_the_rest_goes_on_with_the_workers_that_are_left(
    tmp_path_factory: pytest.TempPathFactory, lost: dict[int, int]
) -> None:
    """A trial fails after three deaths, so fewer workers than that are lost."""
    once = {turn: worker for worker, turn in {w: t for t, w in lost.items()}.items()}
    folder, executor = tmp_path_factory.mktemp("study"), DyingExecutor(4, once)
    run(GAMES, folder, executor)
    with read_store(folder) as store:
        assert {*store.succeeded()} == {trial.identity for trial in GAMES.final({})}
        assert all(store.succeeded().values())


def test_an_idle_worker_may_die(tmp_path: Path) -> None:
    executor = DyingExecutor(4, {2: 3})
    run(deep_plan("file", "BC", seeds=2), tmp_path, executor)
    assert len(rows(tmp_path)) == 2
    assert set(count_submissions(executor).values()) == {1}


def test_what_stops_a_study(tmp_path: Path) -> None:
    def run_trial(trial: Trial) -> Iterator[Message]:
        if trial.seed:
            yield InstinctError("the disk is full")
        yield from fake_trial(trial)

    with pytest.raises(InstinctError, match="the disk is full"):
        run(GAMES, tmp_path, FakeExecutor(1, run_trial))
    assert all(row["failure"] == "" for row in rows(tmp_path).values())
    run(GAMES, tmp_path, FakeExecutor(1))
    assert len(rows(tmp_path)) == len(GAMES.final({}))


def test_a_dataset_that_changed_meanwhile(tmp_path: Path) -> None:
    """The change is detected when the dataset is opened, before any training."""
    path = tmp_path / "data.npz"
    plan = deep_plan(write_dataset(path), "BC", seeds=1)
    (trial,) = plan.final({})

    def run_trial(trial: Trial) -> Iterator[Message]:
        messages: list[DatasetOpened | StageProgress] = []
        TrialRunner(tmp_path).open_dataset(trial, messages.append)
        yield from messages
        yield "the worker died"

    with open_store(tmp_path / "study", plan, {}) as store:
        opened = next(run_trial(trial))
        assert isinstance(opened, DatasetOpened)
        store.add_dataset(opened.dataset, opened.facts)
    write_dataset(path, seed=1)
    executor = FakeExecutor(1, run_trial)
    with pytest.raises(InstinctError, match=r"data\.npz has changed since the study began"):
        run(plan, tmp_path / "study", executor)
    assert rows(tmp_path / "study") == {}


def test_a_finished_study_of_a_file_that_changed_is_refused(tmp_path: Path) -> None:
    """Both hashes are named; the same file, or none, gives the kept results again."""
    path, study = tmp_path / "data.npz", tmp_path / "study"
    plan = deep_plan(write_dataset(path), "BC", seeds=1)

    def run_trial(trial: Trial) -> Iterator[Message]:
        messages: list[DatasetOpened | StageProgress] = []
        TrialRunner(tmp_path).open_dataset(trial, messages.append)
        yield from messages
        yield from fake_trial(trial)

    run(plan, study, FakeExecutor(1, run_trial))
    then = read(path).hash
    run_plan(plan, study, ignore_progress)
    now = read(Path(write_dataset(path, seed=1))).hash
    with pytest.raises(InstinctError, match=rf"{then[:12]}… then, {now[:12]}… now"):
        run_plan(plan, study, ignore_progress)
    path.unlink()
    run_plan(plan, study, ignore_progress)


def test_a_dataset_that_is_gone_stops_the_study(tmp_path: Path) -> None:
    """A missing dataset is not a failure of the trials."""
    plan = deep_plan(str(tmp_path / "nowhere.npz"), "BC", seeds=1)
    with pytest.raises(InstinctError, match=r"nowhere\.npz: no such file or folder"):
        run_plan(plan, tmp_path / "study", ignore_progress, local(1))
    assert rows(tmp_path / "study") == {}


@pytest.mark.parametrize("kind", ["original", "random", "negative"])
def test_labels_and_filters_are_applied_to_the_data(tmp_path: Path, kind: str) -> None:
    plan = deep_plan(write_dataset(tmp_path / "data.npz"), "BC", labels=(kind,))
    runner = TrialRunner(tmp_path)
    for filters in ((), ("no-terminals",)):
        trial = replace(plan.final({})[1], filters=filters)
        found = runner.open_dataset(trial, ignore_progress)
        expected = apply_filters(relabel(found, kind, trial.seed), filters)
        assert runner.prepare(trial, ignore_progress).hash == expected.hash
    assert len(runner.filtered) == 2


def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers import the environments of these tests."""
    root = Path(__file__).parents[2]
    assert root == Path(instinct.__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(root / "src"), str(root)]))


def test_a_worker_that_always_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everywhere(monkeypatch)
    data = write_dataset(tmp_path / "data.npz")
    plan = deep_plan(data, "BC", seeds=1, task="gym:tests.engine.deadly:Deadly-v0")
    run_plan(plan, tmp_path / "study", ignore_progress, local(1))
    (row,) = rows(tmp_path / "study").values()
    assert row["failure"] == "the worker was killed, perhaps because memory ran out (3 attempts)"
    with read_store(tmp_path / "study") as store:
        (deaths,) = store.deaths().values()
        assert deaths == ["the worker was killed, perhaps because memory ran out"] * ATTEMPTS


def test_an_exception_in_a_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker survives, and the trial is tried again."""
    everywhere(monkeypatch)
    data = write_dataset(tmp_path / "data.npz")
    plan = deep_plan(data, "BC", seeds=2, task="gym:tests.engine.deadly:Broken-v0")
    with LocalExecutor(tmp_path / "study", 1) as executor:
        pids: set[int] = set()

        def watch(state: StudyProgress) -> None:
            pids.update(worker.process.pid for worker in executor.alive.values())

        with open_store(tmp_path / "study", plan, {}) as store:
            execute(plan.final({}), store, executor, watch)
    failures = [row["failure"] for row in rows(tmp_path / "study").values()]
    assert failures == ["RuntimeError: the simulator is broken (3 attempts)"] * 2
    assert len(pids) == 1


def test_what_is_wrong_with_a_trial_is_not_tried_again(tmp_path: Path) -> None:
    """A batch that is too large, and actions or observations that do not fit the task."""
    data = write_dataset(tmp_path / "data.npz")
    good = deep_plan(data, "BC", seeds=1)
    (trial,) = good.final({})
    wrong = [
        replace(trial, settings={**trial.settings, "batch_size": 1000}),
        replace(trial, task="hopper"),
        replace(trial, task="gym:InvertedDoublePendulum-v5"),
    ]
    with open_store(tmp_path, good, {}) as store, LocalExecutor(tmp_path, 1) as executor:
        execute(wrong, store, executor, ignore_progress)
        assert store.deaths() == {}
        failures = [each.measurement.failure for each in store.ended().values()]
    assert "a batch of 1000 is larger than the dataset" in failures[0]
    assert "has actions in" in failures[1]
    assert "has actions in" in failures[2] or "has observations of" in failures[2]


def test_faults_of_one_trial_cost_no_other(tmp_path: Path) -> None:
    """One trial diverges, one loses its worker; the results of the others do not change."""
    data = write_dataset(tmp_path / "data.npz")
    steps = {"BC": {"steps": 3000}}
    plan = deep_plan(data, "BC", seeds=3, task=PENDULUM, settings=steps)
    trials = plan.final({})
    wild = replace(trials[1], settings={**trials[1].settings, "rate": 1e12})
    killed: list[str] = []

    with LocalExecutor(tmp_path / "faults", 1) as executor:

        def kill(state: StudyProgress) -> None:
            for worker, (trial, progress) in state.running.items():
                if trial == trials[2] and progress and progress.step == 1000 and not killed:
                    killed.append(trial.identity)
                    os.kill(executor.alive[worker].process.pid, signal.SIGKILL)

        with open_store(tmp_path / "faults", plan, {}) as store:
            execute([trials[0], wild, trials[2]], store, executor, kill)
    with (
        LocalExecutor(tmp_path / "calm", 1) as executor,
        open_store(tmp_path / "calm", plan, {}) as store,
    ):
        execute(trials, store, executor, ignore_progress)

    found, expected = rows(tmp_path / "faults"), rows(tmp_path / "calm")
    assert found[trials[0].identity] == expected[trials[0].identity]
    assert found[trials[2].identity] == expected[trials[2].identity]
    episodes = expected[trials[0].identity]["episodes"]
    lasted = np.subtract(episodes["length"], episodes["return"])
    assert lasted.shape == (2,)
    assert np.isin(lasted, (0, 1)).all()  # the pendulum's reward is 1, and 0 when it falls
    assert found[wild.identity]["failure"].startswith("BC diverged at step ")
    with read_store(tmp_path / "faults") as store:
        assert [*store.deaths()] == killed == [trials[2].identity]


def test_workers_end_with_the_process_that_gives_them_work(tmp_path: Path) -> None:
    trial = replace(grid_plan().final({})[0], episodes=10**7)
    with LocalExecutor(tmp_path, 1) as executor:
        executor.submit(0, trial)
        assert isinstance(executor.wait()[0].message, DatasetOpened)
        process = executor.alive[0].process
        executor.alive[0].connection.close()
        assert process.wait(30) == 1


def test_a_worker_that_died_idle_is_replaced_when_it_is_needed(tmp_path: Path) -> None:
    trial = grid_plan().final({})[0]
    with LocalExecutor(tmp_path, 1) as executor:
        executor.submit(0, trial)
        messages: list[Message] = []
        while not messages or not isinstance(messages[-1], Measurement):
            messages += [event.message for event in executor.wait()]
        process = executor.alive[0].process
        process.kill()
        process.wait()
        executor.submit(0, trial)
        assert isinstance(executor.wait()[0].message, DatasetOpened)
        assert executor.alive[0].process.pid != process.pid


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_runs() -> None:
    found = measure(80, 1)
    assert found.worker_memory < 1.05 * found.worker_memory_early
    assert found.parent_memory < 1.05 * found.parent_memory_early
    assert 0 < found.outside < 1


def test_too_few_runs_to_compare_memory() -> None:
    with pytest.raises(BadInput, match="measure more"):
        measure(20)
