"""`instinct audit`."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.audits.audit import audit, audit_folder
from instinct.cli.executors import Executor, RayAddress, Workers, executor_of
from instinct.cli.loading import open_dataset
from instinct.cli.options import FILTERS_HELP, ActionRange, words
from instinct.cli.output import Json, print_json, show_page
from instinct.cli.train import given
from instinct.cli.watch import watching


def audit_command(
    datasets: Annotated[
        list[str],
        typer.Argument(
            metavar="DATASET...",
            help="Names of datasets, D4RL or DSRL HDF5 files, npz archives, Minari folders.",
            show_default=False,
        ),
    ],
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithms",
            metavar="NAME,...",
            help="Beside BC: ATAC, PSPI, IQL, CQL, CQL3, DT; in the grid world any tabular one.",
            show_default="ATAC and PSPI; PEVI in the grid world",
        ),
    ] = None,
    preset: Annotated[str, typer.Option(help="`quick`, or the `paper`'s settings.")] = "quick",
    env: Annotated[
        str | None,
        typer.Option(
            "--env",
            metavar="ID",
            help="Where to judge: hopper, walker2d, halfcheetah, metaworld:NAME, safety:NAME, or "
            "the id of a Gymnasium environment.",
            show_default="where a named dataset was recorded",
        ),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="NAME",
            help="Also learn from the data without what this removes; may be given several times. "
            f"{FILTERS_HELP}.",
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            metavar="NAME,...",
            help="The rewards to train on: original, zero, random, negative, corrupt:0.3, …",
            show_default="all; with --filter the original alone, which keeps the audit short",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Agents to train for every number.")] = 3,
    first_seed: Annotated[
        int, typer.Option(min=0, help="The first of these seeds; another tells of other agents.")
    ] = 0,
    episodes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Test episodes of every agent.",
            show_default="50; 20 in safety tasks, 1000 in the grid world",
        ),
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a hyperparameter, e.g. beta=10."),
    ] = None,
    remove_terminals: Annotated[
        bool | None,
        typer.Option(
            "--remove-terminals/--keep-terminals",
            help="Take out terminal transitions under wrong rewards.",
            show_default="where they are falls, as in hopper and walker2d",
        ),
    ] = None,
    action_range: ActionRange = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", help="The folder of results.", show_default="results/audit-DATASET"),
    ] = None,
    workers: Workers = None,
    executor: Executor = "local",
    ray_address: RayAddress = None,
    json: Json = False,
) -> None:
    """Tell what a dataset teaches regardless of the reward.

    Trains BC and pessimistic agents under the true, zero, random and negated reward, judges them
    by the true task, and writes tables, figures and a page. With a filter, it trains them on all
    data and on the filtered ones, and tells how their reward and cost change. An audit that was
    stopped goes on where it was when called again.

    Example: instinct audit hopper-medium --preset quick --seeds 3

    Example: instinct audit safety:PointGoal1 --filter cost-free
    """
    documents = []
    for dataset in datasets:
        open_dataset(dataset, action_range)
        where = audit_folder(dataset) if folder is None else folder
        if len(datasets) > 1 and folder is not None:
            where = folder / audit_folder(dataset).name
        with watching(dataset) as watch:
            found = audit(
                dataset,
                algorithms=words(algorithms),
                preset=preset,
                env=env,
                labels=words(labels),
                filters=filters or (),
                seeds=seeds,
                first_seed=first_seed,
                episodes=episodes,
                settings=given(assignments or []),
                remove_terminals=remove_terminals,
                action_range=action_range,
                folder=where,
                watch=watch,
                executor=executor_of(executor, workers, ray_address),
            )
        path = found.write()
        documents.append(found.document)
        if not json:
            show_page(found.page, path)
    if json:
        print_json(documents[0] if len(documents) == 1 else {"audits": documents})
