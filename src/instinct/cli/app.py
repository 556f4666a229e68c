"""All commands in one place."""

from typing import Annotated

import typer

import instinct
from instinct.cli import behaviors, datasets, evaluate, inspect, study, theory
from instinct.cli.output import out

app = typer.Typer(
    help="Tell what offline RL data teaches regardless of the reward.",
    epilog="Add --debug to any command to see the traceback of an error.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(inspect.inspect)
app.command()(inspect.convert)
app.command("evaluate")(evaluate.evaluate_run)
app.command()(theory.theory)
app.add_typer(datasets.app, name="datasets")
app.add_typer(behaviors.app, name="behaviors")
app.add_typer(study.app, name="study")


def show_version(wanted: bool) -> None:
    if wanted:
        out.print(f"instinct {instinct.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Options of the command itself."""
