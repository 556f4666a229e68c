"""Consoles, and progress bars in a terminal."""

from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TimeRemainingColumn,
)
from rich.text import Text

from instinct.util.text import plain


class PlainConsole(Console):
    """A console that shows texts as they are: without markup, emoji codes or control characters."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def print(self, *objects: Any, **options: Any) -> None:
        shown = (plain(each) if isinstance(each, str) else each for each in objects)
        super().print(*shown, **options)


class Description(ProgressColumn):
    """The description of a bar, as text without markup."""

    def render(self, task: Task) -> Text:
        return Text(plain(task.description))


def terminal_bars(console: Console) -> Progress:
    """Make bars with the remaining time, which vanish at the end; none outside a terminal."""
    return Progress(
        Description(),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
