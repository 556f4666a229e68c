"""The benchmarks of `instinct bench` that run whole studies."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from instinct.cli.help import App
from instinct.cli.options import split_names
from instinct.cli.output import Json, print_json, show_progress, show_rows
from instinct.errors import BadInput

app = App()


@app.command()
def study(
    runs: Annotated[
        int, typer.Option(min=21, metavar="N", help="Small runs with different seeds.")
    ] = 200,
    json: Json = False,
) -> None:
    """Measure the overhead of a study of many small runs.

    Example: instinct bench study --runs 1000 --json
    """
    from instinct.bench.study import measure

    with show_progress("runs") as on_progress:
        result = asdict(measure(runs, on_progress=on_progress))
    if json:
        print_json(result)
    else:
        show_rows("study", "Memory in MB after 20 runs and at the end.", [result], json)


@app.command()
def audit(
    dataset: Annotated[
        str,
        typer.Argument(metavar="DATASET", help="A dataset that is recorded in a locomotion task."),
    ] = "hopper-medium",
    fraction: Annotated[
        float,
        typer.Option(
            min=1e-4, max=1, metavar="SHARE", help="Share of the quick preset's steps and episodes."
        ),
    ] = 0.5,
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="Agents per cell.")] = 3,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Worker processes.", show_default="one per core"),
    ] = None,
    every_agent: Annotated[
        bool,
        typer.Option(
            "--every-agent",
            help="Train every agent in the plain loops too, instead of one per algorithm.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Compare a quick audit with the same agents in plain loops, one after the other.

    One loop is written in PyTorch, which is not a part of this package: it is measured where it is
    installed. The other makes one call of the compiled step after the other.

    Example: instinct bench audit --json
    """
    from instinct.bench.audit import has_torch, measure

    with show_progress("agents") as on_progress:
        found = measure(
            dataset, fraction, seeds, workers, every_agent=every_agent, on_progress=on_progress
        )
    result = asdict(found)
    if json:
        print_json(result)
        return
    loops = result.pop("loops")
    caption = f"The audit, with {fraction:g} of the quick preset's steps; measured."
    show_rows("audit", caption, [result], json)
    caption = (
        "The plain loops; `calculated` is the time of the agents measured, times their number."
    )
    if not has_torch():
        caption += " PyTorch is not installed, so its loop was not measured."
    show_rows("loops", caption, loops, json)


@app.command()
def scaling(
    transitions: Annotated[
        list[str] | None,
        typer.Option(metavar="N,...", help="Sizes of the dataset.", show_default="10⁴ to 10⁷"),
    ] = None,
    runs: Annotated[
        list[str] | None,
        typer.Option(metavar="N,...", help="Numbers of small runs.", show_default="10 to 1,000"),
    ] = None,
    cores: Annotated[
        list[str] | None,
        typer.Option(metavar="N,...", help="Numbers of cores.", show_default="1 to all"),
    ] = None,
    steps: Annotated[
        int, typer.Option(min=1, metavar="N", help="Training steps of every stage of PSPI.")
    ] = 2000,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the curves into this file.")
    ] = None,
    json: Json = False,
) -> None:
    """Measure the time of a study against its transitions, its runs and the cores.

    Example: instinct bench scaling --figure scaling.svg
    """
    from instinct.bench.scaling import RUNS, TRANSITIONS, measure
    from instinct.bench.scaling_figure import draw_scaling
    from instinct.report.kit.figures import check_format, save

    if figure is not None:
        check_format(figure)
    with show_progress("studies") as on_progress:
        points = [
            *measure(
                whole_numbers(transitions, "transitions", TRANSITIONS),
                whole_numbers(runs, "runs", RUNS),
                None if cores is None else whole_numbers(cores, "cores"),
                steps,
                on_progress,
            )
        ]
    if figure is not None:
        save(draw_scaling(points), figure)
    caption = "Each row is a study; programs were compiled before."
    show_rows("scaling", caption, [asdict(point) for point in points], json)


@app.command()
def memory(
    rows: Annotated[
        int, typer.Option(min=1000, metavar="N", help="Transitions of the dataset.")
    ] = 3_000_000,
    dimension: Annotated[
        int, typer.Option(min=1, metavar="N", help="Numbers in an observation.")
    ] = 20,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Worker processes.")] = 2,
    json: Json = False,
) -> None:
    """Measure what workers that train on one large dataset have in memory, alone and together.

    Example: instinct bench memory --rows 10000000 --json
    """
    from instinct.bench.sharing import measure

    with show_progress("memory") as on_progress:
        found = [asdict(row) for row in measure(rows, dimension, workers, on_progress)]
    caption = "In MB; `rows_share_mb` counts a page that n workers have as 1/n for each of them."
    show_rows("memory", caption, found, json)


def whole_numbers(
    given: list[str] | None, option: str, usual: tuple[int, ...] = ()
) -> tuple[int, ...]:
    """Read numbers that are divided by commas, each at least 1."""
    if given is None:
        return usual
    names = split_names(given)
    if wrong := [name for name in names if not (name.isdecimal() and int(name))]:
        raise BadInput(f"{wrong[0]!r} is not a whole number of at least 1", option=option)
    return tuple(map(int, names))
