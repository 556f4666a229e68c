"""`instinct study`."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.cli.output import Json, out, print_json, progress, show_page
from instinct.report.page import write_page
from instinct.report.registry import PAGES
from instinct.study.registry import STUDIES, find
from instinct.study.results import Results, load, save

app = typer.Typer(help="Run the paper's studies and report them.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help=f"One of: {', '.join(STUDIES)}.")]
Out = Annotated[
    Path | None, typer.Option("--out", help="The study's folder.  [default: results/NAME]")
]


@app.command("list")
def list_studies(json: Json = False) -> None:
    """List the studies with what they show and their settings.

    Example: instinct study list
    """
    if json:
        studies = [
            {"name": s.name, "description": s.description, "settings": dict(s.defaults)}
            for s in STUDIES.values()
        ]
        print_json({"studies": studies})
        return
    for study in STUDIES.values():
        settings = " ".join(f"{name}={value:g}" for name, value in study.defaults.items())
        out.print(f"[bold]{study.name}[/bold]: {study.description}  [dim]({settings})[/dim]")


@app.command()
def run(
    name: Name,
    seed: Annotated[int, typer.Option(min=0, help="All randomness derives from it.")] = 0,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SETTING=VALUE",
            help="Change a setting; `instinct study list` has all.",
        ),
    ] = None,
    folder: Out = None,
    json: Json = False,
) -> None:
    """Run a study; print its tables, and write figures and a page.

    Example: instinct study run gridworld --seed 1 --set beta=10 --json
    """
    study = find(name)
    settings = study.settings(assignments or (), seed=seed)
    folder = folder or Path("results") / name
    with progress(name) as step:
        save(study.run(settings, step), folder)
    tell(load(folder), folder, json)


@app.command()
def report(name: Name, folder: Out = None, json: Json = False) -> None:
    """Write the figures and the page anew from the results of a study that has been run.

    Example: instinct study report gridworld
    """
    folder = folder or Path("results") / find(name).name
    tell(load(folder), folder, json)


def tell(results: Results, folder: Path, json: bool) -> None:
    """Write the page, and say what came out."""
    page = PAGES[results.study](results)
    path = write_page(page, folder)
    if json:
        print_json(
            {
                "study": results.study,
                "results": results.results,
                "settings": results.settings,
                "dataset": results.dataset,
                "page": str(path),
            }
        )
        return
    show_page(page, path)
