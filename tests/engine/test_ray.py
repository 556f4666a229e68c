"""Ray workers: their messages and files, and a cluster that loses a node."""

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from instinct.deep import StageProgress
from instinct.deep.training.checkpoint import load_arrays
from instinct.engine import ray_executor
from instinct.engine.ray_executor import (
    Files,
    RayExecutor,
    RayWorker,
    WarmStartsNeeded,
    WorkerReady,
    ray,
)
from instinct.engine.run_plan import local, run_plan
from instinct.engine.scheduler import StudyProgress
from instinct.engine.trial_runner import WARM_STARTS, DatasetOpened
from instinct.errors import BadInput, InstinctError
from instinct.study.store import read_store
from tests.study.problems import (
    PENDULUM,
    deep_plan,
    grid_plan,
    ignore_progress,
    rows,
    table,
    write_dataset,
)


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore what an actor sets for its process."""
    monkeypatch.setenv("XLA_FLAGS", os.environ.get("XLA_FLAGS", ""))
    monkeypatch.setattr(ray_executor, "cache_programs", lambda: None)


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "instinct.engine.ray_executor")
    with pytest.raises(BadInput, match=r"pip install 'survival-instinct\[ray\]'"):
        importlib.import_module("instinct.engine.ray_executor")


def test_no_cluster_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise ConnectionError("nobody answers\nat all")

    monkeypatch.setattr("ray.init", refuse)
    with pytest.raises(BadInput, match="cannot connect to a Ray cluster") as caught:
        run_plan(grid_plan(), tmp_path, ignore_progress, ray("192.0.2.1:6379"))
    assert "\n" not in str(caught.value)
    assert rows(tmp_path) == {}


@pytest.mark.parametrize(("address", "mode"), [(None, "token"), ("192.0.2.1:6379", None)])
def test_a_cluster_of_our_own_asks_for_a_token(
    address: str | None, mode: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str | None] = []
    monkeypatch.setenv("RAY_AUTH_MODE", "")
    monkeypatch.delenv("RAY_AUTH_MODE")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr("ray.init", lambda **_: seen.append(os.environ.get("RAY_AUTH_MODE")))
    ray_executor.connect(address)
    assert seen == [mode]


def test_warm_starts_travel(tmp_path: Path) -> None:
    """A finished warm start is sent once, before the progress that follows it."""
    data = write_dataset(tmp_path / "data.npz")
    trial, *_ = deep_plan(data, "ATAC", seeds=1).final({})
    worker = RayWorker("study")
    assert isinstance(worker.messages()[0], WorkerReady)
    worker.begin(trial)
    opened, needed = worker.messages()
    assert isinstance(opened, DatasetOpened)
    assert isinstance(needed, WarmStartsNeeded)
    policy, critics = worker.warm_starts.values()
    assert {*needed.files} == {policy, critics}
    assert all(name.startswith(f"{WARM_STARTS}/") for name in needed.files)

    ray_executor.write_files(worker.folder, Files({policy: b"a policy", critics: b"half trained"}))
    worker.on_event(StageProgress("Cloning", 1, 1, {}))
    worker.on_event(StageProgress("Evaluation", 1, 2, {}))
    worker.on_event(StageProgress("Evaluation", 2, 2, {}))
    messages = worker.messages()
    assert [type(what) for what in messages] == [StageProgress, Files, StageProgress, StageProgress]
    assert messages[1] == Files({policy: b"a policy"})
    worker.on_event(StageProgress("ATAC", 1, 2, {}))
    assert worker.messages()[0] == Files({critics: b"half trained"})

    worker.begin(replace(trial, settings={**trial.settings, "beta": 2.0}))
    assert worker.messages() == [WarmStartsNeeded(())]


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    trial, *_ = deep_plan(str(tmp_path / "nowhere.npz"), "ATAC", seeds=1).final({})
    worker = RayWorker("study")
    worker.messages()
    worker.begin(trial)
    (error,) = worker.messages()
    assert isinstance(error, InstinctError)
    assert "nowhere.npz" in str(error)
    worker.folder.parent.mkdir(parents=True)
    worker.folder.write_text("in the way")
    worker.run(trial, Files({"warm-starts/x": b""}))
    (error,) = worker.messages()
    assert "cannot be written" in str(error)


class Lost(Exception):
    """Stands for Ray's error about a lost actor."""


class Cluster:
    """The part of Ray that `RayExecutor` uses, in this process; calls run at once.

    `fate` may raise an error instead of an actor's answer.
    """

    exceptions = SimpleNamespace(RayError=Lost)

    def __init__(self, cpus: int, fate: Callable[[RayWorker], None] = lambda actor: None) -> None:
        self.cpus, self.fate = cpus, fate
        self.killed: list[object] = []

    def is_initialized(self) -> bool:
        return True

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cpus)}

    def remote(self, kind: type[RayWorker]) -> Any:
        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=self.actor(kind)))

    def actor(self, kind: type[RayWorker]) -> Callable[..., Any]:
        def made(*arguments: Any) -> Any:
            worker = kind(*arguments)
            names = {"begin": worker.begin, "run": worker.run, "clean": worker.clean}
            methods = {name: SimpleNamespace(remote=method) for name, method in names.items()}
            return SimpleNamespace(messages=SimpleNamespace(remote=lambda: [worker]), **methods)

        return made

    def wait(self, refs: list[Any], num_returns: int = 1, timeout: float = 0) -> tuple[Any, Any]:
        return [next((ref for ref in refs if ref and not ref[0].outbox.empty()), None)], []

    def get(self, ref: list[RayWorker]) -> Any:
        self.fate(ref[0])
        return ref[0].messages()

    def kill(self, actor: object) -> None:
        self.killed.append(actor)


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Callable[[Cluster], None]:
    return lambda cluster: monkeypatch.setattr(ray_executor, "raylib", cluster)


