"""Store the datasets that are made here: complete or absent, checked by hash, made only once.

They are in `$INSTINCT_DATA`, or in the user's data folder. Every dataset has a note with its hash
beside it. The note is written last; without it the dataset does not exist. A lock makes other
processes wait while one makes a dataset.
"""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from instinct.data import Dataset
from instinct.data.formats.npz import read_npz, write_npz
from instinct.errors import InstinctError
from instinct.util.atomic import write_atomically
from instinct.util.folders import data_folder
from instinct.util.locks import hold_lock

log = logging.getLogger(__name__)


def path_of(entry: str) -> Path:
    return data_folder() / "datasets" / f"{entry}.npz"


def note_of(entry: str) -> dict[str, Any] | None:
    """Return the note of an entry, or None if the entry does not exist."""
    path = path_of(entry)
    try:
        note = json.loads(path.with_suffix(".json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return note if path.exists() and isinstance(note, dict) and "hash" in note else None


def get(entry: str) -> Dataset | None:
    """Return the dataset of an entry if it exists and its hash is the one in the note."""
    note = note_of(entry)
    if note is None:
        return None
    try:
        dataset = read_npz(path_of(entry))
    except InstinctError as error:
        log.warning("%s is made again: %s", entry, error)
        return None
    if dataset.hash != note["hash"]:
        log.warning("%s is made again: it has changed since it was made", entry)
        return None
    return dataset


def get_or_make(entry: str, make: Callable[[], Dataset], provenance: dict[str, Any]) -> Dataset:
    """Return the dataset of an entry; make it first if necessary, while other processes wait."""
    dataset = get(entry)
    if dataset is not None:
        return dataset
    path = path_of(entry)
    with hold_lock(path.with_suffix(".lock")):
        dataset = get(entry)
        if dataset is None:
            path.with_suffix(".json").unlink(missing_ok=True)
            dataset = make()
            write_npz(dataset, path)
            note = {"hash": dataset.hash, **provenance}
            text = json.dumps(note, indent=2) + "\n"
            write_atomically(path.with_suffix(".json"), text.encode())
    return dataset
