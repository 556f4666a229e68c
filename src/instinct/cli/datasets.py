"""`instinct datasets`: list the datasets that have a name, and make them."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.cli.help import App
from instinct.cli.output import Json

app = App(help="List the datasets that have a name, and make them.")

Transitions = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="The number of transitions.", show_default="the dataset's"
    ),
]


@app.callback(invoke_without_command=True)
def show(context: typer.Context, json: Json = False) -> None:
    """List all datasets by name with size, state and provenance.

    Example: instinct datasets --json
    """
    if context.invoked_subcommand is not None:
        return
    from instinct.cli import dataset_actions

    dataset_actions.show(json)


@app.command()
def make(
    name: str,
    transitions: Transitions = None,
    no_goal_terminal: Annotated[
        bool,
        typer.Option(
            "--no-goal-terminal",
            help="Continue the episodes of goal tasks after success.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Make a dataset in the data folder, unless it is there already.

    Example: instinct datasets make hopper-medium --transitions 100000
    """
    from instinct.cli import dataset_actions

    dataset_actions.make(name, transitions, no_goal_terminal, json)


@app.command("table")
def show_all(
    family: Annotated[
        str,
        typer.Argument(help="Such as locomotion, metaworld, safety or classic.", metavar="FAMILY"),
    ] = "locomotion",
    transitions: Transitions = None,
    figure: Annotated[
        Path | None,
        typer.Option(help="Draw all episodes into this file, by length or by cost."),
    ] = None,
    in_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the table as Markdown.")
    ] = False,
) -> None:
    """Make all datasets of a family, and tabulate scores, successes or costs.

    Example: instinct datasets table metaworld --figure bias.png
    """
    from instinct.cli import dataset_actions

    dataset_actions.show_all(family, transitions, figure, in_markdown)
