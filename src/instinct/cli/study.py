"""`instinct study`: plan, run and report studies and experiments."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.cli.executors import (
    CheckpointSeconds,
    Executor,
    Jobs,
    RayAddress,
    RetryFailed,
    Slurm,
    Workers,
    choose_executor,
)
from instinct.cli.help import App
from instinct.cli.options import Log, folder_option
from instinct.cli.output import Json
from instinct.cli.watch import watch
from instinct.errors import BadInput
from instinct.util.paths import check_exists

app = App(help="Plan, run and report studies.", no_args_is_help=True)


def check_name(name: str) -> str:
    check_exists(name)
    return name


Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A study of `instinct study list`, or a TOML file with a plan.",
        callback=check_name,
    ),
]
Out = Annotated[Path | None, folder_option("The study's folder.", "results/NAME")]
Subset = Annotated[
    list[str] | None,
    typer.Option(
        "--subset",
        metavar="NAME,...",
        help="Run only these datasets, algorithms and labels; the report says so.",
    ),
]
Seeds = Annotated[
    int | None,
    typer.Option("--seeds", min=1, metavar="N", help="The number of seeds; the report says so."),
]
Steps = Annotated[
    int | None,
    typer.Option("--steps", min=1, metavar="N", help="Training steps; the report says so."),
]
AllowImports = Annotated[
    bool,
    typer.Option(
        "--allow-imports",
        help="Let the plan name an environment gym:MODULE:ID, which runs the module's code.",
    ),
]


@app.command("list")
def list_studies(json: Json = False) -> None:
    """List the studies and experiments with their settings.

    Example: instinct study list
    """
    from instinct.cli import study_actions

    study_actions.list_studies(json)


@app.command()
def plan(
    name: Name,
    subset: Subset = None,
    seeds: Seeds = None,
    steps: Steps = None,
    allow_imports: AllowImports = False,
    machines: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Predict the time on this many machines like this one."
        ),
    ] = 1,
    json: Json = False,
) -> None:
    """List the runs of a study, and predict their time from a short measurement.

    Example: instinct study plan d4rl --subset hopper-medium,PSPI --machines 4
    """
    from instinct.cli import study_actions

    chosen = study_actions.Selection(name, subset, seeds, steps, allow_imports)
    study_actions.plan(chosen, machines, json)


@app.command()
def run(
    name: Name,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The seed of an experiment.")] = 0,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SETTING=VALUE",
            help="Change a setting of an experiment; `instinct study list` shows them.",
        ),
    ] = None,
    subset: Subset = None,
    seeds: Seeds = None,
    steps: Steps = None,
    folder: Out = None,
    reuse: Annotated[
        list[Path] | None,
        typer.Option(
            "--reuse",
            metavar="FOLDER",
            help="Reuse the finished runs of another study or audit; can be repeated.",
        ),
    ] = None,
    retry_failed: RetryFailed = False,
    allow_imports: AllowImports = False,
    workers: Workers = None,
    executor: Executor = None,
    ray_address: RayAddress = None,
    jobs: Jobs = 1,
    slurm: Slurm = None,
    checkpoint_seconds: CheckpointSeconds = None,
    log: Log = None,
    json: Json = False,
) -> None:
    """Run or continue a study; print its tables, and write figures and a page.

    If runs have failed, the command says so at its end and exits with 1.

    Example: instinct study run d4rl --subset hopper-medium,BC,PSPI --seeds 3
    """
    from instinct.cli import study_actions

    if study_actions.is_experiment(name):
        study_actions.run_experiment(name, seed, assignments or [], folder, json)
        return
    if assignments:
        raise BadInput("--set is for experiments; the settings of a plan are in its file")
    study_actions.run(
        study_actions.Selection(name, subset, seeds, steps, allow_imports),
        folder,
        choose_executor(executor, workers, ray_address, checkpoint_seconds, jobs, slurm),
        reuse or [],
        retry_failed,
        log,
        json,
    )


@app.command()
def status(name: Name, folder: Out = None, json: Json = False) -> None:
    """Show how many runs of a study have ended, also while it runs.

    Example: instinct study status d4rl
    """
    from instinct.cli import study_actions

    study_actions.status(name, folder, json)


@app.command()
def report(name: Name, folder: Out = None, json: Json = False) -> None:
    """Write the figures and the page again from the results so far.

    Example: instinct study report gridworld
    """
    from instinct.cli import study_actions

    study_actions.report(name, folder, json)


app.command()(watch)
