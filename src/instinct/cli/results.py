"""`instinct results`: archive the results of studies in a repository, and write their page."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.cli.help import App
from instinct.cli.output import Json, out, print_json, show_table

app = App(
    help="Archive results of studies as text files, and write the page about them.\n\n"
    "Without a command: count the numbers of the paper's tables that the archived results have, "
    "and what the missing ones cost; --json lists each of them."
)

Docs = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="The folder with results.md and results/.")
]


@app.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    docs: Annotated[Path, typer.Option("--from", help="The folder with results/.")] = Path("docs"),
    json: Json = False,
) -> None:
    """Count the numbers of the paper's tables that archived results have, and what others cost.

    The JSON document lists every missing number with its core hours.

    Example: instinct results --json
    """
    if context.invoked_subcommand is not None:
        return
    from instinct.errors import BadInput
    from instinct.results.agreement import agreement_table, agreements
    from instinct.results.coverage import (
        RunTimes,
        cover_tables,
        coverage_document,
        coverage_table,
    )
    from instinct.results.page import read_results

    folder = docs / "results"
    if not folder.is_dir():
        raise BadInput("does not exist; archive results with `instinct results add`", file=folder)
    kept = read_results(folder)
    now, earlier = kept.evidence(), kept.evidence(earlier=True)
    tables, times = cover_tables(now, earlier), RunTimes(now.studies)
    if json:
        ranks = {
            "positive_bias": [each._asdict() for each in agreements(now)],
            "positive_bias_with_earlier_settings": [each._asdict() for each in agreements(earlier)],
        }
        print_json({**coverage_document(tables, times), **ranks})
        return
    show_table(coverage_table(tables, times))
    show_table(agreement_table(agreements(now), agreements(earlier)))


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
