"""How commands speak: tables and JSON on stdout, progress on stderr."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]

Step = Callable[[str], None]
"""Called after each step of long work, with what was done."""

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def print_json(document: Any) -> None:
    """Exactly one document on stdout; infinities have been turned into text before."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


@contextmanager
def progress(description: str, total: int) -> Iterator[Step]:
    """A bar on stderr with the time left; where stderr is no terminal, nothing."""
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
    with bar:
        task = bar.add_task(description, total=total)

        def step(what: str) -> None:
            bar.update(task, advance=1, description=f"{description}: {what}")

        yield step
