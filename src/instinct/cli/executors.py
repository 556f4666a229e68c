"""Options of the commands that run many trials."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from instinct.cli.options import RUNNING
from instinct.errors import InstinctError

if TYPE_CHECKING:
    from instinct.engine.run_plan import MakeExecutor
    from instinct.study.findings import Findings

Workers = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Worker processes on this machine.",
        show_default="one per core",
        rich_help_panel=RUNNING,
    ),
]
Executor = Annotated[
    Literal["local", "ray"],
    typer.Option(
        metavar="NAME",
        help="local: this machine; ray: a Ray cluster (needs the extra `ray`).",
        rich_help_panel=RUNNING,
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="The address of the Ray cluster.",
        show_default="found by Ray",
        rich_help_panel=RUNNING,
    ),
]
CheckpointSeconds = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Write every training to the disk after so many seconds.",
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
    name: str, workers: int | None, address: str | None, checkpoint_seconds: float | None
) -> "MakeExecutor":
    """Return the function that starts the executor of that name."""
    from instinct.engine.run_plan import local
    from instinct.engine.trial_runner import CHECKPOINT_SECONDS

    seconds = CHECKPOINT_SECONDS if checkpoint_seconds is None else checkpoint_seconds
    if name == "ray":
        from instinct.engine.ray_executor import ray

        return ray(address, seconds)
    return local(workers, seconds)
