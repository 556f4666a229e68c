"""All commands by name; only the module of the called command is imported."""

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

import instinct
from instinct.cli.output import out

COMMANDS = {
    "audit": "audit.audit_command",
    "inspect": "inspect.inspect",
    "convert": "inspect.convert",
    "describe": "describe.describe",
    "datasets": "datasets.app",
    "train": "train.train",
    "evaluate": "evaluate.evaluate_run",
    "theory": "theory.theory",
    "study": "study.app",
    "results": "results.app",
    "behaviors": "behaviors.app",
    "bench": "bench.app",
    "cache": "cache.cache_command",
    "setup": "setup.app",
}


def build_app(arguments: Sequence[str]) -> typer.Typer:
    """Build the application with the command that the arguments name, or with all of them."""
    app = typer.Typer(
        help="Find out what offline RL data teaches regardless of the reward.",
        epilog="Add --debug to any command to see the traceback of an error.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
        callback=main_options,
    )
    called = {*arguments[:1]} & {*COMMANDS}
    for name in COMMANDS:
        if not called or name in called:
            module, attribute = COMMANDS[name].split(".")
            command = getattr(import_module(f"instinct.cli.{module}"), attribute)
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=name)
            else:
                app.command(name)(command)
    return app


def show_version(wanted: bool) -> None:
    if wanted:
        out.print(f"instinct {instinct.__version__}")
        raise typer.Exit


def main_options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Define the options of `instinct` itself."""
