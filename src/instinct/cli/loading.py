"""Open the dataset that a user names, with a progress bar while it is made."""

from pathlib import Path

from instinct.benchmarks.registry import find_dataset
from instinct.cli.output import show_progress
from instinct.data import NO_ROLES, ActionRange, Dataset, Roles, is_table, write


def open_dataset(
    source: str, action_range: ActionRange | None = None, roles: Roles = NO_ROLES
) -> Dataset:
    """Open the dataset of that name, file or folder; make it first if necessary."""
    with show_progress(f"making {source}") as on_progress:
        return find_dataset(source, action_range=action_range, roles=roles, on_progress=on_progress)


def keep_table(
    source: str, action_range: ActionRange | None, roles: Roles, folder: Path
) -> str | None:
    """Write the dataset of a table into a folder where workers can open it.

    Its name has the table's name and a hash of the transitions, so that other roles are another
    dataset. Return None if the source is no table.
    """
    if not is_table(Path(source)):
        if roles != NO_ROLES:
            open_dataset(source, action_range, roles)
        return None
    dataset = open_dataset(source, action_range, roles)
    path = folder / f"{Path(source).stem}-{dataset.hash[:8]}.npz"
    if not path.exists():
        write(dataset, path)
    return str(path)
