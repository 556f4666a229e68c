"""`instinct study`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from instinct.cli.output import Json, out, print_json, progress
from instinct.errors import BadInput
from instinct.report import gridworld_page
from instinct.report import tables as report_tables
from instinct.study import gridworld
from instinct.study.results import load, save

app = typer.Typer(help="Run the paper's studies and report them.", no_args_is_help=True)

STUDIES = ("gridworld",)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(STUDIES)}.")],
    seed: Annotated[int, typer.Option(min=0, help="All randomness derives from it.")] = 0,
    episodes: Annotated[int, typer.Option(min=2, help="Test episodes per policy.")] = 1000,
    beta: Annotated[float, typer.Option(min=0, help="PEVI's degree of pessimism.")] = 1.0,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where results go.  [default: results/NAME]")
    ] = None,
    json: Json = False,
) -> None:
    """Run a study; print its table beside the paper's, and write figures and a page.

    Example: instinct study run gridworld --seed 1 --json
    """
    if name not in STUDIES:
        raise BadInput(f"no study is called {name!r}; there are {', '.join(STUDIES)}")
    folder = folder or Path("results") / name
    with progress("grid world", total=8) as step:
        save(gridworld.run(seed, episodes, beta, step), folder)
    results = load(folder)
    page = gridworld_page.write_report(results, folder)
    if json:
        print_json(
            {
                "study": results.study,
                "results": results.results,
                "settings": results.settings,
                "dataset": results.dataset,
                "page": str(page),
            }
        )
        return
    show(gridworld_page.table(results))
    out.print(gridworld_page.verdict(results))
    out.print(f"Page: {page}", soft_wrap=True)


def show(table: report_tables.Table) -> None:
    """Print a report's table to the terminal."""
    grid = Table(title=table.caption, title_justify="left", title_style="")
    for number, column in enumerate(table.columns):
        grid.add_column(column, justify="right" if number else "left")
    for row in table.rows:
        grid.add_row(*row)
    out.print(grid)
