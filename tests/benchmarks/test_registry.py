"""Benchmarks, tasks and datasets by name."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from instinct.behaviors.choice import choices
from instinct.behaviors.collection import Part, collect
from instinct.behaviors.shipped import behaviors, shipped, shipped_names, shipped_tasks
from instinct.benchmarks.benchmark import Benchmark
from instinct.benchmarks.gridworld.world import GridWorld
from instinct.benchmarks.gymnasium.task import GymTask
from instinct.benchmarks.locomotion.d4rl import file_name, present
from instinct.benchmarks.locomotion.datasets import QUALITIES, RECORDINGS
from instinct.benchmarks.locomotion.simulation import BODIES
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.benchmarks.names import NAMES
from instinct.benchmarks.recipe import FunctionRecipe, Recipe
from instinct.benchmarks.registry import (
    BENCHMARKS,
    SHIPPED,
    display_name,
    find_benchmark,
    find_dataset,
    find_recipe,
    find_task,
    goals_end,
    matching_task,
    nearest_names,
    register_benchmark,
    short_name,
    task_name,
    task_of,
)
from instinct.data import Box, Dataset, write
from instinct.errors import BadInput
from instinct.study.plan import Plan
from tests.data.datasets import small


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSTINCT_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_the_fifteen_have_d4rls_sizes() -> None:
    assert len(RECORDINGS) == 15
    assert RECORDINGS["hopper-medium"].transitions == 1_000_000
    assert RECORDINGS["walker2d-medium-expert"].transitions == 2_000_000
    replay = [RECORDINGS[f"{task}-medium-replay"].transitions for task in ("hopper", "walker2d")]
    assert replay == [402_000, 302_000]


@pytest.mark.parametrize("quality", QUALITIES)
def test_every_quality_is_made_once_and_kept(quality: str, own_folder: Path) -> None:
    name = f"hopper-{quality}@300"
    assert find_recipe(name).note() is None
    dataset = find_dataset(name)
    assert len(dataset) == 300
    note = find_recipe(name).note()
    assert note is not None
    assert note["hash"] == dataset.hash
    assert note["snapshots"] == find_recipe(name).provenance()["snapshots"]
    (made,) = (own_folder / "datasets").glob("*.npz")
    before = made.stat().st_mtime_ns
    assert find_dataset(name).hash == dataset.hash
    assert made.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("task", "name"), [(task, name) for task in shipped_tasks() for name in shipped_names(task)]
)
def test_the_shipped_table_describes_the_shipped_weights(task: str, name: str) -> None:
    one = shipped(task, name)
    assert (one.task, one.name) == (task, name)
    assert {snapshot.name for snapshot in one.snapshots} == {*behaviors(task, name)}
    assert {share.snapshot for share in one.replay} <= {*behaviors(task, name)}


@pytest.mark.parametrize("task", ["hopper", "walker2d", "halfcheetah"])
def test_the_first_behavior_has_all_qualities(task: str) -> None:
    one = shipped(task)
    steps = [snapshot.step for snapshot in one.snapshots]
    assert steps == sorted(steps)
    assert steps[0] == 0
    by_name = {snapshot.name: snapshot.mean_return for snapshot in one.snapshots}
    assert by_name["random"] < by_name["medium"] < by_name["expert"]


@pytest.mark.parametrize("name", ["hopper-medium@0", "hopper-medium@x"])
def test_a_size_must_be_a_number(name: str) -> None:
    with pytest.raises(BadInput, match="number of transitions"):
        find_dataset(name)


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(BadInput, match="hopper-medium"):
        find_dataset("hoper-medium")
    with pytest.raises(BadInput, match="no dataset is called"):
        find_recipe("d4rl:hopper-medium-v2")


def test_fewer_transitions_than_snapshots_are_refused() -> None:
    with pytest.raises(BadInput, match="more transitions, for all its 2 parts"):
        find_dataset("hopper-medium-expert@1")


WEIGHTS = {
    "hopper": "aa732fabee8b3f4a234825931109e50b0670ab177a26ea1deb43f7c1613365c1",
    "walker2d": "edd764475d70ad57a78e68badb8e40ca582b1c860be74c938c7e1185a7ea48b2",
}
"""SHA-256 of the weights from when each task had one behavior."""
REPLAY = ["random", *(f"replay-{i}" for i in range(1, 9)), "medium"]


@pytest.mark.parametrize("task", WEIGHTS)
@pytest.mark.parametrize(
    ("quality", "snapshots"),
    [
        ("random", ["random"]),
        ("medium", ["medium"]),
        ("medium-replay", REPLAY),
        ("medium-expert", ["medium", "expert"]),
        ("expert", ["expert"]),
    ],
)
def test_the_first_behavior_records_what_it_always_did(
    task: str, quality: str, snapshots: list[str]
) -> None:
    """Everything that determines the data is as it was when each task had one behavior."""
    name = f"{task}-{quality}:sac-0@500"
    assert find_recipe(name).provenance() == {
        "name": f"{task}-{quality}",
        "transitions": 500,
        "seed": 0,
        "behaviors": WEIGHTS[task],
        "snapshots": snapshots,
        "environment": BODIES[task].environment,
        "gymnasium": version("gymnasium"),
        "mujoco": version("mujoco"),
        "recipe": 1,
    }
    assert find_recipe(name).entry.startswith(f"{task}-{quality}-500-")
    policies = behaviors(task)
    parts = [Part(policies[each], 500 // len(snapshots)) for each in snapshots]
    assert find_dataset(name).hash == collect(LocomotionTask(task), parts).hash


def test_a_named_behavior_resolves_with_and_without_a_size() -> None:
    recipe = find_recipe("hopper-medium:sac-0")
    assert (recipe.name, recipe.transitions) == ("hopper-medium:sac-0", 1_000_000)
    assert recipe.source == "sac-0 at 200,000"
    small = find_recipe("hopper-medium:sac-0@200000")
    assert (small.name, small.transitions) == ("hopper-medium:sac-0", 200_000)
    assert find_recipe("hopper-medium:sac-0", 500).transitions == 500
    benchmark = find_benchmark("hopper-medium:sac-0@300")
    assert benchmark.name == "locomotion"
    assert benchmark.task_of("hopper-medium:sac-0@300") == "hopper"
    assert benchmark.quality_of("hopper-medium:sac-0@300") == "medium"
    assert benchmark.paper_name("hopper-medium:sac-0@300") == "hopper-medium"
    assert display_name("hopper-medium:sac-0@300") == ("hopper", "medium:sac-0@300", 1)


@pytest.mark.parametrize("task", BODIES)
@pytest.mark.parametrize("quality", ["medium", "medium-replay"])
def test_the_name_alone_means_the_default_behavior(task: str, quality: str) -> None:
    default = choices(task)[quality].default
    alone, named = find_recipe(f"{task}-{quality}"), find_recipe(f"{task}-{quality}:{default}")
    assert alone.entry == named.entry
    assert alone.source == named.source
    assert alone.source.startswith(f"{default} at ")


@pytest.mark.parametrize(
    ("task", "step"), [("hopper", "430,000"), ("walker2d", "680,000"), ("halfcheetah", "720,000")]
)
def test_medium_expert_continues_with_the_first_behaviors_expert(task: str, step: str) -> None:
    recipe = find_recipe(f"{task}-medium-expert:sac-1@1000")
    assert recipe.source.startswith("sac-1 at ")
    assert recipe.source.endswith(f", sac-0 at {step}")
    medium, both = find_dataset(f"{task}-medium:sac-1@500"), recipe.dataset()
    np.testing.assert_array_equal(both.observations[:500], medium.observations)


@pytest.mark.parametrize("name", ["hopper-medium:sac-99", "hopper-medium:", "hopper-expert:sac-1"])
def test_an_unknown_behavior_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"has no behavior .* there are sac-0"):
        find_recipe(name)


def test_d4rls_files_are_found_in_the_data_folder(own_folder: Path) -> None:
    with pytest.raises(BadInput, match=r"gym_mujoco_v2/hopper_medium_replay-v2\.hdf5"):
        find_dataset("d4rl:hopper-medium-replay-v2")
    dataset = GridWorld().dataset()
    write(dataset, own_folder / "d4rl" / "hopper_medium_replay-v2.hdf5")
    assert find_dataset("d4rl:hopper-medium-replay-v2").hash == dataset.hash
    assert present() == ["d4rl:hopper-medium-replay-v2"]


@pytest.mark.parametrize("name", ["d4rl:../secret-v2", "d4rl:", "d4rl:hopper"])
def test_a_name_that_is_none_of_d4rls_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="not one of D4RL's names"):
        file_name(name)


def test_the_task_of_a_name() -> None:
    assert task_of("hopper-medium@500") == "hopper"
    assert task_of("d4rl:walker2d-expert-v2") == "walker2d"
    assert task_of("gridworld") == "gridworld"
    assert task_of("hopper-file.npz") is None


def test_an_id_of_minaris_is_what_minari_has_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = GridWorld().dataset()
    write(dataset, tmp_path / "mine" / "grid-v0")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    assert find_dataset("mine/grid-v0").hash == dataset.hash
    with pytest.raises(BadInput, match="neither a file nor the name"):
        find_dataset("mine/grid-v1")


@pytest.mark.parametrize("name", ["data.npz", "data.hdf5", "folder"])
def test_the_environment_of_a_file_with_its_own_range_is_not_made(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def make(task: GymTask) -> None:
        made.append(task.name)
        raise BadInput("is made")

    monkeypatch.setattr(GymTask, "environment", make)
    write(small(), tmp_path / name)
    task = "gym:InvertedPendulum-v5"
    assert find_dataset(str(tmp_path / name), task=task).hash == small().hash
    assert made == []
    plain = tmp_path / "plain.npz"
    np.savez(plain, allow_pickle=False, **dict(small().fields()))
    assert len(find_dataset(str(plain), task=task, action_range=(-2, 2))) == len(small())
    with pytest.raises(BadInput, match="is made"):
        find_dataset(str(plain), task=task)
    assert made == [task]


def test_every_name_has_its_family() -> None:
    families = {
        "hopper": "locomotion",
        "halfcheetah-medium-replay@500": "locomotion",
        "d4rl:hopper-medium-v2": "locomotion",
        "metaworld:reach": "metaworld",
        "metaworld:reach:no-goal-terminal": "metaworld",
        "safety:PointGoal1@3000": "safety",
        "dsrl:CarPush2": "safety",
        "gridworld": "gridworld",
        "gym:Hopper-v5": "gymnasium",
        "somewhere/hopper-medium.npz": "",
        "": "",
    }
    assert {name: find_benchmark(name).name for name in families} == families


def test_ends_and_qualities_of_datasets() -> None:
    locomotion, metaworld = BENCHMARKS["locomotion"], BENCHMARKS["metaworld"]
    assert locomotion.end_of("hopper-medium@300") == "fall"
    assert locomotion.end_of("d4rl:halfcheetah-expert-v2") == "timeout"
    assert locomotion.quality_of("walker2d-medium-replay@300") == "medium-replay"
    assert locomotion.quality_of("d4rl:hopper-medium-v2") == ""
    assert metaworld.end_of("metaworld:push") == "goal"
    assert metaworld.end_of("metaworld:push:no-goal-terminal") == "timeout"
    assert metaworld.without_goal_terminal("metaworld:push") == "metaworld:push:no-goal-terminal"
    assert not goals_end("gridworld"), "its policies are compared by return, not by success"


def test_names_in_tables_and_figures() -> None:
    assert BENCHMARKS["locomotion"].paper_name("hopper-medium@300") == "hopper-medium"
    assert BENCHMARKS["metaworld"].paper_name("metaworld:push") == "push"
    assert BENCHMARKS["safety"].paper_name("dsrl:CarPush2") == "CarPush2"
    both = ["metaworld:push", "metaworld:reach"]
    assert short_name("metaworld:push", both) == "push"
    assert short_name("metaworld:push", [*both, "hopper-medium"]) == "metaworld:push"
    assert short_name("metaworld:push", ["metaworld:push"]) == "metaworld:push"
    assert display_name("hopper-medium-replay-v2") == ("hopper", "medium-replay-v2", 2)
    assert display_name("push") == ("", "push", 0)


def test_tasks_by_name_or_by_gymnasiums_id() -> None:
    assert task_name("hopper") == "hopper"
    assert task_name("Hopper-v5") == "gym:Hopper-v5"
    with pytest.raises(BadInput, match="no task is called 'hoper'; there are metaworld:NAME, "):
        find_task("hoper")
    with pytest.raises(BadInput, match="Meta-World has no task 'hop'"):
        find_task("metaworld:hop")


def pendulum_dataset() -> Dataset:
    rows = np.arange(40)
    return Dataset(
        observations=np.zeros((40, 4), np.float32),
        next_observations=np.zeros((40, 4), np.float32),
        actions=np.linspace(-3, 3, 40, dtype=np.float32)[:, None],
        rewards=np.ones(40),
        terminals=rows % 10 == 9,
        timeouts=np.zeros(40, bool),
        action_space=Box((-3.0,), (3.0,)),
    )


class Toy(Benchmark):
    """A family of one's own: one task, one dataset."""

    name, title, prefix = "toy", "Toys", "toy:"
    tasks = ("toy:pendulum",)
    datasets: Mapping[str, Recipe] = {
        "toy:pushes": FunctionRecipe("toy:pushes", "toy:pendulum", pendulum_dataset)
    }

    def task(self, name: str) -> GymTask:
        return GymTask(name, id="InvertedPendulum-v5", end="fall")


