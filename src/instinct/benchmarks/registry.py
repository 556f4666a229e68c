"""Benchmarks, tasks and datasets by name.

A new family is one folder with a `Benchmark` and one line here, or a call of `register_benchmark`.
"""

from collections.abc import Sequence
from pathlib import Path

from instinct.benchmarks.benchmark import Benchmark, DisplayName
from instinct.benchmarks.classic.benchmark import ClassicBenchmark
from instinct.benchmarks.gridworld.benchmark import GridWorldBenchmark
from instinct.benchmarks.gymnasium.benchmark import GymnasiumBenchmark
from instinct.benchmarks.locomotion.benchmark import LocomotionBenchmark
from instinct.benchmarks.metaworld.benchmark import MetaWorldBenchmark
from instinct.benchmarks.names import no_dataset, similar
from instinct.benchmarks.recipe import Recipe
from instinct.benchmarks.safety.benchmark import SafetyBenchmark
from instinct.data import NO_ROLES, ActionRange, Box, Dataset, Roles, read
from instinct.data.formats.described import describes_actions
from instinct.errors import BadInput
from instinct.tasks.simulation import Task
from instinct.util.folders import minari_folder
from instinct.util.paths import check_exists
from instinct.util.progress import Progress, no_progress

GYMNASIUM = GymnasiumBenchmark()
SHIPPED: tuple[Benchmark, ...] = (
    LocomotionBenchmark(),
    MetaWorldBenchmark(),
    SafetyBenchmark(),
    ClassicBenchmark(),
    GridWorldBenchmark(),
    GYMNASIUM,
)
BENCHMARKS: dict[str, Benchmark] = {benchmark.name: benchmark for benchmark in SHIPPED}
"""All families by name."""

NO_FAMILY = Benchmark()
"""Stands for the family of files, which have none."""

_TASKS: dict[str, Task] = {}
"""Single tasks that were registered, by name."""


def register_benchmark(benchmark: Benchmark) -> None:
    """Make a family's tasks and datasets known by name; registering it again replaces it."""
    if not benchmark.name:
        raise BadInput("a benchmark needs a name")
    for other in BENCHMARKS.values():
        if other.name == benchmark.name and other in SHIPPED:
            raise BadInput(f"the benchmark {other.name!r} comes with the package; choose another")
        shared = {*benchmark.prefixes} & {*other.prefixes}
        if other.name != benchmark.name and shared:
            raise BadInput(f"{min(shared)!r} is the prefix of the benchmark {other.name!r}")
    BENCHMARKS[benchmark.name] = benchmark


def register_task(task: Task) -> None:
    """Make a single task known by its name; a name that a family has is refused."""
    if find_benchmark(task.name) is not NO_FAMILY:
        raise BadInput(f"{task.name!r} is the name of a task of a benchmark; choose another")
    _TASKS[task.name] = task


def find_benchmark(name: str) -> Benchmark:
    """Return the family of a task or dataset; `NO_FAMILY` for files and unknown names."""
    return next((each for each in BENCHMARKS.values() if each.owns(name)), NO_FAMILY)


def find_task(name: str) -> Task:
    """Return the task of that name."""
    if name in _TASKS:
        return _TASKS[name]
    benchmark = find_benchmark(name)
    if benchmark is NO_FAMILY or not (benchmark.prefix or name in benchmark.tasks):
        known = [f"{each.prefix}NAME" for each in BENCHMARKS.values() if each.prefix]
        known += [task for each in BENCHMARKS.values() if not each.prefix for task in each.tasks]
        raise BadInput(f"no task is called {name!r}; there are {', '.join(known)}")
    return benchmark.task(name)


def task_name(name: str) -> str:
    """Return the name of a task, given its name or the id of a Gymnasium environment."""
    named = name in _TASKS or find_benchmark(name) is not NO_FAMILY
    return find_task(name if named else GYMNASIUM.prefix + name).name


def matching_task(name: str, dataset: Dataset) -> Task:
    """Return the task of that name, if policies that learn from the dataset can act there."""
    task, size = find_task(name), dataset.observations.shape[1]
    if dataset.action_space != task.action_space:
        both = isinstance(dataset.action_space, Box) and isinstance(task.action_space, Box)
        hint = "; if the file has no range, give `action_range=`" if both else ""
        raise BadInput(
            f"the dataset has actions in {dataset.action_space}, {task.name} in "
            f"{task.action_space}{hint}",
            option="action_range" if both else None,
        )
    if size != task.observation_size:
        raise BadInput(
            f"the dataset's observations are {size} numbers, those of {task.name} "
            f"{task.observation_size}"
        )
    return task


def find_dataset(
    name: str,
    *,
    action_range: ActionRange | None = None,
    task: str = "",
    roles: Roles = NO_ROLES,
    on_progress: Progress = no_progress,
) -> Dataset:
    """Open a dataset by its name, or the file or folder at a path.

    A dataset that is made here is made when it is first opened; hopper-medium@200000 is
    hopper-medium with so many transitions. Other names are paths, or ids of datasets that Minari
    has downloaded. A file that does not describe its actions has those of the `task`, if one is
    named; only then is the task's environment made. `roles` are those of the columns of a table.
    """
    benchmark = find_benchmark(name)
    if benchmark.has_dataset(name):
        if roles != NO_ROLES:
            raise BadInput("is no table, whose columns have roles", file=name)
        return benchmark.find_dataset(name, action_range=action_range, on_progress=on_progress)
    path = Path(name) if Path(name).exists() else minari_folder() / name
    if not path.exists():
        check_exists(name)
        raise no_dataset(name, dataset_names())
    known = action_range is not None or describes_actions(path)
    space = find_task(task).action_space if task and not known else None
    return read(path, action_range=action_range, task_space=space, roles=roles)


def find_recipe(name: str, transitions: int | None = None) -> Recipe:
    """Return the recipe of a dataset that is made here, with its own size or another."""
    benchmark = find_benchmark(name)
    if not benchmark.is_made(name):
        raise BadInput(f"no dataset is called {name!r}; {nearest_names(name)}")
    return benchmark.recipe(name, transitions)


def nearest_names(name: str) -> str:
    """Suggest names of datasets that are similar to an unknown one."""
    return similar(name, dataset_names())


def dataset_names() -> list[str]:
    """Return the names of all datasets."""
    return [dataset for each in BENCHMARKS.values() for dataset in each.datasets]


def size_of(dataset: str) -> int:
    """Return the (largest possible) size of a dataset that is made here; 0 for all others."""
    benchmark = find_benchmark(dataset)
    return benchmark.recipe(dataset).transitions if benchmark.is_made(dataset) else 0


def task_of(dataset: str) -> str | None:
    """Return the task in which a named dataset was recorded."""
    return find_benchmark(dataset).task_of(dataset)


def goals_end(dataset: str) -> bool:
    """Tell whether the terminals of a named dataset mark successes."""
    benchmark = find_benchmark(dataset)
    return benchmark.has_dataset(dataset) and benchmark.goals_end(dataset)


def short_name(dataset: str, among: Sequence[str]) -> str:
    """Return a name for figures: without the prefix if all of several datasets share it."""
    benchmark = find_benchmark(dataset)
    prefix = benchmark.prefix_of(dataset)
    shared = all(find_benchmark(each).prefix_of(each) == prefix for each in among)
    return dataset.removeprefix(prefix) if len(among) > 1 and shared else dataset


def display_name(dataset: str) -> DisplayName:
    """Return how figures group and order a dataset, by the convention of any family."""
    found = (each.display_name(dataset) for each in BENCHMARKS.values())
    return next((each for each in found if each is not None), DisplayName("", dataset))
