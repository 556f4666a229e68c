"""Options of the commands that run many trials."""

from typing import Annotated, Literal

import typer

from instinct.engine.run_plan import MakeExecutor, local

Workers = Annotated[
    int | None,
    typer.Option(min=1, help="Processes on this machine.", show_default="one for every core"),
]
Executor = Annotated[
    Literal["local", "ray"],
    typer.Option(help="Run on this machine, or on a Ray cluster (the extra `ray`)."),
]
RayAddress = Annotated[
    str | None,
    typer.Option(help="The Ray cluster's address.", show_default="the one that Ray finds"),
]


def executor_of(name: str, workers: int | None, address: str | None) -> MakeExecutor:
    if name == "ray":
        from instinct.engine.ray_executor import ray

        return ray(address)
    return local(workers)
