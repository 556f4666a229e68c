"""Open the dataset that a user names, with a progress bar while it is made."""

from typing import TYPE_CHECKING

from instinct.benchmarks.names import check_dataset
from instinct.cli.output import show_progress

if TYPE_CHECKING:
    from instinct.data import ActionRange, Dataset, Roles


def open_dataset(
    source: str,
    action_range: "ActionRange | None" = None,
    task: str = "",
    roles: "Roles | None" = None,
) -> "Dataset":
    """Open the dataset of that name, file or folder; make it first if necessary."""
    check_dataset(source)
    from instinct.benchmarks.registry import find_dataset
    from instinct.data import NO_ROLES

    with show_progress(f"making {source}") as on_progress:
        return find_dataset(
            source,
            action_range=action_range,
            task=task,
            roles=roles or NO_ROLES,
            on_progress=on_progress,
        )
