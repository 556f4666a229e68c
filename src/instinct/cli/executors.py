"""Options of the commands that run many trials."""

from typing import Annotated, Literal

import typer

from instinct.engine.run_plan import MakeExecutor, local
from instinct.errors import InstinctError
from instinct.study.findings import Findings

Workers = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="Worker processes on this machine.", show_default="one per core"
    ),
]
Executor = Annotated[
    Literal["local", "ray"],
    typer.Option(help="Run on this machine, or on a Ray cluster (needs the extra `ray`)."),
]
RayAddress = Annotated[
    str | None,
    typer.Option(help="The address of the Ray cluster.", show_default="found by Ray"),
]

CheckpointSeconds = Annotated[
    float,
    typer.Option(
        min=0, metavar="N", help="Write every training to the disk after so many seconds."
    ),
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Run failed runs again from their beginning.")
]


def check_failures(*studies: Findings) -> None:
    """Raise if runs of finished studies have failed."""
    failed, trials = (sum(getattr(each, name) for each in studies) for name in ("failed", "trials"))
    if failed:
        raise InstinctError(
            f"{failed} of {trials} runs failed, for the reasons above; the same command with "
            "--retry-failed runs them again"
        )


def choose_executor(
    name: str, workers: int | None, address: str | None, checkpoint_seconds: float
) -> MakeExecutor:
    """Return the function that starts the executor of that name."""
    if name == "ray":
        from instinct.engine.ray_executor import ray

        return ray(address, checkpoint_seconds)
    return local(workers, checkpoint_seconds)
