"""`instinct theory`: the exact theory of a dataset."""

from pathlib import Path
from typing import Annotated

import typer

from instinct.benchmarks.names import check_dataset
from instinct.cli.loading import open_dataset
from instinct.cli.options import ActionRange, RemoveTerminals, Seed, folder_option
from instinct.cli.output import Json, print_json, show_page, show_progress
from instinct.errors import BadInput


def theory(
    source: Annotated[
        str, typer.Argument(metavar="DATASET", help="`gridworld`, a dataset's name, or a file.")
    ],
    discount: Annotated[
        float | None, typer.Option(help="The discount γ.", show_default="0.99")
    ] = None,
    horizon: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The horizon H, instead of a discount.")
    ] = None,
    bins: Annotated[
        int | None,
        typer.Option(
            min=2, metavar="N", help="Bins per dimension of continuous observations and actions."
        ),
    ] = None,
    without_terminals: RemoveTerminals = False,
    action_range: ActionRange = None,
    seed: Seed = 0,
    folder: Annotated[
        Path | None, folder_option("The folder of the results.", "results/theory")
    ] = None,
    json: Json = False,
) -> None:
    """Compute a dataset's exact positive bias, κ(δ) and λ†, and check the paper's assumptions.

    Example: instinct theory gridworld --json
    """
    if discount is not None and horizon is not None:
        raise BadInput("give --discount or --horizon, not both")
    check_dataset(source)
    from instinct.data import Box, remove_terminals
    from instinct.data.discretize import discretize
    from instinct.experiments.results import load, save
    from instinct.experiments.theory import compute as exact
    from instinct.experiments.theory.page import compose
    from instinct.report.kit.page import write_page

    problem = exact.known_problem(source, seed)
    if problem is not None:
        if discount is not None or horizon is not None or bins is not None:
            raise BadInput(f"{source} has its own horizon and states")
    else:
        dataset = open_dataset(source, action_range)
        if not dataset.has_rewards:
            raise BadInput("has no rewards, which the theory needs", file=source)
        if without_terminals:
            dataset = remove_terminals(dataset)
        if bins is not None:
            dataset = discretize(dataset, bins)
        elif dataset.observations.dtype.kind == "f" or isinstance(dataset.action_space, Box):
            raise BadInput(
                "has continuous states or actions; discretize them with --bins", file=source
            )
        if discount is None and horizon is None:
            discount = 0.99
        problem = exact.empirical(dataset, discount=discount, horizon=horizon, seed=seed)
    folder = folder or Path("results") / "theory"
    with show_progress("theory") as on_progress:
        save(exact.compute(problem, on_progress), folder)
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
