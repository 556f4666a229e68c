"""`instinct results`: keep what studies found in a repository, and make its page."""

import re
from pathlib import Path
from typing import Annotated

import typer

from instinct.cli.output import out
from instinct.experiments.results import FILE, load, save
from instinct.results.archive import STUDY, read_archive, together, write_archive
from instinct.results.page import write_results
from instinct.study.findings import read_findings

app = typer.Typer(
    help="Keep what studies found as text files, and make the page about them.",
    no_args_is_help=True,
)

Docs = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="Where results.md and its folder results/ are.")
]


@app.command()
def add(
    studies: Annotated[
        list[Path], typer.Argument(metavar="STUDY...", help="Folders of studies or audits.")
    ],
    docs: Annotated[Path, typer.Option("--to", help="Where results/ is.")] = Path("docs"),
) -> None:
    """Keep the results of studies as CSV, one row for every run.

    Of a study that was run in part (`--subset`) and is kept already, the rest stays.

    Example: instinct results add results/quick-hopper
    """
    for folder in studies:
        if (folder / FILE).exists():
            results = load(folder)
            where = docs / "results" / results.study
            save(results, where)
        else:
            findings = read_findings(folder)
            where = docs / "results" / re.sub(r"[^\w.@-]+", "-", findings.plan.name)
            if findings.plan.scaled and (where / STUDY).exists():
                kept, _ = read_archive(where)
                findings = findings if kept.plan.scaled else together(kept, findings)
            write_archive(findings, where)
        out.print(f"Kept in {where}", soft_wrap=True)


@app.command()
def write(docs: Docs = Path("docs")) -> None:
    """Write results.md and its figures from the results that are kept.

    Where results/ or a study's folder in it has a remarks.md, its text stands on the page.

    Example: instinct results write docs
    """
    page = docs / "results.md"
    write_results(docs / "results", page)
    out.print(f"Page: {page}", soft_wrap=True)
