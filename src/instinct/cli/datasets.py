"""`instinct datasets`: what there is by name, and making it."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from instinct.cli.output import Json, out, print_json, progress, show_table
from instinct.collect.catalog import NAMED, recipe
from instinct.collect.d4rl import d4rl_path, present
from instinct.collect.locomotion import QUALITIES, RECIPES, Recipe
from instinct.collect.shipped import shipped
from instinct.collect.store import data_folder, path_of
from instinct.data import Dataset
from instinct.data.summary import summarize
from instinct.report.datasets import Row, comparison, markdown
from instinct.report.figures import check_format, save
from instinct.report.length_bias import Scatter, draw_grid
from instinct.report.tables import Table
from instinct.tasks.locomotion import BODIES
from instinct.tasks.scores import normalize

app = typer.Typer(help="List the datasets that have a name, and make them.")

Transitions = Annotated[
    int | None,
    typer.Option(min=1, help="How many transitions.  [default: as many as D4RL]"),
]


@app.callback(invoke_without_command=True)
def show(context: typer.Context, json: Json = False) -> None:
    """List all datasets by name with size, state and provenance.

    Example: instinct datasets --json
    """
    if context.invoked_subcommand is not None:
        return
    rows = [described(one) for one in RECIPES.values()]
    rows += [{"name": name, "transitions": None, "state": "built in"} for name in NAMED]
    rows += [
        {"name": name, "transitions": None, "state": "file", "path": str(d4rl_path(name))}
        for name in present()
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
    columns = ("dataset", "transitions", "state", "policy at step")
    show_table(Table("datasets", f"Kept in {data_folder()}", columns, cells))


def described(one: Recipe) -> dict[str, Any]:
    """A dataset in the list: made means that it is in the data folder."""
    behaviors = {s.name: s for s in shipped(one.task).snapshots}
    names = shipped(one.task).names(one.quality)
    note = one.note()
    steps = f"{behaviors[names[0]].step:,}"
    if len(names) > 1:
        steps += f"–{behaviors[names[-1]].step:,}"
    return {
        "name": one.name,
        "transitions": one.transitions,
        "state": "not made" if note is None else "made",
        "source": f"SAC at {steps}",
        "path": None if note is None else str(path_of(one.entry)),
        "hash": None if note is None else note["hash"],
        "provenance": one.provenance(),
    }


@app.command()
def make(name: str, transitions: Transitions = None, json: Json = False) -> None:
    """Make a dataset and keep it in the data folder; what is there is not made again.

    Example: instinct datasets make hopper-medium --transitions 100000
    """
    one = recipe(name, transitions)
    dataset = made(one)
    if json:
        print_json(described(one) | asdict(summarize(dataset)))
    else:
        out.print(f"{len(dataset):,} transitions: {path_of(one.entry)}", soft_wrap=True)


@app.command("table")
def compare(
    transitions: Transitions = None,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the length bias of all to this file.")
    ] = None,
    in_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the table as Markdown.")
    ] = False,
) -> None:
    """Make all fifteen, and show score and length beside the paper's behavior column.

    Example: instinct datasets table --transitions 100000 --figure bias.png
    """
    if figure is not None:
        check_format(figure)
    rows, grid = [], []
    for task in BODIES:
        scatters = []
        for quality in QUALITIES:
            dataset = made(recipe(f"{task}-{quality}", transitions))
            scores = normalize(dataset.returns, task)
            rows.append(Row(f"{task}-{quality}", summarize(dataset), scores))
            scatters.append(
                Scatter(f"{task}-{quality}", dataset.lengths, scores, "normalised score")
            )
        grid.append(scatters)
    table = comparison(rows)
    if figure is not None:
        save(draw_grid(grid), figure)
    if in_markdown:
        out.print(markdown(table), soft_wrap=True)
    else:
        show_table(table)


def made(one: Recipe) -> Dataset:
    """The dataset, with a bar while it is being made."""
    with progress(one.name) as step:
        return one.dataset(lambda rows: step(rows, one.transitions, "transitions"))
