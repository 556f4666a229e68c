"""`instinct nudge`: find the filter that makes zero-reward agents do what is wanted."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.benchmarks.names import check_dataset
from instinct.cli.executors import (
    CheckpointSeconds,
    Executor,
    RayAddress,
    RetryFailed,
    Workers,
    check_failures,
    choose_executor,
)
from instinct.cli.options import (
    ActionRange,
    Source,
    assignment_option,
    episodes_option,
    folder_option,
    parse_assignments,
    task_option,
)
from instinct.cli.output import Json, print_json, show_page, show_progress

WHICH, WHAT = "Which filters to compare", "What to train"
"""The titles of the options in the help."""


def nudge(
    source: Source,
    goal: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="return, cost (less of it), success, or survival (longer episodes).",
            show_default=False,
        ),
    ],
    tolerance: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="With the goal cost: the share of the reward that may be lost.",
            show_default="0.1",
        ),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="NAME",
            help="A filter of your own to compare as well, e.g. 'observations[3]<0.5'. Can be "
            "repeated.",
            rich_help_panel=WHICH,
        ),
    ] = None,
    keep: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="The least share of the transitions that a filter must keep.",
            rich_help_panel=WHICH,
        ),
    ] = 0.1,
    best: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Filters to train.", rich_help_panel=WHAT),
    ] = 3,
    score_only: Annotated[
        bool,
        typer.Option(
            "--score-only", help="Rank the filters and train nothing.", rich_help_panel=WHAT
        ),
    ] = False,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The algorithm.", show_default="PSPI", rich_help_panel=WHAT
        ),
    ] = None,
    task: Annotated[str | None, task_option("Where to judge.", "the dataset's", WHAT)] = None,
    seeds: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Seeds that choose a filter.", rich_help_panel=WHAT),
    ] = 3,
    report_seeds: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Other seeds that judge it.", rich_help_panel=WHAT),
    ] = 5,
    episodes: Annotated[int | None, episodes_option(WHAT)] = None,
    assignments: Annotated[list[str] | None, assignment_option(WHAT)] = None,
    action_range: ActionRange = None,
    folder: Annotated[
        Path | None, folder_option("The folder of the search.", "results/nudge-DATASET-GOAL")
    ] = None,
    retry_failed: RetryFailed = False,
    workers: Workers = None,
    executor: Executor = None,
    ray_address: RayAddress = None,
    checkpoint_seconds: CheckpointSeconds = None,
    json: Json = False,
) -> None:
    """Find the filter of the data that makes zero-reward agents do what you want.

    Filters are ranked without training. The best are trained under zero reward,
    beside all data, and the winner is judged on other seeds. The result is the
    name of a filter for --filter elsewhere. Call it again to continue.

    Example: instinct nudge safety:PointGoal1 --goal cost

    Example: instinct nudge hopper-medium --goal return --score-only
    """
    check_dataset(source)
    from instinct.audits.progress import show_study_progress
    from instinct.cli.objects import own_filter
    from instinct.nudge.page import compose_nudge, nudge_document
    from instinct.nudge.run import NudgeOptions, begin_search, finish_search
    from instinct.report.kit.page import write_page
    from instinct.util.folders import folder_name
    from instinct.util.jsonio import to_json_data

    options = NudgeOptions(
        goal=goal,
        filters=tuple(own_filter(name) for name in filters or ()),
        best=best,
        keep=keep,
        tolerance=tolerance,
        algorithm=algorithm or "",
        task=task,
        seeds=seeds,
        report_seeds=report_seeds,
        episodes=episodes,
        settings=parse_assignments(assignments),
        action_range=action_range,
        score_only=score_only,
    )
    where = folder or Path("results") / folder_name(f"nudge-{source}-{goal}")
    make = choose_executor(executor, workers, ray_address, checkpoint_seconds)
    with show_progress(f"making {source}") as on_dataset, show_progress("scoring") as on_progress:
        search = begin_search(source, where, options, on_dataset, on_progress)
    with show_study_progress(source) as display:
        found = finish_search(search, display, make, retry_failed=retry_failed)
    page = compose_nudge(found)
    path = write_page(page, where)
    if json:
        print_json(to_json_data({**nudge_document(found, page), "page": str(path)}))
    else:
        show_page(page, path)
    check_failures(*found.studies)
