"""The results of an experiment: one JSON file, from which its page is made."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from instinct.errors import BadInput
from instinct.util.jsonio import write_json
from instinct.util.validation import read_document
from instinct.util.versions import versions

FILE = "results.json"


@dataclass(frozen=True)
class ExperimentResults:
    """The numbers of an experiment, with its settings and versions."""

    study: str
    """The experiment's name."""
    results: tuple[Mapping[str, Any], ...]
    """One row for every cell of the main table."""
    settings: Mapping[str, Any]
    dataset: str
    """The content hash of the dataset; empty without one."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Data of the figures that are not in the rows."""
    versions: Mapping[str, str] = field(default_factory=versions)


def save(results: ExperimentResults, folder: Path) -> None:
    write_json(folder / FILE, asdict(results))


def load(folder: Path) -> ExperimentResults:
    path = folder / FILE
    if not path.exists():
        raise BadInput("does not exist; run the experiment first", file=path)
    return read_document(path, ExperimentResults)
