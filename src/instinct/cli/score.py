"""`instinct score`: what a dataset teaches regardless of the reward, before anything is trained."""

from typing import TYPE_CHECKING, Annotated

import typer

from instinct.cli.loading import open_dataset
from instinct.cli.options import ActionRange, Seed, task_option
from instinct.cli.output import Json, out, print_json, show_progress, show_table
from instinct.cli.roles import takes_roles
from instinct.errors import BadInput

if TYPE_CHECKING:
    from instinct.data import Roles


@takes_roles
def score(
    datasets: Annotated[
        list[str],
        typer.Argument(
            metavar="DATASET...", help="Datasets as files or names.", show_default=False
        ),
    ],
    task: Annotated[
        str | None,
        task_option("The task, which says what J* and a terminal are.", "the dataset's"),
    ] = None,
    action_range: ActionRange = None,
    seed: Seed = 0,
    json: Json = False,
    *,
    roles: "Roles",
) -> None:
    """Predict from the data alone what agents reach without the true reward.

    The score is the share of J* that agents trained with zero rewards are predicted to reach.
    Nothing is trained; a million transitions take some seconds.

    Example: instinct score hopper-medium hopper-expert
    """
    from dataclasses import asdict

    from instinct.score import score_dataset
    from instinct.score.table import score_table
    from instinct.util.jsonio import to_json_data

    found = {}
    for name in datasets:
        dataset = open_dataset(name, action_range, task or "", roles)
        try:
            with show_progress(f"scoring {name}"):
                found[name] = score_dataset(dataset, name, task or "", seed)
        except BadInput as fault:
            raise fault.in_file(name) from None
    if json:
        rows = [
            {"dataset": name, **asdict(each), "sentence": each.sentence}
            for name, each in found.items()
        ]
        print_json({"results": to_json_data(rows)})
        return
    show_table(score_table(found))
    for name, each in found.items():
        out.print(f"{name}: {each.sentence}", markup=False, soft_wrap=True)
