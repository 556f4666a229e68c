"""`instinct datasets`: what there is by name, and making it."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from matplotlib.figure import Figure

from instinct.behaviors.shipped import shipped
from instinct.benchmarks.catalog import NAMED, Made, recipe
from instinct.benchmarks.dataset_store import path_of
from instinct.benchmarks.locomotion import d4rl
from instinct.benchmarks.locomotion.datasets import QUALITIES, RECIPES, Recipe
from instinct.benchmarks.locomotion.scores import normalize
from instinct.benchmarks.locomotion.simulation import BODIES
from instinct.benchmarks.metaworld.datasets import DEMONSTRATIONS, Demonstrations, reached
from instinct.benchmarks.metaworld.datasets import NO_GOAL_TERMINAL as SUFFIX
from instinct.benchmarks.safety import dsrl
from instinct.benchmarks.safety.datasets import DRIVES
from instinct.cli.output import Json, out, print_json, progress, show_table
from instinct.data import Dataset
from instinct.data.summary import summarize
from instinct.errors import BadInput
from instinct.report.datasets import (
    CostRow,
    GoalRow,
    ScoreRow,
    comparison,
    cost_table,
    goal_table,
)
from instinct.report.kit.cost_scatter import draw_costs
from instinct.report.kit.figures import check_format, save
from instinct.report.kit.length_bias import Scatter, draw_grid
from instinct.report.kit.markdown import markdown
from instinct.report.kit.tables import Table
from instinct.util.folders import data_folder

app = typer.Typer(help="List the datasets that have a name, and make them.")

Draw = Callable[[], Figure]
"""What makes the figure of a family."""

Transitions = Annotated[
    int | None,
    typer.Option(min=1, help="How many transitions.", show_default="as many as D4RL"),
]


@app.callback(invoke_without_command=True)
def show(context: typer.Context, json: Json = False) -> None:
    """List all datasets by name with size, state and provenance.

    Example: instinct datasets --json
    """
    if context.invoked_subcommand is not None:
        return
    made_here: list[Made] = [*RECIPES.values(), *DEMONSTRATIONS.values(), *DRIVES.values()]
    rows = [described(one) for one in made_here]
    rows += [{"name": name, "transitions": None, "state": "built in"} for name in NAMED]
    paths = {name: d4rl.d4rl_path(name) for name in d4rl.present()}
    paths |= dsrl.present()
    rows += [
        {"name": name, "transitions": None, "state": "file", "path": str(path)}
        for name, path in paths.items()
    ]
    if json:
        print_json({"datasets": rows, "folder": str(data_folder())})
        return
    cells = tuple(
        (
            str(row["name"]),
            "–" if row["transitions"] is None else f"{row['transitions']:,}",
            str(row["state"]),
            str(row.get("source") or row.get("path") or "–"),
        )
        for row in rows
    )
    columns = ("dataset", "transitions", "state", "recorded from")
    show_table(Table("datasets", f"Kept in {data_folder()}", columns, cells))


def described(one: Made) -> dict[str, Any]:
    """A dataset in the list: made means that it is in the data folder."""
    note = one.note()
    varies = isinstance(one, Demonstrations) and one.goal_terminal
    return {
        "name": one.name,
        "transitions": None if varies else one.transitions,
        "state": "not made" if note is None else "made",
        "source": sac_steps(one)
        if isinstance(one, Recipe)
        else f"{one.episodes} scripted episodes",
        "path": None if note is None else str(path_of(one.entry)),
        "hash": None if note is None else note["hash"],
        "provenance": one.provenance(),
    }


def sac_steps(one: Recipe) -> str:
    """Where in the training of SAC the behaviours of a dataset come from."""
    behaviors = {s.name: s for s in shipped(one.task).snapshots}
    names = shipped(one.task).names(one.quality)
    steps = f"{behaviors[names[0]].step:,}"
    if len(names) > 1:
        steps += f"–{behaviors[names[-1]].step:,}"
    return f"SAC at {steps}"


@app.command()
def make(
    name: str,
    transitions: Transitions = None,
    no_goal_terminal: Annotated[
        bool,
        typer.Option(
            "--no-goal-terminal",
            help=f"Let Meta-World's episodes go on after success; the same as NAME{SUFFIX}.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Make a dataset and keep it in the data folder; what is there is not made again.

    Example: instinct datasets make hopper-medium --transitions 100000
    """
    one = recipe(name + SUFFIX if no_goal_terminal else name, transitions)
    dataset = made(one)
    if json:
        print_json(described(one) | asdict(summarize(dataset)))
    else:
        out.print(f"{len(dataset):,} transitions: {path_of(one.entry)}", soft_wrap=True)


@app.command("table")
def show_all(
    family: Annotated[
        str, typer.Argument(help="locomotion, metaworld or safety.", metavar="FAMILY")
    ] = "locomotion",
    transitions: Transitions = None,
    figure: Annotated[
        Path | None,
        typer.Option(help="Draw the episodes of all to this file, by length or by cost."),
    ] = None,
    in_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the table as Markdown.")
    ] = False,
) -> None:
    """Make all datasets of a family, and show scores beside the paper's, successes, or costs.

    Example: instinct datasets table metaworld --figure bias.png
    """
    if figure is not None:
        check_format(figure)
    families = {"locomotion": locomotion, "metaworld": metaworld, "safety": safety}
    if family not in families:
        raise BadInput(f"no family is called {family!r}; there are {', '.join(families)}")
    table, draw = families[family](transitions)
    if figure is not None:
        save(draw(), figure)
    if in_markdown:
        out.print(markdown(table, caption=False), soft_wrap=True)
    else:
        show_table(table)


def locomotion(transitions: int | None) -> tuple[Table, Draw]:
    """Scores and lengths of the fifteen; a row per task in the figure, a column per quality."""
    rows, grid = [], []
    for task in BODIES:
        scatters = []
        for quality in QUALITIES:
            dataset = made(recipe(f"{task}-{quality}", transitions))
            scores = normalize(dataset.returns, task)
            rows.append(ScoreRow(f"{task}-{quality}", summarize(dataset), scores))
            scatters.append(
                Scatter(f"{task}-{quality}", dataset.lengths, scores, "normalised score")
            )
        grid.append(scatters)
    return comparison(rows), lambda: draw_grid(grid)


def metaworld(transitions: int | None) -> tuple[Table, Draw]:
    """Successes and lengths of the fifteen; three rows in the figure."""
    rows = []
    for name, one in DEMONSTRATIONS.items():
        if one.goal_terminal:
            dataset = made(recipe(name, transitions))
            rows.append(GoalRow(one.task, dataset, reached(dataset)))
    scatters = [
        Scatter(row.name, row.dataset.lengths, row.dataset.returns, successes=row.successes)
        for row in rows
    ]
    grid = [scatters[first : first + 5] for first in range(0, len(scatters), 5)]
    return goal_table(rows), lambda: draw_grid(grid)


def safety(transitions: int | None) -> tuple[Table, Draw]:
    """Returns and costs of the sixteen."""
    rows = []
    for name, one in DRIVES.items():
        dataset = made(recipe(name, transitions))
        rows.append(CostRow(one.task, dataset, one.where.scores(dataset.returns)))
    return cost_table(rows), lambda: draw_costs(rows)


def made(one: Made) -> Dataset:
    """The dataset, with a bar while it is being made."""
    with progress(one.name) as step:
        return one.dataset(lambda rows: step(rows, one.transitions, "transitions"))
