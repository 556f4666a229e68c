"""Opening the dataset that a user names, with a bar while it is made."""

from instinct.benchmarks.registry import find_dataset
from instinct.cli.output import progress
from instinct.data import ActionRange, Dataset


def open_dataset(source: str, action_range: ActionRange | None = None) -> Dataset:
    """The dataset of that name, file or folder."""
    with progress(f"making {source}") as step:
        return find_dataset(source, action_range=action_range, on_progress=step)
