"""The functions that a notebook needs besides `audit`: load, inspect, train, evaluate."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from instinct.audits.plan import judged_in
from instinct.benchmarks.registry import find_dataset, find_task, task_of
from instinct.data import ActionRange, Dataset, Label, apply_filters, find_label, relabel
from instinct.data.summary import Summary, summarize
from instinct.deep import (
    OnProgress,
    Run,
    TrainedPolicy,
    cache_programs,
    configure,
    find_algorithm,
    load_policy,
)
from instinct.deep.algorithms.algorithm import box_of
from instinct.deep.training.run_training import train as train_run
from instinct.errors import BadInput, InstinctError
from instinct.study.extensions import register as register
from instinct.study.own import as_policy
from instinct.study.presets import preset as preset_settings
from instinct.tasks.evaluation import Evaluation
from instinct.tasks.evaluation import evaluate as play_episodes
from instinct.util.jsonio import read_json
from instinct.util.progress import Progress, no_progress


def load(
    source: str | Path | Dataset,
    *,
    action_range: ActionRange | None = None,
    on_progress: Progress = no_progress,
) -> Dataset:
    """Load a dataset by name, or from a file or folder.

    Named datasets are made on this machine when they are first used. `action_range` is the range
    of every action dimension, for files that do not say it.

    >>> import instinct
    >>> instinct.load("gridworld")
    Dataset(4,500 transitions, 500 episodes)
    """
    if isinstance(source, Dataset):
        return source
    return find_dataset(str(source), action_range=action_range, on_progress=on_progress)


def inspect(source: str | Path | Dataset, *, action_range: ActionRange | None = None) -> Summary:
    """Return counts, returns, lengths, their correlation, costs and repairs of a dataset.

    >>> import instinct
    >>> instinct.inspect("gridworld").episodes
    500
    """
    return summarize(load(source, action_range=action_range))


def train(
    dataset: str | Path | Dataset,
    algorithm: str,
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

    With a `folder` the run is kept there, and a stopped run resumes. The filter `no-terminals`
    removes terminal transitions, as the paper does under wrong rewards where they are falls.

    >>> import instinct
    >>> instinct.train("hopper-medium", "PSPI", label="zero", preset="quick")  # doctest: +SKIP
    TrainedPolicy(PSPI, 3 actions)
    """
    source = "" if isinstance(dataset, Dataset) else str(dataset)
    chosen = find_label(label) if isinstance(label, str) else label
    cls = find_algorithm(algorithm)
    given = preset_settings(preset, cls.NAME, chosen.base, (source and task_of(source)) or "")
    configured = configure(cls.NAME, {**given, **(settings or {})})
    rewarded = relabel(load(dataset), chosen, seed)
    run = Run(
        apply_filters(rewarded, filters),
        configured,
        seed,
        chosen.base,
        None if folder is None else Path(folder),
        source,
    )
    cache_programs()
    outcome = train_run(run, on_progress=on_progress)
    if outcome.failure:
        raise InstinctError(outcome.failure)
    return TrainedPolicy(configured, outcome.weights, box_of(run.dataset), chosen)


def evaluate(policy: Any, env: Any = None, *, episodes: int = 50, seed: int = 0) -> Evaluation:
    """Play test episodes and return their returns, lengths, scores, successes and costs.

    `policy` is what `train` returns, the folder of a finished run, a function from observations to
    actions, or an object with `predict`. `env` is the name of a task, the id of a Gymnasium
    environment, an environment, or a function that makes one.

    >>> import numpy as np
    >>> import instinct
    >>> still = lambda observations: np.zeros((len(observations), 1))
    >>> test = instinct.evaluate(still, "InvertedPendulum-v5", episodes=3)
    >>> test.lengths.tolist()
    [20, 37, 22]
    """
    if isinstance(policy, str | Path):
        folder = Path(policy)
        policy, env = load_policy(folder), env or task_of_run(folder)
    if env is None:
        raise BadInput("is needed to judge a policy", field="env")
    task = find_task(judged_in(env))
    return play_episodes(as_policy(policy, task.action_space), task, episodes, seed)


def task_of_run(folder: Path) -> str:
    """Return the task of the dataset that a run was trained on, if its config names it."""
    source = read_json(folder / "config.json").get("source")
    task = task_of(source) if isinstance(source, str) else None
    if task is None:
        raise BadInput("does not say in which task to judge it; give `env`", file=folder)
    return task
