"""Options that name the columns of a table, for all commands that open datasets."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from instinct.benchmarks.names import check_dataset

PANEL = "Tables: CSV, Parquet, Arrow and Feather files"
"""The title of these options in the help."""


def column(flag: str, what: str) -> Any:
    """Make the option of a role."""
    return typer.Option(flag, metavar="COLUMN", help=what, rich_help_panel=PANEL)


OPTIONS: dict[str, Any] = {
    "episode": Annotated[str | None, column("--episode", "Tells episodes apart.")],
    "time": Annotated[str | None, column("--time", "Orders the rows of an episode.")],
    "action": Annotated[
        list[str] | None, column("--action", "Actions, e.g. 'dose_*'; can be repeated.")
    ],
    "observation": Annotated[
        list[str] | None, column("--observation", "Observations, e.g. 'vitals_*'; can be repeated.")
    ],
    "reward": Annotated[str | None, column("--reward", "The reward of a row.")],
    "cost": Annotated[str | None, column("--cost", "The cost of a row.")],
    "terminal": Annotated[
        str | None, column("--terminal", "True where the world ended, not the recording alone.")
    ],
    "timeout": Annotated[str | None, column("--timeout", "True where the recording ended.")],
    "discrete": Annotated[
        bool | None,
        typer.Option(
            "--discrete/--no-discrete",
            help="The action is a choice, not an amount.",
            show_default="by its column",
            rich_help_panel=PANEL,
        ),
    ],
    "missing": Annotated[
        str | None,
        typer.Option(
            metavar="CHOICE",
            help="Missing values: refuse, carry (the last value), or indicator (the mean, and a "
            "column that marks them).",
            show_default="refuse",
            rich_help_panel=PANEL,
        ),
    ],
    "standardize": Annotated[
        bool | None,
        typer.Option(
            "--standardize/--no-standardize",
            help="Shift and scale observations to mean 0 and deviation 1.",
            show_default="yes",
            rich_help_panel=PANEL,
        ),
    ],
}


def takes_roles(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of the roles, and pass them to it as `roles`."""
    own = inspect.signature(command)

    @wraps(command)
    def with_roles(**given: Any) -> None:
        for source in given.get("datasets") or [given["source"]]:
            check_dataset(source)
        from instinct.data import Roles

        chosen = {name: given.pop(name) for name in OPTIONS}
        lists = {name: tuple(chosen[name] or ()) for name in ("action", "observation")}
        command(**given, roles=Roles(**{**chosen, **lists}))

    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in OPTIONS.items()
    ]
    kept = [each for name, each in own.parameters.items() if name != "roles"]
    with_roles.__signature__ = own.replace(parameters=[*kept, *options])  # type: ignore[attr-defined]
    with_roles.__annotations__ = {
        name: kind
        for name, kind in {**command.__annotations__, **OPTIONS}.items()
        if name != "roles"
    }
    del with_roles.__wrapped__
    return with_roles
