"""`instinct theory`."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.cli.loading import open_dataset
from instinct.cli.options import ActionRange, RemoveTerminals
from instinct.cli.output import Json, print_json, progress, show_page
from instinct.data import Box, remove_terminals
from instinct.data.discretize import discretize
from instinct.errors import BadInput
from instinct.experiments.results import load, save
from instinct.experiments.theory import compute as exact
from instinct.experiments.theory.page import compose
from instinct.report.kit.page import write_page


def theory(
    source: Annotated[
        str, typer.Argument(metavar="DATASET", help="`gridworld`, or a dataset of any format.")
    ],
    discount: Annotated[
        float | None, typer.Option(help="γ of a dataset's world.", show_default="0.99")
    ] = None,
    horizon: Annotated[
        int | None, typer.Option(min=1, help="Steps of an episode, instead of a discount.")
    ] = None,
    bins: Annotated[
        int | None,
        typer.Option(min=2, help="Cells per dimension, for continuous observations or actions."),
    ] = None,
    without_terminals: RemoveTerminals = False,
    action_range: ActionRange = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the random rewards.")] = 0,
    folder: Annotated[
        Path | None,
        typer.Option("--out", help="Where the page goes.", show_default="results/theory"),
    ] = None,
    json: Json = False,
) -> None:
    """Compute a dataset's positive bias, κ(δ), λ† and the paper's assumptions, exactly.

    Example: instinct theory gridworld --json
    """
    if discount is not None and horizon is not None:
        raise BadInput("give a discount or a horizon, not both")
    if source == "gridworld":
        if discount is not None or horizon is not None or bins is not None:
            raise BadInput("the grid world has its own horizon and states")
        problem = exact.gridworld(seed)
    else:
        dataset = open_dataset(source, action_range)
        if without_terminals:
            dataset = remove_terminals(dataset)
        if bins is not None:
            dataset = discretize(dataset, bins)
        elif dataset.observations.dtype.kind == "f" or isinstance(dataset.action_space, Box):
            raise BadInput("has continuous states or actions; cut them with --bins", file=source)
        if discount is None and horizon is None:
            discount = 0.99
        problem = exact.empirical(dataset, discount=discount, horizon=horizon, seed=seed)
    folder = folder or Path("results") / "theory"
    with progress("theory") as step:
        save(exact.compute(problem, step), folder)
    results = load(folder)
    page = compose(results, source)
    path = write_page(page, folder)
    if json:
        found = {name: value for name, value in results.details.items() if name != "path"}
        print_json(
            {
                "dataset": source,
                **found,
                "labels": results.results,
                "settings": results.settings,
                "page": str(path),
            }
        )
        return
    show_page(page, path)
