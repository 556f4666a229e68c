"""Show the diagnostics of one agent."""

from collections.abc import Mapping

from instinct.cli.output import out, show_table
from instinct.deep.training.diagnostics import LIVE_UNITS
from instinct.report.kit.tables import Number, Table


def show_diagnostics(found: Mapping[str, float]) -> None:
    """Print the diagnostics as a table, with a warning about dead critics; nothing if empty."""
    if not found:
        return
    rows = tuple((name, Number(value, ".4g")) for name, value in found.items())
    caption = "Diagnostics of the agent at recorded states."
    show_table(Table("diagnostics", caption, ("", "value"), rows))
    if found.get("live_units", 1.0) < LIVE_UNITS:
        out.print(
            f"! Less than {LIVE_UNITS:.0%} of the critics' units are live: such critics hardly "
            "tell actions apart."
        )
