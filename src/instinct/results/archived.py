"""The document of an archive: `study.json`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from instinct.study.estimates import DatasetEstimates
from instinct.study.plan import Cell


@dataclass(frozen=True)
class ArchivedCell:
    """A cell: its settings, how they differ from the defaults, and what is missing."""

    dataset: str
    algorithm: str
    label: str
    filter: str
    settings: Mapping[str, Any]
    changes: Mapping[str, Any]
    missing: tuple[str, ...]

    @property
    def cell(self) -> Cell:
        return Cell(self.dataset, self.algorithm, self.label, self.filter)


@dataclass(frozen=True, kw_only=True)
class ArchivedStudy:
    """All that an archive has beside its tables of runs."""

    format: int = 1
    plan: Mapping[str, Any]
    cells: tuple[ArchivedCell, ...]
    datasets: Mapping[str, Mapping[str, Any]]
    """Facts about every dataset, by name."""
    versions: Mapping[str, str]
    machine: str
    trials: int
    ended: int
    failed: int
    seconds: float
    missing: tuple[str, ...]
    estimates: Mapping[str, DatasetEstimates] = field(default_factory=dict)
