"""Keep datasets that are in memory or were made from a table beside their audit."""

import logging
from pathlib import Path

from instinct.data import Dataset, write
from instinct.data.formats.npz import read_npz
from instinct.errors import BadInput

log = logging.getLogger(__name__)


def keep_dataset(dataset: Dataset, path: Path) -> None:
    """Write a dataset to a file that workers can open; what is there must have the same hash."""
    if path.exists():
        try:
            if read_npz(path).hash == dataset.hash:
                return
            problem = "its checksum does not fit"
        except BadInput as fault:
            problem = fault.problem
        log.warning("%s: is damaged (%s); it is written again", path, problem)
    write(dataset, path)
