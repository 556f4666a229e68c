"""`instinct results`: archive the results of studies in a repository, and write their page."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.cli.help import App
from instinct.cli.output import out

app = App(
    help="Archive results of studies as text files, and write the page about them.",
    no_args_is_help=True,
)

Docs = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="The folder with results.md and results/.")
]


@app.command()
def add(
    studies: Annotated[
        list[Path], typer.Argument(metavar="STUDY...", help="Folders of studies or audits.")
    ],
    docs: Annotated[Path, typer.Option("--to", help="The folder with results/.")] = Path("docs"),
) -> None:
    """Archive the results of studies as CSV, one row per run.

    Results of a part of an archived study (`--subset`) replace that part.

    Example: instinct results add results/quick-hopper
    """
    from instinct.experiments.results import FILE, load, save
    from instinct.results.archive import STUDY, merge, read_archive, write_archive
    from instinct.study.findings import read_findings
    from instinct.util.folders import folder_name

    for folder in studies:
        if (folder / FILE).exists():
            results = load(folder)
            where = docs / "results" / folder_name(results.study)
            save(results, where)
        else:
            findings = read_findings(folder)
            where = docs / "results" / folder_name(findings.plan.name)
            if findings.plan.scaled and (where / STUDY).exists():
                kept, _ = read_archive(where)
                findings = findings if kept.plan.scaled else merge(kept, findings)
            write_archive(findings, where)
        out.print(f"Archived in {where}", soft_wrap=True)


@app.command()
def write(docs: Docs = Path("docs")) -> None:
    """Write results.md and its figures from the archived results.

    The page includes remarks.md of results/ and of the studies' folders.

    Example: instinct results write docs
    """
    from instinct.results.page import write_results

    page = docs / "results.md"
    write_results(docs / "results", page)
    out.print(f"Page: {page}", soft_wrap=True)
