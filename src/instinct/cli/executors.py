"""Options of the commands that run many trials."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from instinct.cli.options import RUNNING, parse_assignments
from instinct.errors import InstinctError

if TYPE_CHECKING:
    from instinct.engine.run_plan import MakeExecutor
    from instinct.study.findings import Findings

Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Worker processes.",
        show_default="one per core",
        rich_help_panel=RUNNING,
    ),
]
Executor = Annotated[
    Literal["local", "together", "ray", "slurm"] | None,
    typer.Option(
        metavar="NAME",
        help="local: a process per core; together: one program; ray: a Ray cluster; slurm: "
        "SLURM jobs.",
        show_default="local; together on an accelerator",
        rich_help_panel=RUNNING,
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Where it is.",
        show_default="found by Ray",
        rich_help_panel=RUNNING,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        min=1, metavar="N", help="SLURM jobs that share the runs.", rich_help_panel=RUNNING
    ),
]
Slurm = Annotated[
    list[str] | None,
    typer.Option(
        "--slurm",
        metavar="NAME=VALUE",
        help="What a job asks for, e.g. partition=cpu.",
        rich_help_panel=RUNNING,
    ),
]
CheckpointSeconds = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Seconds between checkpoints.",
        show_default="60",
        rich_help_panel=RUNNING,
    ),
]
RetryFailed = Annotated[
    bool,
    typer.Option(
        "--retry-failed",
        help="Run failed runs again from their beginning.",
        rich_help_panel=RUNNING,
    ),
]


def check_failures(*studies: "Findings") -> None:
    """Raise if runs of finished studies have failed."""
    failed, trials = (sum(getattr(each, name) for each in studies) for name in ("failed", "trials"))
    if failed:
        raise InstinctError(
            f"{failed} of {trials} runs failed, for the reasons above; the same command with "
            "--retry-failed runs them again"
        )


def choose_executor(
    name: str | None,
    workers: int | None,
    address: str | None,
    checkpoint_seconds: float | None,
    jobs: int = 1,
    slurm: list[str] | None = None,
) -> "MakeExecutor":
    """Return the function that starts the executor of that name."""
    from instinct.engine.run_plan import default_executor, local
    from instinct.engine.trial_runner import CHECKPOINT_SECONDS

    seconds = CHECKPOINT_SECONDS if checkpoint_seconds is None else checkpoint_seconds
    if name == "ray":
        from instinct.engine.ray_executor import ray

        return ray(address, seconds)
    if name == "slurm":
        from instinct.engine.slurm_executor import slurm as in_jobs

        given = parse_assignments(slurm or [], "--slurm")
        parameters = {key: int(text) if text.isdecimal() else text for key, text in given.items()}
        return in_jobs(jobs, parameters, workers, seconds)
    if name == "together":
        from instinct.engine.together_executor import together

        return together(seconds)
    return local(workers, seconds) if name else default_executor(workers, seconds)
