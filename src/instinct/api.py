"""The functions that a notebook needs besides `audit`: load, inspect, train, evaluate."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from instinct.audits.plan import judged_in
from instinct.audits.progress import show_study_progress
from instinct.benchmarks.registry import find_dataset, find_task, task_of
from instinct.data import (
    ActionRange,
    Dataset,
    Label,
    find_filter,
    find_label,
    is_frame,
    make_roles,
    read_frame,
    relabel,
    remove,
)
from instinct.data.summary import Summary, summarize
from instinct.deep import (
    Algorithm,
    OnProgress,
    Run,
    TrainedPolicy,
    cache_programs,
    configure,
    find_algorithm,
    load_policy,
)
from instinct.deep.training.run_files import read_config
from instinct.deep.training.run_training import train as train_run
from instinct.errors import BadInput, InstinctError
from instinct.study.extensions import register as register
from instinct.study.own import as_policy
from instinct.study.presets import preset as preset_settings
from instinct.tasks.evaluation import Evaluation
from instinct.tasks.evaluation import evaluate as play_episodes
from instinct.tasks.simulation import Task
from instinct.util.progress import Progress


def load(
    source: Any,
    *,
    action_range: ActionRange | None = None,
    on_progress: Progress | None = None,
    **roles: Any,
) -> Dataset:
    """Load a dataset by name, from a file or folder, or from a data frame.

    Named datasets are made on this machine when they are first used, with a progress bar unless
    `on_progress` is given. `action_range` is the range of every action dimension, for files that
    do not say it.

    Tables are CSV, Parquet, Arrow and Feather files and data frames of pandas or polars. Name
    their columns by role: `episode`, `time`, `action`, `observation`, `reward`, `cost`, `terminal`,
    `timeout`; and choose `missing` ("refuse", "carry" or "indicator"), `standardize` and, for
    actions that are choices, `discrete`. Roles that are not given are read from the TOML file
    beside the table.

    >>> import instinct
    >>> instinct.load("gridworld")
    Dataset(4,500 transitions, 500 episodes)
    >>> import pandas as pd
    >>> log = pd.DataFrame({"stay": [1, 1], "dose": [0, 2], "pulse": [80, 90], "r": [0, 1],
    ...                     "died": [0, 1]})
    >>> instinct.load(log, episode="stay", action="dose", observation="pulse", reward="r",
    ...               terminal="died")
    Dataset(2 transitions, 1 episodes)
    """
    if isinstance(source, Dataset):
        return source
    chosen = make_roles(roles)
    if is_frame(source):
        return read_frame(source, roles=chosen, action_range=action_range)
    name = str(source)
    if on_progress is not None:
        return find_dataset(name, action_range=action_range, roles=chosen, on_progress=on_progress)
    with show_study_progress(name) as display:
        return find_dataset(
            name, action_range=action_range, roles=chosen, on_progress=display.dataset
        )


def inspect(source: Any, *, action_range: ActionRange | None = None, **roles: Any) -> Summary:
    """Return counts, returns, lengths, their correlation, costs and repairs of a dataset.

    `source` and `roles` are those of `load`.

    >>> import instinct
    >>> instinct.inspect("gridworld").episodes
    500
    """
    return summarize(load(source, action_range=action_range, **roles))


def train(
    dataset: str | Path | Dataset,
    algorithm: str | type[Algorithm],
    *,
    label: str | Label = "original",
    seed: int = 0,
    preset: str = "paper",
    settings: Mapping[str, Any] | None = None,
    filters: Sequence[str] = (),
    folder: Path | str | None = None,
    on_progress: OnProgress | None = None,
) -> TrainedPolicy:
    """Train one agent and return its policy.

    `algorithm` is a name or a subclass of `Algorithm`. With a `folder` the run is kept there, and a
    stopped run resumes. The filter `no-terminals` removes terminal transitions, as the paper does
    under wrong rewards where they are falls. Progress is shown unless `on_progress` is given.

    >>> import instinct
    >>> instinct.train("hopper-medium", "PSPI", label="zero", preset="quick")  # doctest: +SKIP
    TrainedPolicy(PSPI, 3 actions)
    """
    chosen = find_label(label) if isinstance(label, str) else label
    run = make_run(
        load(dataset),
        algorithm,
        label=chosen,
        seed=seed,
        preset=preset,
        settings=settings,
        filters=filters,
        folder=None if folder is None else Path(folder),
        source="" if isinstance(dataset, Dataset) else str(dataset),
    )
    cache_programs()
    with progress_of(run, on_progress) as report:
        outcome = train_run(run, on_progress=report)
    if outcome.failure:
        raise InstinctError(outcome.failure)
    return TrainedPolicy(run.algorithm, outcome.weights, run.dataset.action_space, chosen)


def make_run(
    dataset: Dataset,
    algorithm: str | type[Algorithm],
    *,
    label: Label,
    seed: int = 0,
    preset: str = "paper",
    settings: Mapping[str, Any] | None = None,
    filters: Sequence[str] = (),
    folder: Path | None = None,
    source: str = "",
) -> Run:
    """Prepare a training: settings by the preset, rewards of the label, transitions removed.

    `source` is the name of the dataset, if it has one.
    """
    if not isinstance(algorithm, str):
        register(algorithm)
    name = find_algorithm(algorithm if isinstance(algorithm, str) else algorithm.NAME).NAME
    given = preset_settings(preset, name, (source and task_of(source)) or "")
    removed = dict.fromkeys([*filters, *(["no-terminals"] if label.remove_terminals else [])])
    return Run(
        filtered_and_told(dataset, label, seed, removed),
        configure(name, {**given, **(settings or {})}, dataset.action_space),
        seed,
        label.base,
        folder,
        source,
    )


def filtered_and_told(dataset: Dataset, label: Label, seed: int, filters: Iterable[str]) -> Dataset:
    """Relabel a dataset and apply filters, which see the recorded rewards."""
    told = relabel(dataset, label, seed)
    for name in filters:
        rows = find_filter(name)(dataset)
        dataset, told = remove(dataset, rows), remove(told, rows)
    return told


@contextmanager
def progress_of(run: Run, on_progress: OnProgress | None) -> Iterator[OnProgress]:
    """Yield the callback that reports a training's progress, by default to the user."""
    if on_progress is not None:
        yield on_progress
        return
    with show_study_progress(f"{run.algorithm.NAME} on {run.source or 'the dataset'}") as display:
        yield display.stage