def test_a_family_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("instinct.benchmarks.registry.BENCHMARKS", dict(BENCHMARKS))
    toy = Toy()
    register_benchmark(toy)
    register_benchmark(toy)
    assert find_benchmark("toy:anything") is toy
    assert task_of("toy:pushes") == "toy:pendulum"
    assert (find_task("toy:pendulum").end, find_task("toy:pendulum").horizon) == ("fall", 1000)
    dataset = find_dataset("toy:pushes")
    assert matching_task("toy:pendulum", dataset).observation_size == 4
    assert "toy:pushes" in nearest_names("toy:push")


def test_plans_know_a_family_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("instinct.benchmarks.registry.BENCHMARKS", dict(BENCHMARKS))
    monkeypatch.setattr(Toy, "quick_settings", {"ATAC": {"beta": 7.0}})
    register_benchmark(Toy())
    plan = Plan("toys", ("toy:pushes",), ("BC", "ATAC"), preset="quick", seeds=1)
    trials = plan.final({})
    assert {trial.task for trial in trials} == {"toy:pendulum"}
    assert {trial.settings["beta"] for trial in trials if trial.algorithm == "ATAC"} == {7.0}
    wrong = [trial for trial in trials if trial.label == "zero"]
    assert [trial.filters for trial in wrong] == [("no-terminals",)], "its terminals are falls"


def test_names_and_prefixes_cannot_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("instinct.benchmarks.registry.BENCHMARKS", dict(BENCHMARKS))
    monkeypatch.setattr(Toy, "prefix", "d4rl:")
    with pytest.raises(BadInput, match="prefix of the benchmark 'locomotion'"):
        register_benchmark(Toy())
    monkeypatch.setattr(Toy, "prefix", "toy:")
    monkeypatch.setattr(Toy, "name", "safety")
    with pytest.raises(BadInput, match="comes with the package"):
        register_benchmark(Toy())
    with pytest.raises(BadInput, match="needs a name"):
        register_benchmark(Benchmark())


def test_the_list_of_names_is_that_of_the_registry() -> None:
    shipped = [name for benchmark in SHIPPED for name in benchmark.datasets]
    assert NAMES.read_text("utf-8").split() == shipped
