"""Help that is grouped, and readable in 80 columns: names on the left, sentences on the right."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

LEFT = 24
"""The widest name of an option that has its sentence beside it; below longer ones it follows."""

Row = tuple[str, str]


class PanelCommand(TyperCommand):
    """A command whose help has the options by panel."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_panels(formatter, option_rows(self, ctx))


class PanelGroup(TyperGroup):
    """A command with subcommands, in its help by panel."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_panels(formatter, self.command_rows(ctx))
        write_panels(formatter, option_rows(self, ctx))

    def command_rows(self, ctx: Any) -> Iterable[tuple[str, Row]]:
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            panel = getattr(command, "rich_help_panel", None) or "Commands"
            yield panel, (name, command.get_short_help_str(200))


class App(typer.Typer):
    """A command with subcommands, whose help is laid out here."""

    def __init__(self, **options: Any) -> None:
        defaults: dict[str, Any] = {
            "cls": PanelGroup,
            "rich_markup_mode": None,
            "pretty_exceptions_enable": False,
            "add_completion": False,
        }
        super().__init__(**defaults | options)

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        return super().command(name, **{"cls": PanelCommand} | options)


def option_rows(command: Any, ctx: Any) -> Iterable[tuple[str, Row]]:
    """Yield the panel of every argument and option, its name and its sentence."""
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        argument = parameter.param_type_name == "argument"
        panel = getattr(parameter, "rich_help_panel", None)
        name = record[0].split(" ")[0] if argument else option_name(parameter, record[0])
        yield panel or ("Arguments" if argument else "Options"), (name, sentence(record[1]))


def sentence(text: str) -> str:
    """Simplify what is appended to the help of an option: its default alone."""
    text = re.sub(r"; (?:[\d.]+<=?)?x[<>]=?[\d.]+\]$", "]", text)
    text = re.sub(r"\s*\[(?:(?:[\d.]+<=?)?x[<>]=?[\d.]+|required)\]$", "", text)
    return re.sub(r"\[default: \((.*)\)\]$", r"[default: \1]", text)


def option_name(parameter: Any, shown: str) -> str:
    """Return the first name of an option, with what it takes; its other names are not shown."""
    _, _, takes = shown.replace(",...", ",…").rpartition(" ")
    names = "/".join([parameter.opts[0], *parameter.secondary_opts[:1]])
    flag = parameter.is_flag or takes.startswith("-") or parameter.name == "help"
    return names if flag else f"{names} {parameter.metavar or takes}"


def write_panels(formatter: Any, rows: Iterable[tuple[str, Row]]) -> None:
    """Write one section for every panel, in the order of their first rows."""
    panels: dict[str, list[Row]] = {}
    for panel, row in rows:
        panels.setdefault(panel, []).append(row)
    for panel, lines in panels.items():
        with formatter.section(panel):
            formatter.write_dl(lines, col_max=LEFT)