def test_the_same_as_on_one_machine(tmp_path: Path, on: Callable[[Cluster], None]) -> None:
    on(Cluster(3))
    plan = grid_plan(seeds=2)
    run_plan(plan, tmp_path / "ray", ignore_progress, ray())
    run_plan(plan, tmp_path / "local", ignore_progress, local(1))
    assert rows(tmp_path / "ray") == rows(tmp_path / "local")
    assert table(tmp_path / "ray") == table(tmp_path / "local")


def test_an_actor_is_lost(tmp_path: Path, on: Callable[[Cluster], None]) -> None:
    losses = iter([False] * 3 + [True])

    def fate(actor: RayWorker) -> None:
        if next(losses, False):
            raise Lost("its node is gone\nand so on")

    cluster = Cluster(2, fate)
    on(cluster)
    run_plan(grid_plan(seeds=2), tmp_path, ignore_progress, ray())
    assert all(row["failure"] == "" for row in rows(tmp_path).values())
    with read_store(tmp_path) as store:
        assert [*store.deaths().values()] == [["the worker or its node was lost: its node is gone"]]
    assert len(cluster.killed) == 3


def test_an_actor_cannot_be_made(tmp_path: Path, on: Callable[[Cluster], None]) -> None:
    def fate(actor: RayWorker) -> None:
        error = Lost("No module named 'instinct'")
        error.actor_init_failed = True  # type: ignore[attr-defined]
        raise error

    on(Cluster(2, fate))
    with pytest.raises(InstinctError, match="cannot be started on the Ray cluster: No module"):
        run_plan(grid_plan(), tmp_path, ignore_progress, ray())


def test_other_versions_on_a_node(tmp_path: Path, on: Callable[[Cluster], None]) -> None:
    def fate(actor: RayWorker) -> None:
        ready = actor.outbox.get()
        assert isinstance(ready, WorkerReady)
        actor.outbox.put(replace(ready, node="far", versions={**ready.versions, "jax": "0.1"}))

    on(Cluster(1, fate))
    with pytest.raises(InstinctError, match=r"far has jax 0\.1, this machine .* install the same"):
        run_plan(grid_plan(), tmp_path, ignore_progress, ray())


def test_a_cluster_without_processors(tmp_path: Path, on: Callable[[Cluster], None]) -> None:
    on(Cluster(0))
    with pytest.raises(BadInput, match="has no CPU"), RayExecutor(tmp_path):
        pass


@pytest.fixture
def two_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A real cluster of two nodes, each with its own cache."""
    monkeypatch.setenv("RAY_raylet_start_wait_time_s", "300")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster as RealCluster

    def node(name: str) -> dict[str, Any]:
        cache = {"INSTINCT_CACHE": str(tmp_path / name)}
        return {"num_cpus": 1, "object_store_memory": 80 * 2**20, "env_vars": cache}

    cluster: Any = RealCluster(
        initialize_head=True, head_node_args=node("first") | {"include_dashboard": False}
    )
    cluster.second = cluster.add_node(**node("second"))
    yield cluster
    cluster.shutdown()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_node_dies_in_the_middle(tmp_path: Path, two_nodes: Any) -> None:
    steps = {name: {"steps": 3000, "warm_start_steps": 2000} for name in ("ATAC", "PSPI")}
    plan = deep_plan(
        write_dataset(tmp_path / "data.npz"),
        "BC",
        "ATAC",
        "PSPI",
        labels=("original", "zero"),
        task=PENDULUM,
        settings=steps,
    )
    run_plan(plan, tmp_path / "local", ignore_progress, local(1))
    doing: list[int] = []
    cloned: set[tuple[str, int]] = set()

    def watch(state: StudyProgress) -> None:
        doing.append(len(state.running))
        for trial, progress in state.running.values():
            if progress is not None and progress.stage == "Cloning":
                cloned.add((trial.identity, trial.seed))
        if state.ended >= 3 and len(state.running) == 2 and two_nodes.second is not None:
            two_nodes.remove_node(two_nodes.second, allow_graceful=False)
            two_nodes.second = None

    run_plan(plan, tmp_path / "ray", watch, ray(two_nodes.address))
    assert two_nodes.second is None
    assert rows(tmp_path / "ray") == rows(tmp_path / "local")
    assert table(tmp_path / "ray") == table(tmp_path / "local")
    with read_store(tmp_path / "ray") as store:
        reasons = [reason for each in store.deaths().values() for reason in each]
    assert reasons
    assert all(reason.startswith("the worker or its node was lost") for reason in reasons)
    assert len(cloned) <= plan.seeds + len(reasons)
    weights = [*(tmp_path / "local" / "runs").rglob("weights.safetensors")]
    assert len(weights) == len(plan.final({}))
    for path in weights:
        sent = tmp_path / "ray" / path.relative_to(tmp_path / "local")
        expected, arrays = load_arrays(path)[0], load_arrays(sent)[0]
        assert {*arrays} == {*expected}
        for name, array in expected.items():
            np.testing.assert_array_equal(arrays[name], array)
    assert not [*(tmp_path / "first" / "ray").iterdir()]
