"""Options and arguments that several commands share."""

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from instinct.errors import BadInput

FILTERS_HELP = (
    "cost-free, cost-free:5, safe-episodes, safe-episodes:20, good-episodes:1500, no-terminals, "
    "'costs>0', mask.npy"
)
"""Examples of filters; docs/safety.md explains all of them."""

TASKS_HELP = (
    "hopper, walker2d, halfcheetah, metaworld:NAME, safety:NAME, the id of a Gymnasium "
    "environment, or package.module:make"
)
"""Examples of tasks."""

RUNNING = "How to run it"
"""The title of options that change no result, in the help."""

Source = Annotated[
    str,
    typer.Argument(
        metavar="DATASET",
        help="A D4RL or DSRL HDF5 file, an npz archive, a Minari folder, a CSV, Parquet or Arrow "
        "table, or a dataset's name.",
        show_default=False,
    ),
]
ActionRange = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--action-range",
        metavar="LOW HIGH",
        help="The range of the actions, if the file does not have it.",
        show_default="the task's; else -1 1, or what the data span",
        rich_help_panel="How to read the data",
    ),
]
RemoveTerminals = Annotated[
    bool,
    typer.Option(
        "--remove-terminals",
        help="Remove the terminal transitions first, as the paper does for wrong rewards on "
        "hopper and walker2d.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="The seed of all random numbers.")]


def assignment_option(panel: str | None = None) -> Any:
    """Make the option that changes hyperparameters."""
    return typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change a hyperparameter, e.g. beta=10.",
        rich_help_panel=panel,
    )


def folder_option(what: str, default: str) -> Any:
    """Make the option of the folder that a command writes."""
    return typer.Option(
        "--out",
        "--folder",
        metavar="FOLDER",
        help=what,
        show_default=default,
        rich_help_panel=RUNNING,
    )


def task_option(what: str, default: str, panel: str | None = None) -> Any:
    """Make the option of a task."""
    return typer.Option(
        "--env",
        "--task",
        metavar="TASK",
        help=what,
        show_default=default,
        rich_help_panel=panel,
    )


def episodes_option(panel: str | None = None) -> Any:
    """Make the option of the number of test episodes."""
    return typer.Option(
        min=1,
        metavar="N",
        help="Test episodes of every agent.",
        show_default="the benchmark's",
        rich_help_panel=panel,
    )


def split_names(texts: Iterable[str] | None) -> list[str]:
    """Split the values of an option at commas."""
    return [name for text in texts or () for name in text.split(",") if name]


def parse_assignments(texts: Iterable[str] | None, option: str = "--set") -> dict[str, str]:
    """Parse the `NAME=VALUE` texts of `--set` or a similar option."""
    assignments = [*(texts or ())]
    for text in assignments:
        if "=" not in text:
            raise BadInput(f"{option} needs NAME=VALUE, not {text!r}")
    return dict(text.split("=", 1) for text in assignments)


Log = Annotated[
    str | None,
    typer.Option(
        "--log",
        metavar="NAME",
        help="Write the curves for tensorboard, wandb or trackio, too (extras).",
        rich_help_panel=RUNNING,
    ),
]
