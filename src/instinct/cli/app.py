"""All commands by name; only the module of the called command is imported."""

from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.main import get_command

import instinct
from instinct.cli.help import App, PanelGroup


class Entry(NamedTuple):
    """Where a command is, and what the list of commands says about it."""

    place: str
    panel: str
    summary: str


LOOK, TRAIN, STUDY, TOOLS = "Audit your data", "Train and judge", "Studies and theory", "Tools"

COMMANDS = {
    "audit": Entry(
        "audit.audit_command", LOOK, "Find out what a dataset teaches regardless of the reward."
    ),
    "inspect": Entry(
        "inspect.inspect",
        LOOK,
        "Summarize a dataset: counts, returns, lengths, their correlation, and repairs.",
    ),
    "score": Entry(
        "score.score",
        LOOK,
        "Predict from the data alone what agents reach without the true reward.",
    ),
    "describe": Entry(
        "describe.describe",
        LOOK,
        "Show types, ranges and missing values of a table, and propose roles.",
    ),
    "convert": Entry(
        "inspect.convert",
        LOOK,
        "Write a dataset in another format: .hdf5 (D4RL), .npz, or a folder (Minari).",
    ),
    "datasets": Entry("datasets.app", LOOK, "List the datasets that have a name, and make them."),
    "train": Entry(
        "train.train", TRAIN, "Train one agent; call a stopped run again to continue it."
    ),
    "evaluate": Entry(
        "evaluate.evaluate_run",
        TRAIN,
        "Evaluate the final policy of a run with the task's own reward.",
    ),
    "study": Entry("study.app", STUDY, "Plan, run and report studies."),
    "dose": Entry(
        "dose.dose",
        STUDY,
        "Train over doses of wrong rewards and bad data; find where the reward starts to matter.",
    ),
    "nudge": Entry(
        "nudge.nudge",
        STUDY,
        "Find the filter of the data that makes zero-reward agents do what you want.",
    ),
    "compare": Entry(
        "compare.compare", STUDY, "Put audits side by side: datasets, algorithms or versions."
    ),
    "results": Entry(
        "results.app",
        STUDY,
        "Archive results of studies as text files, and write the page about them.",
    ),
    "theory": Entry(
        "theory.theory",
        STUDY,
        "Compute a dataset's exact positive bias, κ(δ) and λ†, and check the paper's assumptions.",
    ),
    "behaviors": Entry(
        "behaviors.app", TOOLS, "Train behavior policies, and show the shipped ones."
    ),
    "bench": Entry("bench.app", TOOLS, "Measure speed on this machine."),
    "cache": Entry(
        "cache.cache_command",
        TOOLS,
        "Show how much the cache of large datasets holds, or clear it.",
    ),
    "setup": Entry("setup.app", TOOLS, "Install packages that an ordinary installation cannot."),
}


class LazyGroup(PanelGroup):
    """The commands of `instinct`: a module is imported when its command is called or completed."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = load(args[0])
        return super().resolve_command(ctx, args)


def build_app() -> typer.Typer:
    """Build the application."""
    app = App(
        cls=LazyGroup,
        help="Find out what offline RL data teaches regardless of the reward.",
        epilog="Add --debug to any command to see the traceback of an error.",
        no_args_is_help=True,
        add_completion=True,
        callback=main_options,
    )
    for name, entry in COMMANDS.items():
        app.command(name, help=entry.summary, rich_help_panel=entry.panel)(in_its_module)
    return app


def in_its_module() -> None:
    """Stand for a command in the list of commands."""


def load(name: str) -> Any:
    """Import a command."""
    module, attribute = COMMANDS[name].place.split(".")
    found = getattr(import_module(f"instinct.cli.{module}"), attribute)
    if isinstance(found, typer.Typer):
        command = get_command(found)
    else:
        alone = App()
        alone.command(name)(found)
        command = get_command(alone)
    command.name = name
    return command


def show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"instinct {instinct.__version__}")
        raise typer.Exit


def main_options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Define the options of `instinct` itself."""
