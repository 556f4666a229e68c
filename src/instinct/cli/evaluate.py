"""`instinct evaluate`: evaluate the final policy of a run in its task."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from instinct.cli.options import TASKS_HELP, Seed, task_option
from instinct.cli.output import Json, print_json, show_table
from instinct.errors import BadInput
from instinct.report.kit.tables import Table

if TYPE_CHECKING:
    from instinct.tasks.evaluation import Evaluation


def evaluate_run(
    folder: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="The folder of a run.", show_default=False),
    ],
    env: Annotated[
        str | None,
        task_option(f"The task: {TASKS_HELP}.", "the dataset's"),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, metavar="N", help="Test episodes.")] = 50,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Evaluate the final policy of a run with the task's own reward.

    The diagnostics tell from recorded states whether to trust the agent: how far
    its actions are from the data's, and what its critics know.

    Example: instinct evaluate runs/hopper-bc --episodes 50 --json
    """
    if not folder.exists():
        raise BadInput("no such folder", file=folder)
    from instinct.api import evaluate, evaluation_task
    from instinct.cli.diagnostics import show_diagnostics
    from instinct.cli.objects import own_environment
    from instinct.deep.training.run_files import load_diagnostics

    where = evaluation_task(folder, None if env is None else own_environment(env))
    result = evaluate(folder, where.name, episodes=episodes, seed=seed)
    quantities = measured(result, where.cost_target)
    diagnostics = load_diagnostics(folder)
    if json:
        document = {"run": str(folder), "task": where.name, "episodes": episodes, "seed": seed}
        for name, (mean, error) in quantities.items():
            document |= {name: mean, f"{name}_stderr": error}
        print_json(document | ({"diagnostics": diagnostics} if diagnostics else {}))
        return
    rows = tuple((name, f"{m:.2f} ± {e:.2f}") for name, (m, e) in quantities.items())
    caption = f"Final policy in {where.name}: mean ± standard error over {episodes} episodes."
    show_table(Table("evaluation", caption, ("", str(folder)), rows))
    show_diagnostics(diagnostics)


def measured(
    result: "Evaluation", cost_target: float | None = None
) -> dict[str, tuple[float, float]]:
    """Return mean and standard error over the episodes."""
    from instinct.tasks.evaluation import mean_and_error

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
