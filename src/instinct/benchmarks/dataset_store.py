"""Where made datasets are kept: whole or absent, checked by hash, made by one process at a time.

They lie in `$INSTINCT_DATA`, else in the user's data folder. Beside every dataset stands a note
with its hash; it is written last, and without it the dataset does not exist.
"""

import fcntl
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from instinct.data import Dataset
from instinct.data.formats.npz import read_npz, write_npz
from instinct.errors import InstinctError
from instinct.util.atomic import write_atomically
from instinct.util.folders import data_folder

log = logging.getLogger(__name__)


def path_of(entry: str) -> Path:
    return data_folder() / "datasets" / f"{entry}.npz"


def note_of(entry: str) -> dict[str, Any] | None:
    """What is noted of an entry, if it is there."""
    path = path_of(entry)
    try:
        note = json.loads(path.with_suffix(".json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return note if path.exists() and isinstance(note, dict) and "hash" in note else None


def get(entry: str) -> Dataset | None:
    """The dataset, if it is there and is what the note says."""
    note = note_of(entry)
    if note is None:
        return None
    try:
        dataset = read_npz(path_of(entry))
    except InstinctError as error:
        log.warning("%s is made anew: %s", entry, error)
        return None
    if dataset.hash != note["hash"]:
        log.warning("%s is made anew: it has changed since it was made", entry)
        return None
    return dataset


def get_or_make(entry: str, make: Callable[[], Dataset], provenance: dict[str, Any]) -> Dataset:
    """The dataset as it was made before, or made now while other processes wait for it."""
    dataset = get(entry)
    if dataset is not None:
        return dataset
    path = path_of(entry)
    with locked(path.with_suffix(".lock")):
        dataset = get(entry)
        if dataset is None:
            path.with_suffix(".json").unlink(missing_ok=True)
            dataset = make()
            write_npz(dataset, path)
            note = {"hash": dataset.hash, **provenance}
            text = json.dumps(note, indent=2) + "\n"
            write_atomically(path.with_suffix(".json"), text.encode())
    return dataset


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Alone among all processes; the lock goes with the process, however it ends."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    except OSError as error:
        raise InstinctError(f"{path}: cannot be written: {error.strerror}") from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
