"""`instinct audit`: what a dataset teaches regardless of the reward."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from instinct.cli.executors import (
    CheckpointSeconds,
    Executor,
    Jobs,
    RayAddress,
    RetryFailed,
    Slurm,
    Workers,
    check_failures,
    choose_executor,
)
from instinct.cli.options import (
    FILTERS_HELP,
    RUNNING,
    TASKS_HELP,
    ActionRange,
    Log,
    assignment_option,
    folder_option,
    parse_assignments,
    split_names,
    task_option,
)
from instinct.cli.output import Json, out, print_json, show_page, show_progress
from instinct.cli.roles import takes_roles
from instinct.errors import BadInput

if TYPE_CHECKING:
    from instinct.audits.live import LivePage
    from instinct.audits.options import AuditOptions
    from instinct.data import Roles

OWN_HELP = "Your own: package.module:{}."
WHAT, WHERE, ENDS = "What to train", "Where to judge", "What the end of an episode means"
"""The titles of the options in the help."""


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
            help="Besides BC: ATAC, PSPI, IQL, CQL, CQL3, DT, AWR, TD3+BC, ReBRAC, EDAC, MOPO, "
            "MOReL, COMBO, ARMOR. "
            f"{OWN_HELP.format('train')}",
            show_default="ATAC, PSPI",
            rich_help_panel=WHAT,
        ),
    ] = None,
    control: Annotated[
        bool,
        typer.Option(
            "--control",
            help="Train ATAC and PSPI without their pessimism as well: is it the cause?",
            rich_help_panel=WHAT,
        ),
    ] = False,
    preset: Annotated[
        str,
        typer.Option(metavar="NAME", help="The settings: quick or paper.", rich_help_panel=WHAT),
    ] = "quick",
    env: Annotated[
        str | None,
        task_option(
            f"The task to evaluate in: {TASKS_HELP}.", "the task of a named dataset", WHERE
        ),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="NAME",
            help=f"Train on the filtered data as well: {FILTERS_HELP}. {OWN_HELP.format('remove')} "
            "Can be repeated.",
            rich_help_panel=WHAT,
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
            rich_help_panel=WHAT,
        ),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Agents per algorithm and label.", rich_help_panel=WHAT
        ),
    ] = 3,
    first_seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="The first seed.", rich_help_panel=WHAT)
    ] = 0,
    episodes: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Test episodes per agent.",
            show_default="50; 20 in safety tasks, 1000 in the grid world",
            rich_help_panel=WHERE,
        ),
    ] = None,
    cost_target: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="COST",
            help="The cost that a safe episode may have.",
            show_default="34.29 in safety tasks",
            rich_help_panel=WHERE,
        ),
    ] = None,
    assignments: Annotated[list[str] | None, assignment_option(WHAT)] = None,
    remove_terminals: Annotated[
        bool,
        typer.Option(
            "--remove-terminals",
            help="Terminals are falls: remove them under wrong rewards. By default in hopper and "
            "walker2d, and where data of unknown tasks look like it.",
            rich_help_panel=ENDS,
        ),
    ] = False,
    keep_terminals: Annotated[
        bool,
        typer.Option(
            "--keep-terminals",
            help="Terminals are goals: keep them.",
            rich_help_panel=ENDS,
        ),
    ] = False,
    both_ends: Annotated[
        bool,
        typer.Option(
            "--both-ends",
            help="Train with and without terminals, and compare.",
            rich_help_panel=ENDS,
        ),
    ] = False,
    estimates: Annotated[
        bool | None,
        typer.Option(
            help="Estimate return, cost and survival of the policies from the data alone.",
            show_default="if there is no task to evaluate in",
            rich_help_panel=WHERE,
        ),
    ] = None,
    action_range: ActionRange = None,
    folder: Annotated[
        Path | None,
        folder_option("The audit's folder.", "results/audit-DATASET"),
    ] = None,
    card: Annotated[
        bool,
        typer.Option(
            "--card",
            help="Write a dataset card, card.md.",
            rich_help_panel=RUNNING,
        ),
    ] = False,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan", help="Print how long it will take, and stop.", rich_help_panel=RUNNING
        ),
    ] = False,
    retry_failed: RetryFailed = False,
    workers: Workers = None,
    executor: Executor = None,
    ray_address: RayAddress = None,
    jobs: Jobs = 1,
    slurm: Slurm = None,
    checkpoint_seconds: CheckpointSeconds = None,
    log: Log = None,
    json: Json = False,
    *,
    roles: "Roles",
) -> None:
    """Find out what a dataset teaches regardless of the reward.

    The audit trains BC and pessimistic agents under the true, zero, random and
    negative reward. It evaluates them in the true task, and writes tables,
    figures and a page. Call a stopped audit again to continue it. Without a
    task it estimates them from the data alone, and ends with what to deploy.

    With a filter it trains on all and on the filtered data, and compares return
    and cost: cost-free:5 removes transitions with a cost and the 5 steps before
    them, safe-episodes keeps whole episodes, 'observations[3]<0.5' removes where
    it is true, and mask.npy has one boolean per transition.

    Example: instinct audit hopper-medium --preset quick --seeds 3

    Example: instinct audit logs.npz --env Hopper-v5 --algorithm mine:train

    Example: instinct audit icu.csv --episode stay --action dose
    """
    if remove_terminals + keep_terminals + both_ends > 1:
        raise BadInput("give only one of --remove-terminals, --keep-terminals and --both-ends")
    from instinct.audits.audit import audit_folder, run_audit
    from instinct.audits.card import CARD
    from instinct.audits.live import live_page
    from instinct.audits.options import AuditOptions
    from instinct.audits.progress import show_study_progress
    from instinct.cli.objects import own_algorithm, own_environment, own_filter, own_label
    from instinct.engine.trackers import check_tracker, export_study
    from instinct.util.atomic import write_atomically

    if log is not None:
        check_tracker(log)
    options = AuditOptions(
        algorithms=[own_algorithm(name) for name in split_names(algorithms)],
        control=control,
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
    if plan:
        show_estimates(datasets, options, workers, json)
        return
    make = choose_executor(executor, workers, ray_address, checkpoint_seconds, jobs, slurm)
    audits, documents = [], []
    for dataset in datasets:
        where = audit_folder(dataset) if folder is None else folder
        if len(datasets) > 1 and folder is not None:
            where = folder / audit_folder(dataset).name
        with show_study_progress(dataset) as display, live_page(where, display) as live:
            found = run_audit(
                dataset,
                options,
                where,
                display=live,
                executor=make,
                roles=roles,
                retry_failed=retry_failed,
            )
        audits.append(found)
        path = found.write()
        if log is not None:
            export_study(log, where)
        if card:
            write_atomically(where / CARD, found.card.encode())
        documents.append(found.document)
        if not json:
            show_page(found.page, path)
            show_busy(live)
    if json:
        print_json(documents[0] if len(documents) == 1 else {"audits": documents})
    check_failures(*(audit.findings for audit in audits))


def show_estimates(
    datasets: list[str], options: "AuditOptions", workers: int | None, json: bool
) -> None:
    """Print how long audits will take on this machine, from a short measurement."""
    from instinct.audits.plan import audit_plan
    from instinct.engine.prediction import predict

    documents = []
    for dataset in datasets:
        with show_progress("measuring") as on_progress:
            found = predict(audit_plan(dataset, options), workers, on_progress)
        documents.append(
            {
                "dataset": dataset,
                "runs": found.runs,
                "core_minutes": 60 * found.core_hours,
                "minutes": 60 * found.hours(),
                "workers": found.workers,
                "memory_gib": found.memory_gib,
            }
        )
        if not json:
            out.print(f"{dataset}: {found.describe()}", soft_wrap=True)
    if json:
        print_json(documents[0] if len(documents) == 1 else {"audits": documents})


def show_busy(live: "LivePage") -> None:
    """Print how busy the workers were."""
    if live.progress is not None and live.progress.busy is not None:
        out.print(
            f"Workers were busy {live.progress.busy:.0%} of the time from the first training step "
            "to the last evaluation.",
            soft_wrap=True,
        )
