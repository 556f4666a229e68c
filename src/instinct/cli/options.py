"""Options that several commands share."""

from typing import Annotated

import typer

Source = Annotated[
    str,
    typer.Argument(
        metavar="DATASET",
        help="A D4RL or DSRL HDF5 file, an npz archive, a Minari folder, or a dataset's name.",
        show_default=False,
    ),
]
ActionRange = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--action-range",
        metavar="LOW HIGH",
        help="The range of every action dimension, if it is not [-1, 1] and the file is silent.",
    ),
]
RemoveTerminals = Annotated[
    bool,
    typer.Option(
        "--remove-terminals",
        help="Take out the terminal transitions first, as the paper does for wrong rewards on "
        "hopper and walker2d.",
    ),
]
