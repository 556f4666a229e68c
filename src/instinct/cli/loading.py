"""Open the dataset that a user names, with a progress bar while it is made."""

from instinct.benchmarks.registry import find_dataset
from instinct.cli.output import show_progress
from instinct.data import NO_ROLES, ActionRange, Dataset, Roles


def open_dataset(
    source: str,
    action_range: ActionRange | None = None,
    task: str = "",
    roles: Roles = NO_ROLES,
) -> Dataset:
    """Open the dataset of that name, file or folder; make it first if necessary."""
    with show_progress(f"making {source}") as on_progress:
        return find_dataset(
            source, action_range=action_range, task=task, roles=roles, on_progress=on_progress
        )
