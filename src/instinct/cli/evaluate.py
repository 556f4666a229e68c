"""`instinct evaluate`: evaluate the final policy of a run in its task."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.benchmarks.registry import find_task, task_of
from instinct.cli.options import Seed
from instinct.cli.output import Json, print_json, show_table
from instinct.deep import load_policy
from instinct.errors import BadInput
from instinct.report.kit.tables import Table
from instinct.tasks.evaluation import Evaluation, evaluate, mean_and_error
from instinct.util.jsonio import read_json


def evaluate_run(
    folder: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="The folder of a run.", show_default=False),
    ],
    task: Annotated[
        str | None,
        typer.Option(
            "--env",
            "--task",
            metavar="TASK",
            help="The task: hopper, walker2d, halfcheetah, gym:ID, metaworld:NAME or safety:NAME.",
            show_default="the dataset's",
        ),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, metavar="N", help="Test episodes.")] = 50,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Evaluate the final policy of a run with the task's own reward.

    Example: instinct evaluate runs/hopper-bc --episodes 50 --json
    """
    policy = load_policy(folder)
    where = find_task(task or recorded_task(folder))
    if policy.box != where.action_space:
        raise BadInput(
            f"acts in {policy.box}, but {where.name} in {where.action_space}", file=folder
        )
    result = evaluate(policy, where, episodes, seed)
    quantities = measured(result, where.cost_target)
    if json:
        document = {"run": str(folder), "task": where.name, "episodes": episodes, "seed": seed}
        for name, (mean, error) in quantities.items():
            document |= {name: mean, f"{name}_stderr": error}
        print_json(document)
        return
    rows = tuple((name, f"{m:.2f} ± {e:.2f}") for name, (m, e) in quantities.items())
    caption = f"Final policy in {where.name}: mean ± standard error over {episodes} episodes."
    show_table(Table("evaluation", caption, ("", str(folder)), rows))


def measured(
    result: Evaluation, cost_target: float | None = None
) -> dict[str, tuple[float, float]]:
    """Return mean and standard error over the episodes."""
    quantities = {
        "return": mean_and_error(result.returns),
        "length": mean_and_error(result.lengths),
    }
    if result.scores is not None:
        quantities["score"] = mean_and_error(result.scores)
    if result.successes is not None:
        quantities["success_rate"] = mean_and_error(result.successes)
    if result.costs is not None:
        quantities["cost"] = mean_and_error(result.costs)
        if cost_target is not None:
            quantities["normalized_cost"] = mean_and_error(result.costs / cost_target)
    return quantities


def recorded_task(folder: Path) -> str:
    """Return the task of the dataset that the run was trained on."""
    source = read_json(folder / "config.json").get("source")
    task = task_of(source) if isinstance(source, str) else None
    if task is None:
        raise BadInput("does not name its task; give --env", file=folder)
    return task
