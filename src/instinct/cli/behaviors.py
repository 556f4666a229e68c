"""`instinct behaviors`: train and show the policies that datasets are recorded from."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.cli.help import App
from instinct.cli.options import Seed
from instinct.cli.output import Json

app = App(help="Train behavior policies, and show the shipped ones.")

Task = Annotated[
    str,
    typer.Argument(
        metavar="TASK",
        help="hopper, walker2d, halfcheetah, or the id of a Gymnasium environment.",
        show_default=False,
    ),
]


@app.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the training curves into this file.")
    ] = None,
    in_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables as Markdown.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the shipped behaviors with their returns and lengths.

    Example: instinct behaviors --json
    """
    if context.invoked_subcommand is not None:
        return
    from instinct.cli import behavior_actions

    behavior_actions.show(figure, in_markdown, json)


@app.command("train")
def train_behavior(
    task: Task,
    folder: Annotated[Path, typer.Option("--out", help="The folder of the training.")],
    steps: Annotated[
        int, typer.Option(min=1, metavar="N", help="Environment steps in total.")
    ] = 1_000_000,
    seed: Seed = 0,
    environments: Annotated[
        int, typer.Option(min=1, metavar="N", help="Environments that step in parallel per update.")
    ] = 1,
    batch_size: Annotated[
        int, typer.Option(min=1, metavar="N", help="Transitions per update.")
    ] = 256,
    rate: Annotated[float, typer.Option(min=0, metavar="N", help="Adam's learning rate.")] = 3e-4,
    round_steps: Annotated[
        int, typer.Option(min=1, metavar="N", help="Steps between evaluations and checkpoints.")
    ] = 20_000,
    json: Json = False,
) -> None:
    """Train a behavior with SAC; call a stopped training again to continue it.

    Example: instinct behaviors train InvertedPendulum-v5 --steps 20000 --out pendulum
    """
    from instinct.cli import behavior_actions

    behavior_actions.train_behavior(
        task, folder, steps, seed, environments, batch_size, rate, round_steps, json
    )


@app.command("select")
def select_behaviors(
    task: Task,
    folder: Annotated[Path, typer.Argument(help="The folder of a training.", show_default=False)],
    name: Annotated[str, typer.Option(help="The name of the behavior, such as sac-1.")],
    command: Annotated[str, typer.Option(help="The command of the training, for the record.")],
    medium: Annotated[
        float | None,
        typer.Option(
            help="The target score of medium; also selects random and expert policies.",
            show_default="D4RL's facts",
        ),
    ] = None,
    episodes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Test episodes per selected policy.")
    ] = 100,
    target: Annotated[
        Path | None,
        typer.Option(
            "--out", help="The folder of the weights and their table.", show_default="the package's"
        ),
    ] = None,
) -> None:
    """Select the policies of a training whose data are nearest to D4RL's, and evaluate them.

    Example: instinct behaviors select hopper training --name sac-1 --command "…"
    """
    from instinct.cli import behavior_actions

    behavior_actions.select_behaviors(task, folder, name, command, medium, episodes, target)


@app.command("compare")
def compare_all(
    task: Task,
    transitions: Annotated[
        int, typer.Option(min=1, metavar="N", help="Transitions that are recorded of each.")
    ] = 100_000,
    target: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="The folder of the policies, for the choice.",
            show_default="the package's",
        ),
    ] = None,
) -> None:
    """Compare the data of a task's behaviors with D4RL's; the nearest become the defaults.

    Example: instinct behaviors compare hopper
    """
    from instinct.cli import behavior_actions

    behavior_actions.compare_all(task, transitions, target)
