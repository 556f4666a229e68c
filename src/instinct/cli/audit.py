"""`instinct audit`: what a dataset teaches regardless of the reward."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.audits.audit import audit_folder, run_audit
from instinct.audits.options import AuditOptions
from instinct.audits.progress import show_study_progress
from instinct.cli.executors import (
    CheckpointSeconds,
    Executor,
    RayAddress,
    RetryFailed,
    Workers,
    check_failures,
    choose_executor,
)
from instinct.cli.objects import own_algorithm, own_environment, own_filter, own_label
from instinct.cli.options import (
    FILTERS_HELP,
    TASKS_HELP,
    ActionRange,
    Assignments,
    folder_option,
    parse_assignments,
    split_names,
    task_option,
)
from instinct.cli.output import Json, print_json, show_page
from instinct.cli.roles import takes_roles
from instinct.data import NO_ROLES, Roles
from instinct.engine.trial_runner import CHECKPOINT_SECONDS
from instinct.errors import BadInput

OWN_HELP = "Your own: package.module:{}."


@takes_roles
def audit_command(
    datasets: Annotated[
        list[str],
        typer.Argument(
            metavar="DATASET",
            help="Names of datasets, D4RL or DSRL HDF5 files, npz archives, Minari or LeRobot "
            "folders, CSV, Parquet or Arrow tables.",
            show_default=False,
        ),
    ],
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithms",
            "--algorithm",
            metavar="NAME,...",
            help="Algorithms besides BC: ATAC, PSPI, IQL, CQL, CQL3, DT; in the grid world any "
            f"tabular one. {OWN_HELP.format('train')}",
            show_default="ATAC and PSPI; PEVI in the grid world",
        ),
    ] = None,
    preset: Annotated[
        str, typer.Option(metavar="NAME", help="The settings: quick or paper.")
    ] = "quick",
    env: Annotated[
        str | None,
        task_option(f"The task to evaluate in: {TASKS_HELP}.", "the task of a named dataset"),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="NAME",
            help=f"Train on the filtered data as well; can be repeated. Filters: {FILTERS_HELP}. "
            f"{OWN_HELP.format('remove')}",
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            "--label",
            metavar="NAME,...",
            help="The training rewards: original, zero, random, negative, corrupt:0.3, noise:0.5, "
            f"sparse:0.1, scale:-2, constant:1. {OWN_HELP.format('rewards')}",
            show_default="the first four; original only with --filter",
        ),
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=1, metavar="N", help="Seeds: agents per algorithm and label.")
    ] = 3,
    first_seed: Annotated[int, typer.Option(min=0, metavar="N", help="The first seed.")] = 0,
    episodes: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Test episodes per agent.",
            show_default="50; 20 in safety tasks, 1000 in the grid world",
        ),
    ] = None,
    cost_target: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="COST",
            help="The cost that a safe episode may have.",
            show_default="34.29 in safety tasks",
        ),
    ] = None,
    assignments: Assignments = None,
    remove_terminals: Annotated[
        bool,
        typer.Option(
            "--remove-terminals",
            help="Remove terminal transitions under wrong rewards: they are falls. By default in "
            "hopper and walker2d, and where data of unknown tasks look like it.",
        ),
    ] = False,
    keep_terminals: Annotated[
        bool,
        typer.Option(
            "--keep-terminals",
            help="Keep terminal transitions under wrong rewards: they are goals.",
        ),
    ] = False,
    both_ends: Annotated[
        bool,
        typer.Option(
            "--both-ends",
            help="Train both with and without terminal transitions, and compare.",
        ),
    ] = False,
    estimates: Annotated[
        bool | None,
        typer.Option(
            help="Estimate return, cost and survival of the policies from the data alone.",
            show_default="if there is no task to evaluate in",
        ),
    ] = None,
    action_range: ActionRange = None,
    folder: Annotated[
        Path | None,
        folder_option("The audit's folder.", "results/audit-DATASET"),
    ] = None,
    retry_failed: RetryFailed = False,
    workers: Workers = None,
    executor: Executor = "local",
    ray_address: RayAddress = None,
    checkpoint_seconds: CheckpointSeconds = CHECKPOINT_SECONDS,
    json: Json = False,
    roles: Roles = NO_ROLES,
) -> None:
    """Find out what a dataset teaches regardless of the reward.

    The audit trains BC and pessimistic agents under the true, zero, random and
    negative reward. It evaluates them in the true task, and writes tables,
    figures and a page. Call a stopped audit again to continue it. Without a
    task it estimates them from the data alone, and ends with what to deploy.

    With a filter, it trains on all data and on the filtered data, and compares
    return and cost. cost-free removes transitions with a cost, and cost-free:5
    also the 5 steps before. safe-episodes keeps whole episodes with a cost of at
    most 34.29. A comparison such as 'observations[3]<0.5' removes where it is
    true. A file mask.npy has one boolean per transition: true removes it.

    Example: instinct audit hopper-medium --preset quick --seeds 3

    Example: instinct audit safety:PointGoal1 --filter cost-free

    Example: instinct audit logs.npz --env Hopper-v5 --algorithm mine.agents:train

    Example: instinct audit icu.parquet --episode stay --time hour --action dose
    --observation 'vitals_*' --reward outcome --terminal discharged
    """
    if remove_terminals + keep_terminals + both_ends > 1:
        raise BadInput("give only one of --remove-terminals, --keep-terminals and --both-ends")
    options = AuditOptions(
        algorithms=[own_algorithm(name) for name in split_names(algorithms)],
        preset=preset,
        env=None if env is None else own_environment(env),
        labels=[own_label(name) for name in split_names(labels)],
        filters=[own_filter(name) for name in filters or ()],
        seeds=seeds,
        first_seed=first_seed,
        episodes=episodes,
        settings=parse_assignments(assignments or []),
        remove_terminals=True if remove_terminals else False if keep_terminals else None,
        both_ends=both_ends,
        action_range=action_range,
        cost_target=cost_target,
        estimates=estimates,
    )
    make = choose_executor(executor, workers, ray_address, checkpoint_seconds)
    audits, documents = [], []
    for dataset in datasets:
        where = audit_folder(dataset) if folder is None else folder
        if len(datasets) > 1 and folder is not None:
            where = folder / audit_folder(dataset).name
        with show_study_progress(dataset) as display:
            found = run_audit(
                dataset,
                options,
                where,
                display=display,
                executor=make,
                roles=roles,
                retry_failed=retry_failed,
            )
        audits.append(found)
        path = found.write()
        documents.append(found.document)
        if not json:
            show_page(found.page, path)
    if json:
        print_json(documents[0] if len(documents) == 1 else {"audits": documents})
    check_failures(*(audit.findings for audit in audits))