def evaluate(policy: Any, env: Any = None, *, episodes: int = 50, seed: int = 0) -> Evaluation:
    """Play test episodes and return their returns, lengths, scores, successes and costs.

    `policy` is what `train` returns, the folder of a finished run, a function from observations to
    actions, or an object with `predict`. `env` is the name of a task, the id of a Gymnasium
    environment, an environment, or a function that makes one.

    Whether to trust an agent is also in the `diagnostics` of its folder's `result.json`, which
    `instinct evaluate` shows.

    >>> import numpy as np
    >>> import instinct
    >>> still = lambda observations: np.zeros((len(observations), 1))
    >>> test = instinct.evaluate(still, "InvertedPendulum-v5", episodes=3)
    >>> test.lengths.tolist()
    [20, 37, 22]
    """
    task = evaluation_task(policy, env)
    if isinstance(policy, str | Path):
        policy = load_policy(Path(policy))
    if isinstance(policy, TrainedPolicy) and policy.action_space != task.action_space:
        raise BadInput(
            f"the policy acts in {policy.action_space}, but {task.name} in {task.action_space}"
        )
    return play_episodes(as_policy(policy, task.action_space), task, episodes, seed)


def evaluation_task(policy: Any, env: Any = None) -> Task:
    """Return the task of `env`, by default that of the dataset on which a run was trained."""
    if env is not None:
        return find_task(judged_in(env))
    if not isinstance(policy, str | Path):
        raise BadInput("is needed to judge a policy", field="env")
    source = read_config(Path(policy)).source
    task = task_of(source) if source else None
    if task is None:
        raise BadInput("does not name its task; give `env=`", file=policy, option="env")
    return find_task(task)
