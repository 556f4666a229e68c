"""`instinct inspect` and `instinct convert`: show a dataset, and write it in another format."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from instinct.cli.loading import open_dataset
from instinct.cli.options import FILTERS_HELP, ActionRange, Source, task_option
from instinct.cli.output import Json, out, print_json, show_table
from instinct.cli.roles import takes_roles
from instinct.errors import BadInput
from instinct.util.text import plain

if TYPE_CHECKING:
    from instinct.data import Dataset, Roles
    from instinct.data.summary import Summary


@takes_roles
def inspect(
    source: Source,
    figure: Annotated[
        Path | None,
        typer.Option(help="Draw the length bias into this file (.svg, .pdf or .png)."),
    ] = None,
    task: Annotated[
        str | None,
        task_option(
            "The task of the normalized score: hopper, walker2d, cartpole, …, safety:NAME.",
            "the dataset's",
        ),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="NAME",
            help=f"Show what a filter removes: {FILTERS_HELP}, or your own package.module:name; "
            "can be repeated.",
        ),
    ] = None,
    action_range: ActionRange = None,
    json: Json = False,
    *,
    roles: "Roles",
) -> None:
    """Summarize a dataset: counts, returns, lengths, their correlation, and repairs.

    The columns of a table are named by role, here or in a TOML file beside it.

    Example: instinct inspect hopper_medium-v2.hdf5 --task hopper --figure bias.svg

    Example: instinct inspect icu.csv --episode stay --action dose --observation 'vitals_*'
    """
    from instinct.benchmarks.benchmark import episode_terminals
    from instinct.benchmarks.registry import find_benchmark, find_task, goals_end, task_of
    from instinct.data.summary import summarize
    from instinct.report.kit.figures import check_format, save
    from instinct.report.kit.length_bias import HORIZON, Scatter, draw
    from instinct.report.sections.filters import removal_table
    from instinct.study.facts import removal_numbers

    if figure is not None:
        check_format(figure)
    dataset = open_dataset(source, action_range, task or "", roles)
    task = task or task_of(source)
    known = None if task is None else find_task(task)
    scores = known.scores(dataset.returns) if known and dataset.has_rewards else None
    successes = episode_terminals(dataset) if goals_end(source) else None
    summary = summarize(dataset)
    recorded_from = find_benchmark(source).recorded_from(source)
    removals = dict(removed_by(name, dataset) for name in filters or ())
    measured = {
        name: float(values.mean())
        for name, values in (("score", scores), ("success_rate", successes))
        if values is not None
    }
    if known is not None and known.cost_target is not None and summary.mean_cost is not None:
        measured["normalized_cost"] = summary.mean_cost / known.cost_target
    if figure is not None:
        quantity, values = ("return", dataset.returns)
        if scores is not None:
            quantity, values = ("normalized score", scores)
        horizon = (known and known.horizon) or HORIZON
        title = Path(source).stem
        save(draw(Scatter(title, dataset.lengths, values, quantity, successes, horizon)), figure)
    if json:
        filters_found = {name: removal_numbers(facts) for name, facts in removals.items()}
        filtered = {"filters": filters_found} if removals else {}
        recorded = {"recorded_from": recorded_from} if recorded_from else {}
        print_json({"dataset": source, **recorded, **asdict(summary), **measured, **filtered})
    else:
        out.print(table(source, summary, measured, recorded_from))
        if removals:
            show_table(removal_table((source, *each) for each in removals.items()))
        if figure is not None:
            out.print(f"Figure: {figure}", soft_wrap=True)


def removed_by(text: str, dataset: "Dataset") -> tuple[str, dict[str, Any]]:
    """Return the name of a filter, and what it removes."""
    import numpy as np

    from instinct.cli.objects import own_filter
    from instinct.data import canonical_name, find_filter, measure_removal, remove

    chosen = own_filter(text)
    name = canonical_name(chosen) if isinstance(chosen, str) else text
    predicate = find_filter(name) if isinstance(chosen, str) else chosen
    rows = np.asarray(predicate(dataset))
    return name, asdict(measure_removal(dataset, rows, remove(dataset, rows)))


@takes_roles
def convert(
    source: Source, target: Path, action_range: ActionRange = None, *, roles: "Roles"
) -> None:
    """Write a dataset in another format: .hdf5 (D4RL), .npz, or a folder (Minari).

    Example: instinct convert hopper_medium-v2.hdf5 hopper-medium.npz
    """
    if target.exists():
        raise BadInput("exists already; choose another name", file=target)
    dataset = open_dataset(source, action_range, roles=roles)
    from instinct.data import write

    write(dataset, target)
    out.print(f"{len(dataset):,} transitions: {target}", soft_wrap=True)


def table(source: str, summary: "Summary", measured: dict[str, float], recorded_from: str) -> Table:
    grid = Table(
        title=Text(plain(source)), show_header=False, title_justify="left", title_style="bold"
    )
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    if recorded_from:
        grid.add_row("recorded from", plain(recorded_from))
    grid.add_row("transitions", f"{summary.transitions:,}")
    grid.add_row("episodes", f"{summary.episodes:,}")
    grid.add_row("ended by", f"{summary.terminals:,} terminals, {summary.timeouts:,} timeouts")
    grid.add_row("observations", f"{summary.observation_dimension} numbers")
    grid.add_row("actions", summary.action_space)
    if summary.mean_return is None:
        grid.add_row("return", "none: the data have no rewards")
    else:
        spread = f"{summary.min_return:.2f} to {summary.max_return:.2f}"
        grid.add_row("return", f"{summary.mean_return:.2f} ± {summary.std_return:.2f} ({spread})")
    if "score" in measured:
        grid.add_row("normalized score", f"{measured['score']:.1f}")
    if "success_rate" in measured:
        rate = measured["success_rate"]
        grid.add_row("successes", f"{summary.terminals:,} of {summary.episodes:,} ({rate:.0%})")
    spread = f"{summary.min_length} to {summary.max_length}"
    grid.add_row("length", f"{summary.mean_length:.1f} ± {summary.std_length:.1f} ({spread})")
    correlation = summary.length_return_correlation
    grid.add_row(
        "length–return correlation",
        "none: lengths or returns are all the same"
        if correlation is None
        else f"{correlation:.3f}",
    )
    if summary.mean_cost is not None:
        grid.add_row("cost per episode", f"{summary.mean_cost:.2f}")
    if "normalized_cost" in measured:
        grid.add_row("normalized cost", f"{measured['normalized_cost']:.2f}")
    grid.add_row("repairs", Text(plain("\n".join(summary.repairs)) or "none"))
    grid.add_row("hash", summary.hash)
    return grid
