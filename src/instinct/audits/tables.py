"""Keep the dataset of a table beside its audit."""

from pathlib import Path

from instinct.audits.kept import keep_dataset
from instinct.benchmarks.registry import find_dataset
from instinct.data import NO_ROLES, ActionRange, Roles, is_table
from instinct.util.folders import folder_name


def keep_table(
    source: str,
    folder: Path,
    action_range: ActionRange | None = None,
    task: str = "",
    roles: Roles = NO_ROLES,
) -> str:
    """Write the dataset of a table into the folder of an audit, where workers open it.

    Its name has the table's name and a hash of the transitions: with other roles it is another
    dataset. What is no table is left as it is.
    """
    if roles == NO_ROLES and not is_table(Path(source)):
        return source
    dataset = find_dataset(source, action_range=action_range, task=task, roles=roles)
    path = folder / f"{folder_name(Path(source).stem)}-{dataset.hash[:8]}.npz"
    keep_dataset(dataset, path)
    return str(path)
