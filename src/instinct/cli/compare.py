"""`instinct compare`: audits side by side on one page."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.cli.options import folder_option
from instinct.cli.output import show_page


def compare(
    audits: Annotated[
        list[Path],
        typer.Argument(metavar="AUDIT...", help="Folders of audits, studies or archived results."),
    ],
    folder: Annotated[
        Path | None, folder_option("The folder of the page.", "results/comparison")
    ] = None,
) -> None:
    """Put audits side by side: datasets, algorithms or versions.

    Example: instinct compare results/audit-hopper-medium results/audit-hopper-expert
    """
    from instinct.report.kit.page import write_page
    from instinct.results.comparison import compose_comparison

    page = compose_comparison(audits)
    show_page(page, write_page(page, folder or Path("results/comparison")))
