"""Options that several commands share."""

from typing import Annotated

import typer

FILTERS_HELP = (
    "cost-free (the paper's: transitions with a cost), cost-free:5 (also the 5 steps before), "
    "safe-episodes (keeps whole episodes with a cost up to 34.29), safe-episodes:20, no-terminals, "
    "a comparison that removes where it holds, such as 'costs>0' or 'observations[3]<0.5', or a "
    "file mask.npy with one true for every transition to remove"
)

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


def words(texts: list[str] | None) -> list[str]:
    """The names in an option that may hold several, separated by commas."""
    return [name for text in texts or () for name in text.split(",") if name]
