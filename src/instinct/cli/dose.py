"""`instinct dose`: how wrong the rewards, and how bad the data may be."""

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
    split_names,
    task_option,
)
from instinct.cli.output import Json, print_json, show_page


def dose(
    source: Source,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kinds",
            metavar="NAME,...",
            help="rewards (replaced or negated), quality (bad episodes), ends (early ends).",
            show_default="all",
        ),
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        typer.Option("--algorithms", metavar="NAME,...", help="Algorithms.", show_default="PSPI"),
    ] = None,
    task: Annotated[str | None, task_option("Where to judge.", "the dataset's")] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Seeds.", show_default="3")
    ] = None,
    episodes: Annotated[int | None, episodes_option()] = None,
    assignments: Annotated[list[str] | None, assignment_option()] = None,
    action_range: ActionRange = None,
    folder: Annotated[
        Path | None, folder_option("The folder of the studies.", "results/dose-DATASET")
    ] = None,
    retry_failed: RetryFailed = False,
    workers: Workers = None,
    executor: Executor = "local",
    ray_address: RayAddress = None,
    checkpoint_seconds: CheckpointSeconds = None,
    json: Json = False,
) -> None:
    """Train over doses of wrong rewards and bad data; find where the reward starts to matter.

    Doses are the share of rewards replaced or negated, of bad episodes, and of
    episodes that ended early. Call it again to continue.

    Example: instinct dose hopper-medium --kinds rewards
    """
    check_dataset(source)
    from instinct.audits.progress import show_study_progress
    from instinct.dose.page import compose_doses
    from instinct.dose.run import KINDS, DoseOptions, run_doses
    from instinct.report.kit.page import write_page
    from instinct.util.folders import folder_name
    from instinct.util.jsonio import to_json_data

    options = DoseOptions(
        kinds=tuple(split_names(kinds)) or KINDS,
        algorithms=tuple(split_names(algorithms)),
        task=task,
        seeds=seeds,
        episodes=episodes,
        settings=parse_assignments(assignments),
        action_range=action_range,
    )
    where = folder or Path("results") / f"dose-{folder_name(source)}"
    make = choose_executor(executor, workers, ray_address, checkpoint_seconds)
    with show_study_progress(source) as display:
        found = run_doses(source, where, options, display, make, retry_failed=retry_failed)
    page = compose_doses(found)
    path = write_page(page, where)
    if json:
        verdicts = [
            {"code": each.code, "text": each.text, **each.numbers} for each in page.verdicts
        ]
        document = {"dataset": source, "verdicts": verdicts, "missing": [*page.missing]}
        print_json(to_json_data({**document, "page": str(path)}))
    else:
        show_page(page, path)
    check_failures(*found.findings.values())
